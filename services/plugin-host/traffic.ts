import { BOUNDS } from "./bounds.ts";
import type { BrokerAnswer } from "./broker/answer.ts";
import type { Traffic } from "./judge.ts";

const SHOWN = 8;
const LONGEST_METHOD = 16;
/** A name and its port: no name that is longer can be looked up. */
const LONGEST_HOST = 259;
const UNHEARD: BrokerAnswer = { status: "ambiguous", code: "WOML_EGRESS_ANSWER_LOST", message: "It did not end when it was told to." };

/** The requests of one call. Nothing that the plugin says goes in here but where it wanted to go. */
export class Requests {
  readonly #open = new Set<Promise<void>>();
  readonly #curable = new Set<string>();
  readonly #lines: string[] = [];
  #count = 0;
  #left = false;
  #ambiguous = false;
  #over = false;

  get inFlight(): number {
    return this.#open.size;
  }
  /** Of all that were let through. */
  get count(): number {
    return this.#count;
  }

  async follow(asked: unknown, answer: Promise<BrokerAnswer>): Promise<BrokerAnswer> {
    this.#count += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.add(promise);
    const told = await answer;
    this.#take(lineOf(asked), told);
    this.#open.delete(promise);
    resolve();
    return told;
  }

  /** From here on the plugin waits for no answer: what yet comes back from the world, it has not seen. */
  async close(): Promise<Traffic> {
    this.#over = true;
    if (this.#open.size > 0 && !(await within(BOUNDS.abortMs, Promise.all(this.#open)))) this.#take("a request", UNHEARD);
    return { asked: this.#count > 0, left: this.#left, ambiguous: this.#ambiguous, curable: this.#curable, summary: this.#summary() };
  }

  #take(line: string, answer: BrokerAnswer): void {
    const back = answer.status === "answered";
    this.#left ||= back || answer.status === "ambiguous";
    this.#ambiguous ||= answer.status === "ambiguous" || (back && this.#over);
    if (answer.status === "failed" && answer.retryable) this.#curable.add(answer.code);
    if (this.#lines.length < SHOWN) this.#lines.push(`${line}: ${answer.status === "answered" ? answer.response.status : answer.code}`);
  }
  #summary(): string {
    if (this.#count === 0) return "It asked for nothing.";
    const more = this.#count > SHOWN ? `; ${this.#count - SHOWN} more` : "";
    return `${this.#lines.join("; ")}${more}`;
  }
}

function lineOf(asked: unknown): string {
  const { method, url } = typeof asked === "object" && asked !== null ? (asked as { method?: unknown; url?: unknown }) : {};
  const host = typeof url === "string" ? URL.parse(url)?.host : undefined;
  // Whole or not at all: a part of a secret would not be found any more.
  const [verb, place] = [typeof method === "string" ? method : "GET", host ?? "nowhere"];
  return `${verb.length > LONGEST_METHOD ? "?" : verb} ${place.length > LONGEST_HOST ? "nowhere" : place}`;
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  void work.then(() => resolve(true));
  const done = await promise;
  clearTimeout(timer);
  return done;
}
