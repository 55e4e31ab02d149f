import type { Position, Span } from "./diagnostic.ts";

export { printable, quoted } from "@woml/model/laws";

/** Half open, in UTF-16 code units of the text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds lines and columns in a text: one pass to index its line feeds, then a binary search for each place. */
export class Places {
  readonly #lines: number[] = [0];
  readonly #end: number;

  constructor(text: string) {
    this.#end = text.length;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#lines.push(at + 1);
  }

  position(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.#end));
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#lines[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#lines[low] ?? 0) + 1, offset: at };
  }

  span(range: Range): Span {
    return { start: this.position(range.start), end: this.position(range.end) };
  }
}

const width = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

/** Length in bytes of UTF-8. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += width(character.codePointAt(0) ?? 0);
  return bytes;
}

/** Where `text` passes `limit` bytes of UTF-8; null when it does not. Reads no further than that. */
export function overrun(text: string, limit: number): number | null {
  if (text.length * 3 <= limit) return null;
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    bytes += width(code);
    if (bytes > limit) return at;
    at += code > 0xffff ? 2 : 1;
  }
  return null;
}

/** Every place of U+0000 and of half a surrogate pair. */
export function* strayCharacters(text: string): Generator<Range> {
  // With the u flag a pair is one character, so that \p{Cs} is always half of one.
  for (const { index } of text.matchAll(/\0|\p{Cs}/gu)) yield { start: index, end: index + 1 };
}

/** The part of `range` without blanks at its ends; null when nothing else is there. */
export function trimmed(text: string, range: Range): Range | null {
  const part = text.slice(range.start, range.end);
  const start = range.start + part.length - part.trimStart().length;
  const end = range.end - (part.length - part.trimEnd().length);
  return start < end ? { start, end } : null;
}
