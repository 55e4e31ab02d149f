/** Finds what stands in a source without its types in the source as it was read: both have the same lines. */
export class Origin {
  readonly #original: string;
  readonly #text: string;
  #starts: readonly (readonly number[])[] | null = null;

  constructor(original: string, text: string) {
    this.#original = original;
    this.#text = text;
  }

  /** Where `word`, which stands at `at` in the text, stands in the original; where the line begins when the line has changed and holds no such word. */
  offset(at: number, word: string): number {
    if (this.#original === this.#text) return at;
    this.#starts ??= [starts(this.#original), starts(this.#text)];
    const [before = [], after = []] = this.#starts;
    const line = lineOf(after, at);
    const [from, start] = [before[line] ?? 0, after[line] ?? 0];
    const was = this.#original.slice(from, before[line + 1] ?? this.#original.length);
    if (was === this.#text.slice(start, after[line + 1] ?? this.#text.length)) return from + at - start;
    return from + Math.max(0, word === "" ? 0 : was.indexOf(word));
  }
}

function starts(text: string): readonly number[] {
  const found = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) found.push(at + 1);
  return found;
}

function lineOf(list: readonly number[], at: number): number {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((list[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
