import type { Node } from "./definition.ts";
import { openers } from "./opener.ts";
import type { Links } from "./order.ts";
import { byText } from "./text.ts";

export interface Visibility {
  sees(id: string, output: string): boolean;
  list(id: string): readonly string[];
}
/** What all nodes of a loop's body see because the loop does. */
export interface Around {
  sees(output: string): boolean;
  list(): readonly string[];
}
export const NOTHING_AROUND: Around = { sees: () => false, list: () => [] };

/**
 * What every node sees, as one row of bits per node over the sorted ids that have an output: a set costs one bit a pair, so that a
 * chain of 5,000 nodes needs 3 MB and a few milliseconds. `order` is topological and the arms are well nested: therefore the
 * intersection at the end of a choice is what its opener sees, with that opener's own output (an approval's). Behind a join everything
 * is certain that leads to it: what its fork sees, and its joined branches.
 */
export function visibility(links: Links, order: readonly string[], around: Around): Visibility {
  const outputs = order.filter((id) => hasOutput(links.nodes.get(id))).sort(byText);
  const bit = new Map(outputs.map((id, at) => [id, at]));
  const rows = new Rows(order.length, outputs.length);
  const row = new Map(order.map((id, at) => [id, at]));
  const opens = openers(links);
  for (const [id, to] of row) {
    const opener = links.nodes.get(id)?.kind === "choice" ? opens.get(id) : undefined;
    const before = opener === undefined ? links.incoming(id).map((edge) => edge.from) : [opener];
    for (const from of before) {
      const other = row.get(from);
      if (other !== undefined) rows.unite(to, other);
      const own = bit.get(from);
      if (own !== undefined) rows.set(to, own);
    }
  }
  return {
    sees: (id, output) => rows.has(row.get(id), bit.get(output)) || around.sees(output),
    list: (id) => [...around.list(), ...outputs.filter((_, at) => rows.has(row.get(id), at))].sort(byText),
  };
}

/** Whether a reference can read what `node` yields. */
export function hasOutput(node: Node | undefined): boolean {
  switch (node?.kind) {
    case "step":
    case "approval":
    case "for-each":
      return true;
    case "choice":
      return node.results !== undefined;
    default:
      return false;
  }
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
