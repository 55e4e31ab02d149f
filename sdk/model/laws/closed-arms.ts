import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** The nodes of an arm or a branch are reached through what opens it alone and leave to its end alone; so arms nest and never mix. */
export const closedArms: Law = function* ({ nesting, edgePath }) {
  for (const edge of nesting.crossing) {
    const message = `the edge from ${edge.from} to ${edge.to} crosses the border of an arm or a branch`;
    yield violated(
      "WOML_INVALID_BRANCH_GROUP",
      edgePath(edge),
      message,
      "an arm or a branch is entered through what opens it and left to its choice or join alone",
    );
  }
};
