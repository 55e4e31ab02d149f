import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

const ENDS: ReadonlySet<string> = new Set(["choice", "parallel", "join"]);

/** Nodes without an incoming edge start with the run; the end of a group cannot. (In a graph without circles they reach all others.) */
export const entryKinds: Law = function* ({ flow, links, nodePath }) {
  for (const node of flow.nodes) {
    if (!ENDS.has(node.kind) || links.incoming(node.id).length > 0) continue;
    yield violated("WOML_INVALID_ENTRY_NODE", nodePath(node.id), `nothing leads to the end of the ${node.kind} ${node.id}`);
  }
};
