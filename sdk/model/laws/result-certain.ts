import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** The result stands in no arm and no branch: every run that succeeds has completed it. */
export const resultCertain: Law = function* ({ definition: { result }, links, nesting }) {
  const arm = nesting.arms.get(result);
  if (!arm) return;
  if (links.nodes.get(arm.choice)?.kind === "join") {
    const message = `${result} stands in the branch ${arm.arm} of a fork`;
    yield violated("WOML_INVALID_RESULT_NODE", "/result", message, "name a node before the fork or behind its join");
  } else {
    const message = `${result} completes only when ${arm.choice} takes the arm ${arm.arm}`;
    yield violated("WOML_INVALID_RESULT_NODE", "/result", message, `name a node that stands in no arm`);
  }
};
