import type { Remark } from "../../diagnostic.ts";
import { elementsOf } from "../../tree.ts";
import { givesResult } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

/** The run's result is the output of the last item of the main route that has one. It does not end with a parallel group. */
export const workflowResult: Rule = (findings) => (element) => {
  if (element.name !== "steps") return;
  const items = elementsOf(element);
  const last = items.at(-1);
  if (last?.name === "parallel") findings.add(last.openRange, PARALLEL);
  else if (last && !items.some(givesResult)) {
    if (last.name === "fork") findings.add(last.openRange, FORK);
    else findings.add(element.openRange, NOTHING);
  }
};

const PARALLEL: Remark = {
  code: "WOML_PARALLEL_TERMINAL_UNSUPPORTED",
  message: "A workflow may not end with <parallel>.",
  hint: "Add a step behind it that returns the result of the workflow.",
};
const FORK: Remark = {
  code: "WOML_FORK_TERMINAL_RESULT_REQUIRED",
  message: "The workflow ends with a fork, and nothing before it has an output that could be its result.",
  hint: "Add a step before or behind the fork that returns the result of the workflow.",
};
const NOTHING: Remark = {
  code: "WOML_WORKFLOW_RESULT_REQUIRED",
  message: "No item of <steps> has an output that could be the result of the workflow.",
  hint: "Add a step that returns it, or give the <choose> or <switch> an id and its arms a <result>.",
};
