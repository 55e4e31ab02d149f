import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";
import { hasOutput } from "../visibility.ts";

/** The run's result is the output of a node of the definition's own flow. */
export const resultExists: Law = function* ({ definition: { result }, links }) {
  if (!hasOutput(links.nodes.get(result))) {
    yield violated("WOML_INVALID_RESULT_NODE", "/result", `${result} is no node with an output in this definition's flow`);
  }
};
