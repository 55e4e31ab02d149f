import { Lines } from "./lines.ts";

/** A word that is written with escapes is searched for through the whole line, in vain. */
const MOST_MISSED = 100;

/** A line that has lost types. `next`: where in it the last word that was looked for ended; words are looked for in their order. */
interface Changed {
  readonly from: number;
  readonly was: string;
  at: number;
  next: number;
  missed: number;
}

/** Finds what stands in a source without its types in the source as it was read: both have the same lines. */
export class Origin {
  readonly #original: string;
  readonly #text: string;
  #lines: { readonly original: Lines; readonly text: Lines } | null = null;
  readonly #changed = new Map<number, Changed | null>();

  constructor(original: string, text: string) {
    this.#original = original;
    this.#text = text;
  }

  /** Where `word`, which stands at `at` in the text, stands in the original; where the line begins when it has changed and holds no such word. */
  offset(at: number, word: string): number {
    if (this.#original === this.#text) return at;
    this.#lines ??= { original: new Lines(this.#original), text: new Lines(this.#text) };
    const line = this.#lines.text.lineOf(at);
    const changed = this.#changedAt(line, this.#lines);
    if (!changed) return this.#lines.original.startOf(line) + at - this.#lines.text.startOf(line);
    if (changed.missed >= MOST_MISSED) return changed.from;
    const found = word === "" ? 0 : changed.was.indexOf(word, at > changed.at ? changed.next : 0);
    if (found < 0) {
      changed.missed += 1;
      return changed.from;
    }
    changed.at = at;
    changed.next = found + word.length;
    return changed.from + found;
  }

  #changedAt(line: number, { original, text }: { readonly original: Lines; readonly text: Lines }): Changed | null {
    const known = this.#changed.get(line);
    if (known !== undefined) return known;
    const was = original.line(line);
    const changed = was === text.line(line) ? null : { from: original.startOf(line), was, at: -1, next: 0, missed: 0 };
    this.#changed.set(line, changed);
    return changed;
  }
}
