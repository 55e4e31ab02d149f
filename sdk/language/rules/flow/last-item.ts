import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** The run's result is the output of the last item, and a parallel group has none. */
export const lastItem: Rule = (findings) => (element) => {
  const last = element.name === "steps" ? elementsOf(element).at(-1) : undefined;
  if (last?.name !== "parallel") return;
  const hint = "Add a step behind it that returns the result of the workflow.";
  findings.add(last.openRange, { code: "WOML_PARALLEL_TERMINAL_UNSUPPORTED", message: "A workflow may not end with <parallel>.", hint });
};
