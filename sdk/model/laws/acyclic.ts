import type { Links } from "../order.ts";
import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

const SHOWN = 10;

/** No node waits for itself, however far around. */
export const acyclic: Law = function* ({ links, order, nodePath }) {
  const ordered = new Set(order);
  const left = new Set([...links.nodes.keys()].filter((id) => !ordered.has(id)));
  for (const circle of circles(links, left)) {
    const shown = circle.length > SHOWN ? [...circle.slice(0, SHOWN), "…"] : [...circle, circle[0]];
    const path = nodePath(circle[0] ?? "");
    yield violated("WOML_CYCLIC_GRAPH", path, `nodes wait for each other: ${shown.join(" → ")}`);
  }
};

/**
 * At least one circle, if `left` (what a topological order leaves out) is not empty: every node left waits for another one left, so
 * a walk against the edges must come back to itself. A walk ends early where an earlier one passed.
 */
function* circles(links: Links, left: ReadonlySet<string>): Generator<readonly string[]> {
  const walkOf = new Map<string, string>();
  for (const start of left) {
    const walk: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && !walkOf.has(at)) {
      walkOf.set(at, start);
      walk.push(at);
      at = links.incoming(at).find((edge) => left.has(edge.from))?.from;
    }
    if (at !== undefined && walkOf.get(at) === start) yield [at, ...walk.slice(walk.indexOf(at) + 1).reverse()];
  }
}
