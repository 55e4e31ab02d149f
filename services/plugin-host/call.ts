import { BOUNDS } from "./bounds.ts";
import type { BrokerAnswer } from "./broker/answer.ts";
import type { Broker, BrokerAsk } from "./broker/broker.ts";
import type { Request, Told, ToPlugin } from "./guest/frames.ts";
import type { Ending, Traffic } from "./judge.ts";
import { Requests } from "./traffic.ts";

/** What a plugin is given, and under which rules its requests stand. */
export interface CallSpec {
  readonly kind: "perform" | "reattach";
  readonly operation: string;
  readonly key: string;
  readonly try: number;
  /** JSON text. */
  readonly input: string;
  /** As it is told: `until` is what counts. */
  readonly timeoutMs: number;
  /** When its time is over, by `performance.now()`. */
  readonly until: number;
  readonly rules: Omit<BrokerAsk, "request" | "signal" | "until">;
  /** A line it logs; redacting is for whoever keeps it. */
  readonly line: (text: string) => void;
}
export interface Over {
  readonly ending: Ending;
  readonly traffic: Traffic;
}
export interface CallPlace {
  readonly number: number;
  readonly broker: Broker;
  readonly send: (frame: ToPlugin) => void;
}

/** One call in a plugin's process, from the moment it is given to it. It ends once; the first ending stands. */
export class Call {
  readonly over: Promise<Over>;
  readonly #spec: CallSpec;
  readonly #place: CallPlace;
  readonly #requests: Requests = new Requests();
  readonly #abort: AbortController = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #resolve: (over: Over) => void;
  #ended = false;
  #lastRequest = 0;
  #refused = 0;
  #lines = 0;

  constructor(spec: CallSpec, place: CallPlace) {
    const { kind, operation, key, try: nth, input } = spec;
    this.#spec = spec;
    this.#place = place;
    this.#timer = setTimeout(() => this.#timeOut(), Math.max(0, Math.ceil(spec.until - performance.now())));
    const { promise, resolve } = Promise.withResolvers<Over>();
    this.over = promise;
    this.#resolve = resolve;
    place.send({ frame: kind, call: place.number, operation, key, try: nth, input });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The plugin is told; what it says, and what its requests come to, still counts. */
  cancel(): void {
    if (!this.#ended) this.#place.send({ frame: "cancel", call: this.#place.number });
  }

  /** Of any request that is still under way the outcome is waited for: it decides what is known. */
  end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    if (ending.ended === "timed_out") this.#place.send({ frame: "cancel", call: this.#place.number });
    const closed = this.#requests.close();
    this.#abort.abort();
    void closed.then((traffic) => this.#resolve({ ending, traffic }));
  }

  line(text: string): string | undefined {
    this.#lines += 1;
    if (this.#lines > BOUNDS.logLines) return "more lines than it may log";
    this.#spec.line(text);
    return undefined;
  }

  /** Answers what is wrong with the plugin's process, if it could only come from one that breaks the rules. */
  request({ request, asked }: Request): string | undefined {
    if (request !== this.#lastRequest + 1) return "a request out of turn";
    this.#lastRequest = request;
    if (performance.now() >= this.#spec.until) {
      // Of a process that was stopped this is heard before its timers.
      this.#timeOut();
      return undefined;
    }
    if (this.#requests.inFlight < BOUNDS.requestsInFlight && this.#requests.count < BOUNDS.requestsPerCall) {
      void this.#ask(request, parsed(asked));
      return undefined;
    }
    this.#refused += 1;
    this.#tell(request, { ok: false, code: "WOML_EGRESS_BUSY", message: "More requests than a call may have.", ambiguous: false });
    return this.#refused > BOUNDS.requestsRefused ? "more requests than it may have" : undefined;
  }

  #timeOut(): void {
    this.end({ ended: "timed_out", afterMs: this.#spec.timeoutMs });
  }
  async #ask(request: number, asked: unknown): Promise<void> {
    const { rules, until } = this.#spec;
    const answer = this.#place.broker.request({ ...rules, request: asked, signal: this.#abort.signal, until });
    this.#tell(request, toldOf(await this.#requests.follow(asked, answer)));
  }
  #tell(request: number, told: Told): void {
    this.#place.send({ frame: "answer", call: this.#place.number, request, answer: JSON.stringify(told) });
  }
}

function toldOf(answer: BrokerAnswer): Told {
  if (answer.status === "answered") return { ok: true, response: answer.response };
  return { ok: false, code: answer.code, message: answer.message, ambiguous: answer.status === "ambiguous" };
}
/** What is no JSON is for the broker to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
