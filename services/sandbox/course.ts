/**
 * The course of one invocation: what its script is given next, and whether it does what its journal says.
 * 1. `next` is asked only while no turn runs: one thing is given at a time, and a call is heard before its turn has ended.
 * 2. While the journal lasts, nothing is given but what it says next; a call at any other point is a divergence.
 * 3. After it answers are given in the order they came, and timers when they are due; of the two, what came first.
 * 4. An answer is given once, and only to a call that was made.
 * Times: `nowMs` is this process's clock, that of answers and timers inside the script is virtual and only moves with them.
 */
import type { Answer, Given, JournalEntry } from "./frames.ts";

export type Told = Pick<Answer, "call" | "text" | "at">;
export type Next =
  | { readonly give: "answer"; readonly answer: Told }
  | { readonly give: "timer"; readonly timer: number }
  | { readonly diverged: string }
  /** Nothing now; `dueMs`: when the first timer is. */
  | { readonly dueMs: number | undefined };
interface Timer {
  readonly due: number;
  /** By this process's clock; absent while the journal lasts. */
  dueMs: number | undefined;
}

export class Course {
  readonly #journal: readonly JournalEntry[];
  #at = 0;
  #now: number;
  #calls = 0;
  #live = false;
  readonly #open = new Set<number>();
  /** Not told yet, in the order they came. */
  readonly #answers = new Map<number, { readonly told: Told; readonly cameMs: number }>();
  readonly #timers = new Map<number, Timer>();
  #given: Given[] = [];

  constructor({ journal = [], startedAt }: { readonly journal?: readonly JournalEntry[]; readonly startedAt: number }) {
    this.#journal = journal;
    this.#now = startedAt;
  }

  get calls(): number {
    return this.#calls;
  }
  /** Calls without an answer, in their order. */
  get open(): readonly number[] {
    return [...this.#open];
  }
  /** It has nothing to wait for but answers that have not come. */
  get onlyWaits(): boolean {
    const held = [...this.#answers.keys()].some((call) => this.#open.has(call));
    return this.#at === this.#journal.length && this.#timers.size === 0 && this.#open.size > 0 && !held;
  }
  /** What of the journal a script that has ended never did. */
  get missed(): string | undefined {
    const entry = this.#journal[this.#at];
    return entry === undefined ? undefined : `it ended before ${worded(entry)}`;
  }

  /** The script's next call: what it had been given since the one before, or what the journal has in its place. */
  call(): readonly Given[] | { readonly diverged: string } {
    this.#calls += 1;
    const entry = this.#journal[this.#at];
    if (entry !== undefined && !("call" in entry && entry.call === this.#calls))
      return { diverged: `call ${this.#calls} came before ${worded(entry)}` };
    if (entry !== undefined) this.#at += 1;
    this.#open.add(this.#calls);
    const given = this.#given;
    this.#given = [];
    return given;
  }
  set(timer: number, delayMs: number, nowMs: number): void {
    this.#timers.set(timer, { due: this.#now + delayMs, dueMs: this.#live ? nowMs + delayMs : undefined });
  }
  clear(timer: number): void {
    this.#timers.delete(timer);
  }
  /** A second answer to a call is none. */
  came(told: Told, nowMs: number): void {
    const wasTold = told.call <= this.#calls && !this.#open.has(told.call);
    if (!wasTold && !this.#answers.has(told.call)) this.#answers.set(told.call, { told, cameMs: nowMs });
  }

  next(nowMs: number): Next {
    const entry = this.#journal[this.#at];
    if (entry === undefined) return this.#freely(nowMs);
    if ("call" in entry) return { diverged: `${worded(entry)} did not come` };
    if ("timer" in entry) {
      if (!this.#timers.has(entry.timer)) return { diverged: `there is no ${worded(entry)}` };
      this.#at += 1;
      return this.#fire(entry.timer);
    }
    if (!this.#open.has(entry.answer)) return { diverged: `there is no call for ${worded(entry)}` };
    const answer = this.#answers.get(entry.answer);
    if (answer === undefined) return { dueMs: undefined };
    this.#at += 1;
    return this.#tell(answer.told);
  }

  #freely(nowMs: number): Next {
    if (!this.#live) this.#begin(nowMs);
    const timer = this.#firstTimer();
    const answer = [...this.#answers.values()].find(({ told }) => this.#open.has(told.call));
    const isDue = timer !== undefined && timer.dueMs <= nowMs;
    if (answer !== undefined && !(isDue && timer.dueMs < answer.cameMs)) return this.#tell(answer.told);
    return isDue ? this.#fire(timer.id) : { dueMs: timer?.dueMs };
  }
  /** From here on timers run: what of their delay has not passed by the script's own time is still before them. */
  #begin(nowMs: number): void {
    this.#live = true;
    for (const timer of this.#timers.values()) timer.dueMs = nowMs + Math.max(0, timer.due - this.#now);
  }
  #firstTimer(): { readonly id: number; readonly dueMs: number } | undefined {
    let first: { readonly id: number; readonly dueMs: number } | undefined;
    for (const [id, { dueMs = 0 }] of this.#timers) if (first === undefined || dueMs < first.dueMs) first = { id, dueMs };
    return first;
  }

  #tell(answer: Told): Next {
    this.#answers.delete(answer.call);
    this.#open.delete(answer.call);
    this.#move(answer.at);
    this.#given.push({ answer: answer.call });
    return { give: "answer", answer };
  }
  #fire(timer: number): Next {
    this.#move(this.#timers.get(timer)?.due ?? 0);
    this.#timers.delete(timer);
    this.#given.push({ timer });
    return { give: "timer", timer };
  }
  #move(at: number): void {
    this.#now = Math.max(this.#now, at);
  }
}

function worded(entry: JournalEntry): string {
  if ("call" in entry) return `call ${entry.call}`;
  return "timer" in entry ? `timer ${entry.timer}` : `the answer to call ${entry.answer}`;
}
