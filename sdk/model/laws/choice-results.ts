import { armsOf } from "../arms.ts";
import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** A choice that has results has one for each arm of its select or switch and no other. */
export const choiceResults: Law = function* ({ flow, links, nodePath }) {
  for (const opener of flow.nodes) {
    if (opener.kind !== "select" && opener.kind !== "switch") continue;
    const choice = links.nodes.get(opener.choice);
    if (choice?.kind !== "choice" || !choice.results) continue;
    const path = `${nodePath(choice.id)}/results`;
    const arms = new Set(armsOf(opener));
    const named = new Set<string>();
    for (const [at, { arm }] of choice.results.entries()) {
      if (!arms.has(arm)) yield violated("WOML_INVALID_BRANCH_RESULT", `${path}/${at}/arm`, `the choice ${choice.id} has no arm ${arm}`);
      else if (named.has(arm)) yield violated("WOML_INVALID_BRANCH_RESULT", `${path}/${at}/arm`, `the arm ${arm} has two results`);
      named.add(arm);
    }
    for (const arm of arms.difference(named)) {
      yield violated("WOML_INVALID_BRANCH_RESULT", path, `the arm ${arm} of ${choice.id} has no result`);
    }
  }
};
