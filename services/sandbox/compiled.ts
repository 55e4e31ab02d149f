import { BOUNDS } from "./bounds.ts";

/** Scripts and modules kept compiled in one isolate: those of a workflow of a thousand steps are all there when its next run comes. */
const KEPT = 1_024;

interface Releasable {
  release(): void;
}
interface Kept<S> {
  readonly script: S;
  readonly chars: number;
}

/** What an isolate has compiled, by what it is. Only `trim` gives anything up, so that all that one invocation needs is there together. */
export class Compiled<S extends Releasable> {
  readonly #kept = new Map<string, Kept<S>>();
  #chars = 0;

  get(key: string): S | undefined {
    return this.#kept.get(key)?.script;
  }
  put(key: string, script: S, chars: number): void {
    this.#kept.set(key, { script, chars });
    this.#chars += chars;
  }
  /** The oldest go first. Between two invocations: what runs is not given up. */
  trim(): void {
    for (const [oldest, { script, chars }] of this.#kept) {
      if (this.#kept.size < KEPT && this.#chars <= BOUNDS.compiledChars) return;
      this.#kept.delete(oldest);
      this.#chars -= chars;
      script.release();
    }
  }
}
