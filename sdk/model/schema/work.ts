/** What judging one payload may cost at most: a step is a keyword that is looked at, a state of a pattern at one character, or some bytes compared. */
const STEPS = 5_000_000;
/** To enter a schema takes as long as so many others. */
const SCHEMA = 3;
/** Schemas within schemas, references followed: the judge recurses. */
const DEPTH = 1_000;

/** Judging costs too much, or goes round in a circle. Not an Error, which would keep a stack. */
export class Exhausted {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** What is left to be spent. */
export class Work {
  readonly #most: number;
  #left: number;

  constructor(most: number = STEPS) {
    this.#most = most;
    this.#left = most;
  }

  /** So many steps were taken. */
  get spent(): number {
    return this.#most - this.#left;
  }

  /** Throws `Exhausted` when there is not so much left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Exhausted(`takes more than ${this.#most} steps`);
  }

  enter(depth: number): void {
    this.spend(SCHEMA);
    if (depth > DEPTH) throw new Exhausted(`leads through more than ${DEPTH} schemas within one another`);
  }
}
