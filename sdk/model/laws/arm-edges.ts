import type { Edge } from "../edge.ts";
import { armsFrom } from "../opener.ts";
import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** Edges that leave a select, a switch or an approval name an arm of it, and each arm has one at least; a fork's may name its branches. */
export const armEdges: Law = function* ({ flow, links, nodePath, edgePath }) {
  const arms = new Map<string, ReadonlySet<string>>();
  for (const node of flow.nodes) {
    const named = armsFrom(node);
    if (named !== null) arms.set(node.id, new Set(named));
  }
  for (const edge of flow.edges) {
    if (links.nodes.get(edge.from)?.kind === "fork") continue;
    const message = mismatch(edge, arms.get(edge.from));
    if (message !== null) yield violated("WOML_INVALID_ARM_EDGE", edgePath(edge), message);
  }
  for (const [id, named] of arms) {
    const led = new Set(links.outgoing(id).map((edge) => edge.arm));
    for (const arm of named) {
      if (!led.has(arm)) yield violated("WOML_INVALID_ARM_EDGE", nodePath(id), `no edge leads into the arm ${arm} of ${id}`);
    }
  }
};

function mismatch({ from, arm }: Edge, arms: ReadonlySet<string> | undefined): string | null {
  if (arms === undefined) return arm === undefined ? null : `${from} opens no choice, so its edges have no arm`;
  if (arm === undefined) return `an edge that leaves ${from} names an arm`;
  return arms.has(arm) ? null : `${from} has no arm ${arm}`;
}
