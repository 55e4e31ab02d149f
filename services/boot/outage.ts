const SAY_EVERY_MS = 10_000;

/** What is said of something that fails and works again: each time once, and no more than once in ten seconds, however fast it comes and goes. */
export class Outage {
  #isSaid = false;
  #saidAt: number = Number.NEGATIVE_INFINITY;

  /** It fails, or fails still. */
  fails(say: () => void): void {
    const now = performance.now();
    if (this.#isSaid || now - this.#saidAt < SAY_EVERY_MS) return;
    [this.#isSaid, this.#saidAt] = [true, now];
    say();
  }
  /** It works. */
  works(say: () => void): void {
    if (!this.#isSaid) return;
    this.#isSaid = false;
    say();
  }
}
