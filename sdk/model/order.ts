import type { Definition, Node } from "./definition.ts";
import type { Edge } from "./edge.ts";
import { byText } from "./text.ts";

const byEdge = (a: Edge, b: Edge): number => byText(a.from, b.from) || byText(a.to, b.to) || byText(a.arm ?? "", b.arm ?? "");

/**
 * The same definition in its one order: nodes by id, edges by from, to and arm, uses by alias, what a script calls and names by its text.
 * Two that differ in order alone become equal.
 */
export function normalise(definition: Definition): Definition {
  const { uses } = definition;
  return {
    ...definition,
    ...(uses && { uses: uses.toSorted((a, b) => byText(a.alias, b.alias)) }),
    nodes: definition.nodes.map(ordered).sort((a, b) => byText(a.id, b.id)),
    edges: definition.edges.toSorted(byEdge),
  };
}

function ordered(node: Node): Node {
  if (node.kind !== "step" || (!node.script.calls && !node.script.secrets)) return node;
  const { calls, secrets } = node.script;
  const lists = { ...(calls && { calls: calls.toSorted(byText) }), ...(secrets && { secrets: secrets.toSorted(byText) }) };
  return { ...node, script: { ...node.script, ...lists } };
}

/** Nodes and edges found by id; lists sorted. What laws and walks share. */
export interface Links {
  readonly nodes: ReadonlyMap<string, Node>;
  incoming(id: string): readonly Edge[];
  outgoing(id: string): readonly Edge[];
}

const NONE: readonly Edge[] = [];

/** `definition` must be normalised, its ids unique and its edges between known nodes. */
export function link(definition: Definition): Links {
  const nodes = new Map(definition.nodes.map((node) => [node.id, node]));
  const incoming = Map.groupBy(definition.edges, (edge) => edge.to);
  const outgoing = Map.groupBy(definition.edges, (edge) => edge.from);
  return {
    nodes,
    incoming: (id) => incoming.get(id) ?? NONE,
    outgoing: (id) => outgoing.get(id) ?? NONE,
  };
}

/** Ids so ordered that every edge leads forward. Shorter than the nodes when there is a cycle: what is on or behind one is left out. */
export function topological(links: Links): readonly string[] {
  const waiting = new Map<string, number>();
  const order: string[] = [];
  for (const id of links.nodes.keys()) {
    const count = links.incoming(id).length;
    waiting.set(id, count);
    if (count === 0) order.push(id);
  }
  for (let at = 0; at < order.length; at++) {
    for (const { to } of links.outgoing(order[at] as string)) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) order.push(to);
    }
  }
  return order;
}
