import type ivm from "isolated-vm";
import { BOUNDS } from "./bounds.ts";

/** Scripts and modules kept compiled in one isolate. */
const KEPT = 256;

interface Kept {
  readonly script: ivm.Script;
  readonly chars: number;
}

/** What an isolate has compiled, by what it is. Only `trim` gives anything up, so that all that one invocation needs is there together. */
export class Compiled {
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  get(key: string): ivm.Script | undefined {
    return this.#kept.get(key)?.script;
  }
  put(key: string, script: ivm.Script, chars: number): void {
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
