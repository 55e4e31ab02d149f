import type { Edge, Node } from "@woml/model";
import type { Document } from "../document.ts";
import { Outputs } from "../outputs.ts";
import type { Range } from "../source.ts";
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
  /** The same of a script that stands in an imported document. */
  readonly foreign: Map<string, { readonly document: Document; readonly start: number }> = new Map();
  /** By node id: each `<alias>.<operation>` that its script calls, and each secret it names, with its first place in the source. */
  readonly calls: Map<string, ReadonlyMap<string, Range>> = new Map();
  readonly secrets: Map<string, ReadonlyMap<string, Range>> = new Map();
  /** Outputs that are certain to exist where lowering has come to. */
  readonly outputs: Outputs = new Outputs();
  /** What `unsupported` (sdk/model) can name, such as `node:route` or `trigger:hook`, by its place in the source. */
  readonly subjects: Map<string, Range> = new Map();
  readonly document: Document;

  constructor(document: Document) {
    this.document = document;
  }
  /** The aliases of what is called. */
  get called(): ReadonlySet<string> {
    return new Set([...this.calls.values()].flatMap((calls) => [...calls.keys()]).map((call) => call.slice(0, call.indexOf("."))));
  }
  connect(from: string, to: string): void {
    this.edges.push({ from, to });
  }
}
