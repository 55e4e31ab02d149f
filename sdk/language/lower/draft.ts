import type { Edge, Node } from "@woml/model";
import { Outputs } from "../outputs.ts";
import type { Reading } from "../script/reading.ts";
import type { Element } from "../tree.ts";

/** Where the flow enters an item and where it leaves it. */
export interface Ends {
  readonly entry: string;
  readonly exit: string;
}
/** Lowers the items of a flow in their order; null when there are none. */
export type LowerFlow = (items: readonly Element[], draft: Draft) => Ends | null;

/** A definition in the making. Everything that is lowered has passed the rules. */
export class Draft {
  readonly nodes: Node[] = [];
  readonly edges: Edge[] = [];
  /** By node id: offset of its script's first character in the source. */
  readonly scripts: Map<string, number> = new Map();
  /** Outputs that are certain to exist where lowering has come to. */
  readonly outputs: Outputs = new Outputs();
  readonly read: (script: Element) => Reading;

  constructor(read: (script: Element) => Reading) {
    this.read = read;
  }
  connect(from: string, to: string): void {
    this.edges.push({ from, to });
  }
}
