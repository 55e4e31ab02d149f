import type { Position } from "./diagnostic.ts";

/** Where the lines of a text begin: one pass, then a binary search for each place. */
export class Lines {
  readonly #starts: number[] = [0];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }
  /** The number of a line, from 0. */
  lineOf(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  startOf(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }
  position(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.#text.length));
    const line = this.lineOf(at);
    return { line: line + 1, column: at - this.startOf(line) + 1, offset: at };
  }
  line(line: number): string {
    return this.#text.slice(this.startOf(line), this.startOf(line + 1));
  }
}

/** What ends a line of JavaScript. */
const ENDS = /\r\n|[\n\r\u2028\u2029]/g;

/** As many spaces, on the same lines. */
export const blank = (text: string): string => text.replace(/[^\n\r\u2028\u2029]/g, " ");

export const countLineEnds = (text: string): number => text.match(ENDS)?.length ?? 0;
