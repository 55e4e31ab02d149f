import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

const CODE = "WOML_INVALID_APPROVAL_GROUP";

/** An approval opens a choice without results, and says what becomes of it at its time-out exactly when it has one. */
export const approvalGroups: Law = function* ({ flow, links, nodePath }) {
  for (const node of flow.nodes) {
    if (node.kind !== "approval") continue;
    const path = nodePath(node.id);
    const choice = links.nodes.get(node.choice);
    if (choice?.kind !== "choice") yield violated(CODE, `${path}/choice`, `${node.choice} is no choice`);
    else if (choice.results) yield violated(CODE, `${nodePath(choice.id)}/results`, `the end of the approval ${node.id} has no results`);
    if (node.timeoutMs !== undefined && node.onTimeout === undefined) {
      yield violated(CODE, `${path}/timeoutMs`, `nothing says what becomes of ${node.id} after its time-out`, 'say `onTimeout: "fail"`');
    }
    if (node.timeoutMs === undefined && node.onTimeout !== undefined) {
      yield violated(CODE, `${path}/onTimeout`, `the approval ${node.id} has no time-out`);
    }
  }
};
