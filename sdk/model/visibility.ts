import { openers } from "./nesting.ts";
import type { Links } from "./order.ts";
import { byText } from "./text.ts";

export interface Visibility {
  sees(id: string, output: string): boolean;
  list(id: string): readonly string[];
}

/**
 * What every node sees, as one row of bits per node over the sorted ids that have an output: a set costs one bit a pair, so that a
 * chain of 5,000 nodes needs 3 MB and a few milliseconds. `order` is topological and the arms are well nested: therefore the
 * intersection at the end of a choice is what its select sees.
 */
export function visibility(links: Links, order: readonly string[]): Visibility {
  const outputs = order.filter((id) => hasOutput(links, id)).sort(byText);
  const bit = new Map(outputs.map((id, at) => [id, at]));
  const rows = new Rows(order.length, outputs.length);
  const row = new Map(order.map((id, at) => [id, at]));
  const selects = openers(links);
  for (const [id, to] of row) {
    if (links.nodes.get(id)?.kind === "choice") {
      const from = row.get(selects.get(id) ?? "");
      if (from !== undefined) rows.unite(to, from);
      continue;
    }
    for (const edge of links.incoming(id)) {
      const from = row.get(edge.from);
      if (from !== undefined) rows.unite(to, from);
      const own = bit.get(edge.from);
      if (own !== undefined) rows.set(to, own);
    }
  }
  return {
    sees: (id, output) => rows.has(row.get(id), bit.get(output)),
    list: (id) => outputs.filter((_, at) => rows.has(row.get(id), at)),
  };
}

export function hasOutput(links: Links, id: string): boolean {
  const kind = links.nodes.get(id)?.kind;
  return kind === "step" || kind === "choice";
}

class Rows {
  readonly #width: number;
  readonly #words: Uint32Array;

  constructor(count: number, bits: number) {
    this.#width = (bits + 31) >>> 5;
    this.#words = new Uint32Array(count * this.#width);
  }
  set(row: number, bit: number): void {
    const at = row * this.#width + (bit >>> 5);
    this.#words[at] = (this.#words[at] ?? 0) | (1 << (bit & 31));
  }
  has(row: number | undefined, bit: number | undefined): boolean {
    if (row === undefined || bit === undefined) return false;
    return (((this.#words[row * this.#width + (bit >>> 5)] ?? 0) >>> (bit & 31)) & 1) === 1;
  }
  unite(row: number, other: number): void {
    const to = row * this.#width;
    const from = other * this.#width;
    for (let i = 0; i < this.#width; i++) this.#words[to + i] = (this.#words[to + i] ?? 0) | (this.#words[from + i] ?? 0);
  }
}
