import type { Edge } from "./edge.ts";
import type { Links } from "./order.ts";

/** The arm of a choice that a node stands in; `outer` is the arm around that choice. */
export interface Arm {
  readonly choice: string;
  readonly arm: string;
  readonly outer: Arm | null;
}
export interface Nesting {
  /** The innermost arm of every node, null outside all. A select and its choice stand in the arm around them. */
  readonly arms: ReadonlyMap<string, Arm | null>;
  /** Edges that lead into an arm from outside it, or out of one but to its choice. Empty in an accepted definition. */
  readonly crossing: readonly Edge[];
}

/** Which arm each node stands in, in one walk along `order` (topological). */
export function nesting(links: Links, order: readonly string[]): Nesting {
  const arms = new Map<string, Arm | null>();
  const crossing: Edge[] = [];
  const along = armOfEdge(links, arms);
  const selects = openers(links);
  for (const id of order) {
    const edges = links.incoming(id);
    if (links.nodes.get(id)?.kind === "choice") {
      crossing.push(...edges.filter((edge) => along(edge)?.choice !== id));
      arms.set(id, arms.get(selects.get(id) ?? "") ?? null);
    } else {
      const first = edges[0] === undefined ? null : along(edges[0]);
      crossing.push(...edges.filter((edge) => along(edge) !== first));
      arms.set(id, first);
    }
  }
  return { arms, crossing };
}

/** By id of a choice or parallel: the select or open node that opens it. */
export function openers(links: Links): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const node of links.nodes.values()) {
    if (node.kind === "select") found.set(node.choice, node.id);
    if (node.kind === "open") found.set(node.parallel, node.id);
  }
  return found;
}

/** One object per arm, so that two nodes are in the same arm exactly when their arms are the same object. */
function armOfEdge(links: Links, arms: ReadonlyMap<string, Arm | null>): (edge: Edge) => Arm | null {
  const known = new Map<string, Arm>();
  return ({ from, arm }) => {
    const outer = arms.get(from) ?? null;
    const source = links.nodes.get(from);
    if (source?.kind !== "select" || arm === undefined) return outer;
    const key = `${from} ${arm}`;
    const made = known.get(key) ?? { choice: source.choice, arm, outer };
    known.set(key, made);
    return made;
  };
}
