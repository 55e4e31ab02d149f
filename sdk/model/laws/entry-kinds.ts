import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** Nodes without an incoming edge start with the run; the end of a group cannot. (In a graph without circles they reach all others.) */
export const entryKinds: Law = function* ({ definition, links, nodePath }) {
  for (const node of definition.nodes) {
    if ((node.kind !== "choice" && node.kind !== "parallel") || links.incoming(node.id).length > 0) continue;
    yield violated("WOML_INVALID_ENTRY_NODE", nodePath(node.id), `nothing leads to the end of the ${node.kind} ${node.id}`);
  }
};
