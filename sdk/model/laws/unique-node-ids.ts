import { flowsOf, type Law } from "../outline.ts";
import { pointer, violated } from "../violation.ts";

/** A node id belongs to one node of the definition, bodies of loops included. */
export const uniqueNodeIds: Law = function* (whole) {
  const seen = new Set<string>();
  for (const { flow, path } of flowsOf(whole)) {
    for (const [at, { id }] of flow.nodes.entries()) {
      if (seen.has(id)) yield violated("WOML_DUPLICATE_NODE_ID", `${path}/nodes${pointer(at)}/id`, `another node has the id ${id}`);
      seen.add(id);
    }
  }
};
