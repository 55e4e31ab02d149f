import { LIMITS } from "../limits.ts";
import type { Law } from "../outline.ts";
import { utf8Bytes } from "../text.ts";
import { violated } from "../violation.ts";

/** Nodes, edges and scripts stay within their limits (limits.ts); the size of the whole is judged before any law. */
export const bounded: Law = function* ({ definition: { nodes, edges }, nodePath }) {
  if (nodes.length > LIMITS.nodes)
    yield violated("WOML_TOO_MANY_NODES", "/nodes", `${nodes.length} nodes; at most ${LIMITS.nodes} are taken`);
  if (edges.length > LIMITS.edges)
    yield violated("WOML_TOO_MANY_EDGES", "/edges", `${edges.length} edges; at most ${LIMITS.edges} are taken`);
  for (const node of nodes) {
    if (node.kind !== "step") continue;
    const bytes = utf8Bytes(node.script.source);
    if (bytes <= LIMITS.sourceBytes) continue;
    const message = `the script of ${node.id} has ${bytes} bytes; at most ${LIMITS.sourceBytes} are taken`;
    yield violated("WOML_SCRIPT_SOURCE_TOO_LARGE", `${nodePath(node.id)}/script/source`, message);
  }
};
