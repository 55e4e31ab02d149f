import { armsOf } from "../node/choice.ts";
import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** A choice has one result for each arm of its select and no other. */
export const choiceResults: Law = function* ({ definition, links, nodePath }) {
  for (const select of definition.nodes) {
    if (select.kind !== "select") continue;
    const choice = links.nodes.get(select.choice);
    if (choice?.kind !== "choice") continue;
    const path = `${nodePath(choice.id)}/results`;
    const arms = new Set(armsOf(select));
    const named = new Set<string>();
    for (const [at, { arm }] of (choice.results ?? []).entries()) {
      if (!arms.has(arm)) yield violated("WOML_INVALID_BRANCH_RESULT", `${path}/${at}/arm`, `the choice ${choice.id} has no arm ${arm}`);
      else if (named.has(arm)) yield violated("WOML_INVALID_BRANCH_RESULT", `${path}/${at}/arm`, `the arm ${arm} has two results`);
      named.add(arm);
    }
    for (const arm of arms.difference(named)) {
      yield violated("WOML_INVALID_BRANCH_RESULT", path, `the arm ${arm} of ${choice.id} has no result`);
    }
  }
};
