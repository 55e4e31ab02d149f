// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Clock } from "./clock.ts";
import type { Own } from "./own.ts";

export interface TimersParts {
  readonly own: Own;
  readonly clock: Clock;
  /** A timer was set (`delayMs`) or taken back (null). */
  readonly emit: (timer: number, delayMs: number | null) => void;
  readonly maxTimers: number;
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
  #last = 0;
  #maxDelayMs = 0;

  constructor(parts: TimersParts) {
    this.#parts = parts;
    const { define } = parts.own;
    const binding = { writable: false, enumerable: false, configurable: false };
    define(globalThis, "setTimeout", {
      value: (fn: unknown, delay?: unknown, ...given: unknown[]) => this.#set(fn, delay, given),
      ...binding,
    });
    define(globalThis, "clearTimeout", { value: (timer?: unknown) => this.#clear(timer), ...binding });
  }

  allow(maxDelayMs: number): void {
    this.#maxDelayMs = maxDelayMs;
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
    return delay < this.#maxDelayMs ? delay - (delay % 1) : this.#maxDelayMs;
  }
  #clear(timer: unknown): void {
    if (typeof timer !== "number" || this.#pending[timer] === undefined) return;
    delete this.#pending[timer];
    this.#parts.emit(timer, null);
  }
}
