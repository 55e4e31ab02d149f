import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** The result stands in no arm: every run that succeeds has completed it. */
export const resultCertain: Law = function* ({ definition: { result }, nesting }) {
  const arm = nesting.arms.get(result);
  if (!arm) return;
  const message = `${result} completes only when ${arm.choice} takes the arm ${arm.arm}`;
  yield violated("WOML_INVALID_RESULT_NODE", "/result", message, `name ${arm.choice} as the result`);
};
