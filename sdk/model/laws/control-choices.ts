import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** A choice without results only routes: it has no output, and so neither name nor description. */
export const controlChoices: Law = function* ({ flow, nodePath }) {
  for (const node of flow.nodes) {
    if (node.kind !== "choice" || node.results) continue;
    for (const label of ["name", "description"] as const) {
      if (node[label] === undefined) continue;
      yield violated("WOML_INVALID_CONTROL_CHOICE", `${nodePath(node.id)}/${label}`, `the choice ${node.id} has no results and a ${label}`);
    }
  }
};
