/** Chance that can be had again: the same seed draws the same. */
export class Chance {
  #state: number;

  constructor(seed: number, at: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b);
  }

  /** A whole number from 0, below `end`; 0 where there is none. */
  below(end: number): number {
    return end <= 0 ? 0 : this.#next() % end;
  }

  /** Once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  one<T>(list: readonly [T, ...T[]]): T;
  one<T>(list: readonly T[]): T | undefined;
  one<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)];
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
