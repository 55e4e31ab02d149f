import type { Json } from "@woml/model";
import type { Invocation, JournalEntry, ScriptCall, ScriptOutcome } from "@woml/sandbox";

/** What a script is told of a call. */
export type Told =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly retryable: boolean; readonly ambiguous: boolean };
export type Sleep = (ms: number) => Promise<void>;
type Given = Exclude<JournalEntry, { readonly call: number }>;
/** A script that has not moved for so long will not. */
const STILL_MS = 50;
interface Outside {
  readonly call: (call: ScriptCall) => void;
  readonly sleep: Sleep;
  readonly end: (outcome: ScriptOutcome) => void;
}

/** A script's side of its calls, as the worker keeps it: one thing is told at a time, in the order of the journal while there is one. */
export class Talk {
  readonly #outside: Outside;
  readonly #parkAfterMs: number | undefined;
  readonly #journal: JournalEntry[];
  readonly #answers = new Map<number, Told>();
  readonly #arrived: Given[] = [];
  readonly #waiting = new Map<string, (told: Told) => void>();
  #seen: Given[] = [];
  #calls = 0;
  #timers = 0;
  #ticking = 0;
  #open = 0;
  #moves = 0;
  #isPumping = false;
  #isClosed = false;

  constructor({ journal = [], parkAfterMs }: Invocation, outside: Outside) {
    this.#outside = outside;
    this.#journal = [...journal];
    this.#parkAfterMs = parkAfterMs;
  }
  /** How many calls it has made. */
  get calls(): number {
    return this.#calls;
  }
  /** Calls without an answer, in their order. */
  get open(): readonly number[] {
    return Array.from({ length: this.#calls }, (_, at) => at + 1).filter((call) => this.#waiting.has(`answer ${call}`));
  }
  /** Its journal goes on. */
  get isBehind(): boolean {
    return this.#journal.length > 0;
  }
  call(operation: string, input: Json, name: string | null = null): Promise<Told> {
    this.#calls += 1;
    this.#open += 1;
    const call = this.#calls;
    const [next] = this.#journal;
    if (next !== undefined && !("call" in next)) this.#diverge(`call ${call} comes before what it had seen`);
    if (next !== undefined) this.#journal.shift();
    if (!this.#isClosed) this.#outside.call({ call, operation, name, input: JSON.stringify(input), seen: this.#seen });
    this.#seen = [];
    return this.#told(`answer ${call}`);
  }
  async timer(ms: number): Promise<void> {
    this.#timers += 1;
    this.#ticking += 1;
    const timer = this.#timers;
    const fired = this.#told(`timer ${timer}`);
    void this.#outside.sleep(ms).then(() => this.#arrive({ timer }));
    await fired;
  }
  answer({ call, text }: { readonly call: number; readonly text: string }): void {
    this.#answers.set(call, JSON.parse(text));
    this.#arrive({ answer: call });
  }
  close(): void {
    this.#isClosed = true;
  }

  #told(moment: string): Promise<Told> {
    const { promise, resolve } = Promise.withResolvers<Told>();
    this.#waiting.set(moment, resolve);
    void this.#pump();
    return promise;
  }
  #arrive(given: Given): void {
    this.#arrived.push(given);
    void this.#pump();
  }
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (;;) {
      await this.#outside.sleep(0);
      const next = this.#next();
      if (next === null || this.#isClosed) break;
      this.#moves += 1;
      this.#seen.push(next);
      const told: Told = "answer" in next ? (this.#answers.get(next.answer) ?? gone) : { ok: true, value: null };
      if ("answer" in next) this.#open -= 1;
      else this.#ticking -= 1;
      this.#waiting.get(momentOf(next))?.(told);
      this.#waiting.delete(momentOf(next));
    }
    this.#isPumping = false;
    void this.#watch();
  }
  /** What may be told now: what the journal says, or else what came first. Timers of the journal fire at once. */
  #next(): Given | null {
    const [entry] = this.#journal;
    if (entry !== undefined) {
      if ("call" in entry || !this.#waiting.has(momentOf(entry)) || ("answer" in entry && !this.#answers.has(entry.answer))) return null;
      this.#journal.shift();
      const at = this.#arrived.findIndex((one) => momentOf(one) === momentOf(entry));
      if (at >= 0) this.#arrived.splice(at, 1);
      return entry;
    }
    const at = this.#arrived.findIndex((one) => this.#waiting.has(momentOf(one)));
    return at < 0 ? null : (this.#arrived.splice(at, 1)[0] ?? null);
  }
  /** Stands still before its journal is played, or only waits for answers for too long: given up. */
  async #watch(): Promise<void> {
    const moves = ++this.#moves;
    if (this.#journal.length > 0) {
      await this.#outside.sleep(STILL_MS);
      if (this.#moves === moves) this.#diverge("nothing moves, and its journal goes on");
    }
    if (this.#parkAfterMs === undefined || this.#open === 0 || this.#ticking > 0) return;
    await this.#outside.sleep(this.#parkAfterMs);
    if (this.#moves === moves && this.#open > 0 && this.#ticking === 0)
      this.#outside.end({ outcome: "waiting", cpuMs: 1, ms: this.#parkAfterMs });
  }
  #diverge(detail: string): void {
    this.#outside.end({ outcome: "diverged", detail, cpuMs: 0, ms: 0 });
  }
}

const gone: Told = { ok: false, code: "GONE", message: "", retryable: false, ambiguous: false };
const momentOf = (given: Given): string => ("answer" in given ? `answer ${given.answer}` : `timer ${given.timer}`);
