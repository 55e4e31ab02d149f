import type { Edge } from "./edge.ts";
import type { Links } from "./order.ts";

/** The arm of a choice that a node stands in; `outer` is the arm around that choice. */
export interface Arm {
  readonly choice: string;
  readonly arm: string;
  readonly outer: Arm | null;
  /** 1 for an arm that no other is around. */
  readonly depth: number;
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
  const place = new Map(order.map((id, at) => [id, at]));
  const after = (arm: Arm, id: string): boolean => (place.get(arm.choice) ?? -1) > (place.get(id) ?? 0);
  for (const id of order) {
    const edges = links.incoming(id);
    if (links.nodes.get(id)?.kind === "choice") {
      crossing.push(...edges.filter((edge) => along(edge)?.choice !== id));
      arms.set(id, arms.get(selects.get(id) ?? "") ?? null);
    } else {
      const arm = own([...new Set(edges.map(along))], (candidate) => after(candidate, id));
      crossing.push(...edges.filter((edge) => along(edge) !== arm));
      arms.set(id, arm);
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

/**
 * Of several arms that lead into one node, the one to call its own, so that the right edge is blamed: the deepest whose choice is
 * still to come (the others enter it from outside), else the outermost (the others leave theirs).
 */
function own(arms: readonly (Arm | null)[], isOpen: (arm: Arm) => boolean): Arm | null {
  const sorted = arms.toSorted((a, b) => (b?.depth ?? 0) - (a?.depth ?? 0));
  return sorted.find((arm) => arm !== null && isOpen(arm)) ?? sorted.at(-1) ?? null;
}

/** One object per arm, so that two nodes are in the same arm exactly when their arms are the same object. */
function armOfEdge(links: Links, arms: ReadonlyMap<string, Arm | null>): (edge: Edge) => Arm | null {
  const known = new Map<string, Arm>();
  return ({ from, arm }) => {
    const outer = arms.get(from) ?? null;
    const source = links.nodes.get(from);
    if (source?.kind !== "select" || arm === undefined) return outer;
    const key = `${from} ${arm}`;
    const made = known.get(key) ?? { choice: source.choice, arm, outer, depth: (outer?.depth ?? 0) + 1 };
    known.set(key, made);
    return made;
  };
}
