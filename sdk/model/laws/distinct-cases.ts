import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** No two arms of a switch stand for one text: the order of its arms means nothing. */
export const distinctCases: Law = function* ({ flow, nodePath }) {
  for (const node of flow.nodes) {
    if (node.kind !== "switch") continue;
    const seen = new Set<string>();
    for (const [at, { equals }] of node.arms.entries()) {
      const path = `${nodePath(node.id)}/arms/${at}/equals`;
      if (seen.has(equals)) yield violated("WOML_INVALID_BRANCH_SELECTOR", path, `another arm of ${node.id} stands for this text`);
      seen.add(equals);
    }
  }
};
