import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** Every node of an arm leads on to the choice. Outside arms a node may be the last: the run ends when all have settled. */
export const noDeadEnd: Law = function* ({ definition, links, nesting, nodePath }) {
  for (const { id } of definition.nodes) {
    const arm = nesting.arms.get(id);
    if (!arm || links.outgoing(id).length > 0) continue;
    yield violated("WOML_DEAD_END_NODE", nodePath(id), `${id} in the arm ${arm.arm} of ${arm.choice} leads to nothing`);
  }
};
