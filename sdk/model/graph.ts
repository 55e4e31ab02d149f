import type { Definition, Node } from "./definition.ts";
import type { Edge } from "./edge.ts";
import type { Flow } from "./flow.ts";
import { type Arm, nesting } from "./nesting.ts";
import { normalise } from "./normalise.ts";
import { openers } from "./opener.ts";
import { type Links, link, topological } from "./order.ts";
import { byText } from "./text.ts";
import { type Around, NOTHING_AROUND, visibility } from "./visibility.ts";

/** A definition indexed for walking, or the body of one of its loops. Every list is sorted by id: nothing depends on the order of the JSON. */
export interface Graph {
  readonly definition: Definition;
  /** Nodes without an incoming edge: they start with the run. */
  readonly entries: readonly string[];
  /**
   * Nodes without an outgoing edge. In an arm or a branch stand only those of branches that no join waits for. When all terminals are
   * settled or skipped, every node is.
   */
  readonly terminals: readonly string[];
  /** Throws for an id that the definition does not have; so does every question below that must answer about one. */
  node(id: string): Node;
  has(id: string): boolean;
  incoming(id: string): readonly Edge[];
  outgoing(id: string): readonly Edge[];
  /**
   * Ids with an output (steps, choices with results, approvals, loops) that have surely completed when `id` starts: the union over its
   * predecessors, but at the end of a choice what its opener sees. This is what a reference or a script in `id` can see. Sorted.
   */
  visible(id: string): readonly string[];
  /** Whether `output` is among `visible(id)`, without making the list. */
  sees(id: string, output: string): boolean;
  /** The child steps of a parallel group, by the id of the node that ends it. */
  children(parallel: string): readonly string[];
  /** The parallel group of which `step` is a child. */
  parallelOf(step: string): string | null;
  /** What opens the choice, parallel or fork that `end` ends. */
  openerOf(end: string): string;
  /** The innermost arm or branch that a node stands in; null outside all. An opener and its end stand in the arm around them. */
  armOf(id: string): Arm | null;
  /** The body of a for-each, as a graph of its own: its nodes see what the loop sees too. */
  body(loop: string): Graph;
  /** The loop in whose body `id` stands; null for a node of this graph itself, and for what is none. */
  loopOf(id: string): string | null;
}

/** `definition` has been accepted. Linear in nodes and edges; what nodes see and where they stand is computed when first asked for. */
export function graph(definition: Definition): Graph {
  const normal = normalise(definition);
  return walk(normal, normal, NOTHING_AROUND);
}

function walk(definition: Definition, flow: Flow, around: Around): Graph {
  const links = link(flow);
  const opens = openers(links);
  const order = once(() => topological(links));
  const seen = once(() => visibility(links, order(), around));
  const arms = once(() => nesting(links, order()).arms);
  const bodies = new Map<string, Graph>();
  const loops = once(() => loopsIn(flow));
  const node = (id: string): Node => links.nodes.get(id) ?? unknown(id);
  const openerOf = (end: string): string => opens.get(end) ?? unknown(end);
  const visible = (id: string): readonly string[] => seen().list(node(id).id);
  const sees = (id: string, output: string): boolean => seen().sees(node(id).id, output);
  return {
    definition,
    ...ends(links),
    node,
    has: (id) => links.nodes.has(id),
    incoming: links.incoming,
    outgoing: links.outgoing,
    visible,
    sees,
    children: (parallel) => links.outgoing(openerOf(parallel)).map((edge) => edge.to),
    parallelOf: (step) => {
      const opener = links.nodes.get(links.incoming(step)[0]?.from ?? "");
      return opener?.kind === "open" ? opener.parallel : null;
    },
    openerOf,
    armOf: (id) => arms().get(node(id).id) ?? null,
    body: (id) => {
      const loop = node(id);
      if (loop.kind !== "for-each") throw new Error(`${id} is no loop`);
      const made = bodies.get(id) ?? walk(definition, loop.body, { sees: (output) => sees(id, output), list: () => visible(id) });
      bodies.set(id, made);
      return made;
    },
    loopOf: (id) => loops().get(id) ?? null,
  };
}

/** By the id of a node in a body: its loop. */
function loopsIn({ nodes }: Flow): ReadonlyMap<string, string> {
  return new Map(nodes.flatMap((loop) => (loop.kind === "for-each" ? loop.body.nodes.map(({ id }) => [id, loop.id] as const) : [])));
}

function ends({ nodes, incoming, outgoing }: Links): Pick<Graph, "entries" | "terminals"> {
  const ids = [...nodes.keys()].sort(byText);
  return {
    entries: ids.filter((id) => incoming(id).length === 0),
    terminals: ids.filter((id) => outgoing(id).length === 0),
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
