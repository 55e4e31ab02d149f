import type { Edge, Node } from "@woml/model";
import type { Document } from "../document.ts";
import { Outputs } from "../outputs.ts";
import type { Bundle } from "../project.ts";
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
  readonly scripts: Map<string, number>;
  /** The same of a script that stands in an imported document. */
  readonly foreign: Map<string, { readonly document: Document; readonly start: number }>;
  /** By node id: each `<alias>.<operation>` that its script calls, and each secret it names, with its first place in the source. */
  readonly calls: Map<string, ReadonlyMap<string, Range>>;
  readonly secrets: Map<string, ReadonlyMap<string, Range>>;
  /** By digest: each JavaScript module that a script uses, and where the first does. */
  readonly modules: Map<string, { readonly bundle: Bundle; readonly place: Range }>;
  /** Outputs that are certain to exist where lowering has come to. */
  readonly outputs: Outputs;
  /** What `unsupported` (sdk/model) can name, such as `node:route` or `trigger:hook`, by its place in the source. */
  readonly subjects: Map<string, Range>;
  readonly document: Document;
  readonly #unnamed: { count: number };

  /** `outer`: the draft around a graph of its own. All but the graph is shared with it. */
  constructor(document: Document, outer?: Draft) {
    this.document = document;
    this.scripts = outer?.scripts ?? new Map();
    this.foreign = outer?.foreign ?? new Map();
    this.calls = outer?.calls ?? new Map();
    this.secrets = outer?.secrets ?? new Map();
    this.modules = outer?.modules ?? new Map();
    this.outputs = outer?.outputs ?? new Outputs();
    this.subjects = outer?.subjects ?? new Map();
    this.#unnamed = outer ? outer.#unnamed : { count: 0 };
  }
  /** The aliases of what is called. */
  get called(): ReadonlySet<string> {
    return new Set([...this.calls.values()].flatMap((calls) => [...calls.keys()]).map((call) => call.slice(0, call.indexOf("."))));
  }
  /** For a graph of its own inside this one. */
  inner(): Draft {
    return new Draft(this.document, this);
  }
  /** A node, and the element it is made of. */
  add(node: Node, { openRange }: Element): void {
    this.nodes.push(node);
    this.subjects.set(`node:${node.id}`, openRange);
  }
  /** `arm`: what the edge is live for, when it leaves something that selects. */
  connect(from: string, to: string, arm?: string): void {
    this.edges.push({ from, to, ...(arm !== undefined && { arm }) });
  }
  /** The id of a choice that the author gave none: its number among those of the document. */
  unnamed(): string {
    this.#unnamed.count += 1;
    return `choice:${this.#unnamed.count}`;
  }
}
