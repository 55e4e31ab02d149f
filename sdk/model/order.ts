import type { Node } from "./definition.ts";
import type { Edge } from "./edge.ts";
import type { Flow } from "./flow.ts";

/** Nodes and edges found by id; lists sorted. What laws and walks share. */
export interface Links {
  readonly nodes: ReadonlyMap<string, Node>;
  incoming(id: string): readonly Edge[];
  outgoing(id: string): readonly Edge[];
}

const NONE: readonly Edge[] = [];

/** `flow` must be normalised, its ids unique and its edges between known nodes. */
export function link(flow: Flow): Links {
  const nodes = new Map(flow.nodes.map((node) => [node.id, node]));
  const incoming = Map.groupBy(flow.edges, (edge) => edge.to);
  const outgoing = Map.groupBy(flow.edges, (edge) => edge.from);
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
