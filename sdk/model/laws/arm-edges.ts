import type { Edge } from "../edge.ts";
import { armsOf } from "../node/choice.ts";
import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** Edges that leave a select, and no others, name an arm; each arm of the select has one at least. */
export const armEdges: Law = function* ({ definition, links, nodePath, edgePath }) {
  const selects = definition.nodes.filter((node) => node.kind === "select");
  const arms = new Map(selects.map((select) => [select.id, new Set(armsOf(select))]));
  for (const edge of definition.edges) {
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
  if (arms === undefined) return arm === undefined ? null : `${from} is no select, so its edges have no arm`;
  if (arm === undefined) return `an edge that leaves the select ${from} names an arm`;
  return arms.has(arm) ? null : `the select ${from} has no arm ${arm}`;
}
