// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Clock } from "./clock.ts";
import type { Whole } from "./whole.ts";

export interface TimersParts {
  readonly own: Whole;
  readonly clock: Clock;
  /** A timer was set (`delayMs`) or taken back (null). */
  readonly emit: (timer: number, delayMs: number | null) => void;
  readonly maxTimers: number;
  readonly maxDelayMs: number;
}
interface Pending {
  readonly fn: unknown;
  readonly given: readonly unknown[];
  readonly due: number;
}

/** One-shot timers, numbered from 1 in the order they are set; the worker says when one fires. */
export class Timers {
  readonly #parts: TimersParts;
  readonly #pending: Record<number, Pending | undefined> = { __proto__: null } as unknown as Record<number, Pending | undefined>;
  readonly set: (fn: unknown, delay?: unknown, ...given: unknown[]) => number;
  readonly clear: (timer?: unknown) => void;
  #last = 0;

  constructor(parts: TimersParts) {
    this.#parts = parts;
    this.set = (fn, delay, ...given) => this.#set(fn, delay, given);
    this.clear = (timer) => this.#clear(timer);
  }

  /** Throws what the author's function throws. */
  fire(timer: number): void {
    const pending = this.#pending[timer];
    if (pending === undefined) return;
    delete this.#pending[timer];
    this.#parts.clock.move(pending.due);
    this.#parts.own.apply(pending.fn, undefined, pending.given);
  }

  #set(fn: unknown, delay: unknown, given: readonly unknown[]): number {
    const { own, clock, emit, maxTimers } = this.#parts;
    if (typeof fn !== "function") throw new own.TypeError("setTimeout needs a function.");
    const delayMs = this.#clamped(delay === undefined ? 0 : own.asNumber(delay));
    if (this.#last >= maxTimers) {
      const error = new own.RangeError(`More than ${maxTimers} timers in one attempt.`);
      own.define(error, "code", { value: "WOML_TIMER_LIMIT", enumerable: true });
      throw error;
    }
    this.#last += 1;
    this.#pending[this.#last] = { fn, given, due: clock.now + delayMs };
    emit(this.#last, delayMs);
    return this.#last;
  }
  #clamped(delay: number): number {
    if (!(delay > 0)) return 0;
    const { maxDelayMs } = this.#parts;
    return delay < maxDelayMs ? delay - (delay % 1) : maxDelayMs;
  }
  #clear(timer: unknown): void {
    if (typeof timer !== "number" || this.#pending[timer] === undefined) return;
    delete this.#pending[timer];
    this.#parts.emit(timer, null);
  }
}
