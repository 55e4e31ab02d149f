import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** The nodes of an arm are reached through its select alone and leave to its choice alone; so arms nest and never mix. */
export const closedArms: Law = function* ({ nesting, edgePath }) {
  for (const edge of nesting.crossing) {
    const message = `the edge from ${edge.from} to ${edge.to} crosses the border of an arm`;
    yield violated(
      "WOML_INVALID_BRANCH_GROUP",
      edgePath(edge),
      message,
      "an arm is entered through its select and left to its choice alone",
    );
  }
};
