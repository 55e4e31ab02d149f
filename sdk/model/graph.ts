import type { Definition, Node } from "./definition.ts";
import type { Edge } from "./edge.ts";
import { type Arm, nesting, openers } from "./nesting.ts";
import { link, normalise, topological } from "./order.ts";
import { byText } from "./text.ts";
import { visibility } from "./visibility.ts";

/** A definition indexed for walking. Every list is sorted by id, so that nothing depends on the order of the JSON. */
export interface Graph {
  readonly definition: Definition;
  /** Nodes without an incoming edge: they start with the run. */
  readonly entries: readonly string[];
  /** Nodes without an outgoing edge. None stands in an arm, so each of them completes; when all have, every node is settled or skipped. */
  readonly terminals: readonly string[];
  /** Throws for an id that the definition does not have; so does every question below that must answer about one. */
  node(id: string): Node;
  has(id: string): boolean;
  incoming(id: string): readonly Edge[];
  outgoing(id: string): readonly Edge[];
  /**
   * Ids with an output (steps, choices) that have surely completed when `id` starts: the union over its predecessors, but at the end
   * of a choice the intersection. This is what a reference or a script in `id` can see. Sorted.
   */
  visible(id: string): readonly string[];
  /** Whether `output` is among `visible(id)`, without making the list. */
  sees(id: string, output: string): boolean;
  /** The child steps of a parallel group, by the id of the node that ends it. */
  children(parallel: string): readonly string[];
  /** The parallel group of which `step` is a child. */
  parallelOf(step: string): string | null;
  /** The select of a choice, the open node of a parallel. */
  openerOf(group: string): string;
  /** The innermost arm that a node stands in; null outside all. A select and its choice stand in the arm around them. */
  armOf(id: string): Arm | null;
}

/** `definition` has been accepted. Linear in nodes and edges; what nodes see and where they stand is computed when first asked for. */
export function graph(definition: Definition): Graph {
  const links = link(normalise(definition));
  const ids = [...links.nodes.keys()];
  const opens = openers(links);
  const order = once(() => topological(links));
  const seen = once(() => visibility(links, order()));
  const arms = once(() => nesting(links, order()).arms);
  const node = (id: string): Node => links.nodes.get(id) ?? unknown(id);
  const openerOf = (group: string): string => opens.get(group) ?? unknown(group);
  return {
    definition,
    entries: ids.filter((id) => links.incoming(id).length === 0).sort(byText),
    terminals: ids.filter((id) => links.outgoing(id).length === 0).sort(byText),
    node,
    has: (id) => links.nodes.has(id),
    incoming: links.incoming,
    outgoing: links.outgoing,
    visible: (id) => seen().list(node(id).id),
    sees: (id, output) => seen().sees(node(id).id, output),
    children: (parallel) => links.outgoing(openerOf(parallel)).map((edge) => edge.to),
    parallelOf: (step) => {
      const opener = links.nodes.get(links.incoming(step)[0]?.from ?? "");
      return opener?.kind === "open" ? opener.parallel : null;
    },
    openerOf,
    armOf: (id) => arms().get(node(id).id) ?? null,
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function unknown(id: string): never {
  throw new Error(`the definition has no node ${id}`);
}
