import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** Two edges differ in an end or in their arm. */
export const uniqueEdges: Law = function* ({ flow, edgePath }) {
  const seen = new Set<string>();
  for (const edge of flow.edges) {
    // Ids hold no blanks.
    const key = `${edge.from} ${edge.to} ${edge.arm ?? ""}`;
    if (seen.has(key)) yield violated("WOML_DUPLICATE_EDGE", edgePath(edge), `the edge from ${edge.from} to ${edge.to} is there twice`);
    seen.add(key);
  }
};
