import type { Edge } from "./edge.ts";
import { endOf, openers } from "./opener.ts";
import type { Links } from "./order.ts";

/** The arm of a choice, or the branch of a fork, that a node stands in; `outer` is the one around that choice or fork. */
export interface Arm {
  /** The node that ends it: the choice, or the join of the fork. */
  readonly choice: string;
  readonly arm: string;
  readonly outer: Arm | null;
  /** 1 for an arm that no other is around. */
  readonly depth: number;
}
export interface Nesting {
  /** The innermost arm of every node, null outside all. What opens and what ends arms stands in the arm around them. */
  readonly arms: ReadonlyMap<string, Arm | null>;
  /** Edges that lead into an arm from outside it, or out of one but to its end. Empty in an accepted definition. */
  readonly crossing: readonly Edge[];
  /** Whether `arm` is a branch that its join does not wait for: its last nodes lead nowhere. */
  isUnjoined(arm: Arm): boolean;
}

/** Which arm each node stands in, in one walk along `order` (topological). */
export function nesting(links: Links, order: readonly string[]): Nesting {
  const arms = new Map<string, Arm | null>();
  const crossing: Edge[] = [];
  const along = armOfEdge(links, arms);
  const opens = openers(links);
  const isUnjoined = unjoined(links);
  const place = new Map(order.map((id, at) => [id, at]));
  const isOpen = (arm: Arm, id: string): boolean => isUnjoined(arm) || (place.get(arm.choice) ?? -1) > (place.get(id) ?? 0);
  for (const id of order) {
    const edges = links.incoming(id);
    const kind = links.nodes.get(id)?.kind;
    if (kind === "choice" || kind === "join") {
      const opener = opens.get(id) ?? "";
      const isStraight = (edge: Edge): boolean => kind === "join" && edge.from === opener && edge.arm === undefined;
      crossing.push(...edges.filter((edge) => along(edge)?.choice !== id && !isStraight(edge)));
      arms.set(id, arms.get(opener) ?? null);
    } else {
      const arm = own([...new Set(edges.map(along))], (candidate) => isOpen(candidate, id));
      crossing.push(...edges.filter((edge) => along(edge) !== arm));
      arms.set(id, arm);
    }
  }
  return { arms, crossing, isUnjoined };
}

/**
 * Of several arms that lead into one node, the one to call its own, so that the right edge is blamed: the deepest whose end is still to
 * come (the others enter it from outside), else the outermost (the others leave theirs).
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
    const choice = endOf(links.nodes.get(from));
    if (choice === null || arm === undefined) return outer;
    const key = `${from} ${arm}`;
    const made = known.get(key) ?? { choice, arm, outer, depth: (outer?.depth ?? 0) + 1 };
    known.set(key, made);
    return made;
  };
}

function unjoined(links: Links): (arm: Arm) => boolean {
  const joined = new Map<string, ReadonlySet<string>>();
  for (const node of links.nodes.values()) if (node.kind === "join") joined.set(node.id, new Set(node.branches));
  return ({ choice, arm }) => joined.get(choice)?.has(arm) === false;
}
