import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** An edge leads from a node to a node. */
export const knownEndpoints: Law = function* ({ flow, links, edgePath }) {
  for (const edge of flow.edges) {
    for (const end of ["from", "to"] as const) {
      if (links.nodes.has(edge[end])) continue;
      yield violated("WOML_UNKNOWN_EDGE_ENDPOINT", `${edgePath(edge)}/${end}`, `no node has the id ${edge[end]}`);
    }
  }
};
