/**
 * PostgreSQL's time by the monotonic clock. A sample (its time `at`, seen here at `seen`) says that its clock stood at `at` or later by
 * then, so `now` is a little behind the truth and never before it: what is due by `now` is due by PostgreSQL too.
 */
export class Clock {
  readonly #monotonic: () => number;
  #offset = Number.NEGATIVE_INFINITY;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }
  /** A reading of PostgreSQL's clock: replaces what was known, also when that clock was set back. */
  set(at: number): void {
    this.#offset = at - this.#monotonic();
  }
  /** What the clock said during an append, which may stand before an older bound: it only ever moves the estimate forward. */
  raise(at: number): void {
    this.#offset = Math.max(this.#offset, at - this.#monotonic());
  }
  /** Epoch milliseconds, whole. */
  now(): number {
    return Math.floor(this.#monotonic() + this.#offset);
  }
}
