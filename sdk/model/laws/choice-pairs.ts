import { armsOf } from "../node/choice.ts";
import type { Law, Outline } from "../outline.ts";
import { violated } from "../violation.ts";

/** A choice has one select and a select one choice; the arms of a select have different names; no arm is empty. */
export const choicePairs: Law = function* (outline) {
  yield* selects(outline);
  yield* choices(outline);
};

function* selects({ definition, links, nodePath, edgePath }: Outline): ReturnType<typeof choicePairs> {
  for (const node of definition.nodes) {
    if (node.kind !== "select") continue;
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

function* choices({ definition, nodePath }: Outline): ReturnType<typeof choicePairs> {
  const selected = Map.groupBy(definition.nodes, (node) => (node.kind === "select" ? node.choice : null));
  for (const node of definition.nodes) {
    const count = node.kind === "choice" ? (selected.get(node.id)?.length ?? 0) : 1;
    if (count !== 1)
      yield violated("WOML_INVALID_BRANCH_GROUP", nodePath(node.id), `the choice ${node.id} has ${count} selects; it needs one`);
  }
}
