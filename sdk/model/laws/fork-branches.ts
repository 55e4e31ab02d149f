import type { Arm } from "../nesting.ts";
import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

const CODE = "WOML_INVALID_FORK_GRAPH";

/** A branch that its join does not name leads nowhere, and nowhere in a branch does another fork stand. */
export const forkBranches: Law = function* ({ flow, links, nesting, nodePath, edgePath }) {
  for (const edge of flow.edges) {
    const arm = nesting.arms.get(edge.from);
    if (!arm || arm.choice !== edge.to || !nesting.isUnjoined(arm)) continue;
    yield violated(CODE, edgePath(edge), `the branch ${arm.arm} leads to ${edge.to}, which does not join it`);
  }
  const isBranch = ({ choice }: Arm): boolean => links.nodes.get(choice)?.kind === "join";
  // Arms that have been seen to stand in no branch, so that each is looked at once.
  const free = new Set<Arm>();
  for (const { id, kind } of flow.nodes) {
    if (kind !== "fork") continue;
    let arm = nesting.arms.get(id) ?? null;
    for (; arm !== null && !free.has(arm) && !isBranch(arm); arm = arm.outer) free.add(arm);
    if (arm === null || free.has(arm)) continue;
    yield violated(CODE, nodePath(id), `the fork ${id} stands in the branch ${arm.arm} of another`);
  }
};
