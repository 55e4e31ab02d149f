import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";
import { hasOutput } from "../visibility.ts";

/** The run's result is the output of a step or a choice. */
export const resultExists: Law = function* ({ definition: { result }, links }) {
  if (!hasOutput(links, result)) yield violated("WOML_INVALID_RESULT_NODE", "/result", `${result} is no step or choice of this definition`);
};
