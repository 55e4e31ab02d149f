import type { Law } from "../outline.ts";
import { pointer, violated } from "../violation.ts";

/** A node id belongs to one node. */
export const uniqueNodeIds: Law = function* ({ definition }) {
  const seen = new Set<string>();
  for (const [at, { id }] of definition.nodes.entries()) {
    if (seen.has(id)) yield violated("WOML_DUPLICATE_NODE_ID", `/nodes${pointer(at)}/id`, `another node has the id ${id}`);
    seen.add(id);
  }
};
