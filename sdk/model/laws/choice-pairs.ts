import { armsOf } from "../arms.ts";
import { endOf } from "../opener.ts";
import type { Law, Outline } from "../outline.ts";
import { violated } from "../violation.ts";

/** A choice has one opener and a select or switch one choice; its arms have different names; none is empty. */
export const choicePairs: Law = function* (outline) {
  yield* selects(outline);
  yield* choices(outline);
};

function* selects({ flow, links, nodePath, edgePath }: Outline): ReturnType<typeof choicePairs> {
  for (const node of flow.nodes) {
    if (node.kind !== "select" && node.kind !== "switch") continue;
    const path = nodePath(node.id);
    if (links.nodes.get(node.choice)?.kind !== "choice") {
      yield violated("WOML_INVALID_BRANCH_SELECTOR", `${path}/choice`, `${node.choice} is no choice`);
    }
    const arms = armsOf(node);
    if (new Set(arms).size < arms.length) {
      yield violated("WOML_INVALID_BRANCH_SELECTOR", `${path}/arms`, `two arms of ${node.id} have the same name`);
    }
    for (const edge of links.outgoing(node.id)) {
      if (edge.to === node.choice) yield violated("WOML_INVALID_BRANCH_GROUP", edgePath(edge), `an arm of ${node.choice} has no node`);
    }
  }
}

function* choices({ flow, nodePath }: Outline): ReturnType<typeof choicePairs> {
  const opened = Map.groupBy(flow.nodes, endOf);
  for (const node of flow.nodes) {
    const count = node.kind === "choice" ? (opened.get(node.id)?.length ?? 0) : 1;
    if (count !== 1)
      yield violated("WOML_INVALID_BRANCH_GROUP", nodePath(node.id), `the choice ${node.id} has ${count} openers; it needs one`);
  }
}
