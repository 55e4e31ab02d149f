import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/**
 * Every node of an arm leads on to its choice, every node of a joined branch to its join. Elsewhere a node may be the last: the run ends
 * when all have settled.
 */
export const noDeadEnd: Law = function* ({ flow, links, nesting, nodePath }) {
  for (const { id } of flow.nodes) {
    const arm = nesting.arms.get(id);
    if (!arm || links.outgoing(id).length > 0 || nesting.isUnjoined(arm)) continue;
    yield violated("WOML_DEAD_END_NODE", nodePath(id), `${id} in the arm ${arm.arm} of ${arm.choice} leads to nothing`);
  }
};
