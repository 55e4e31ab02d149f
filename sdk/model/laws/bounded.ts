import type { Flow } from "../flow.ts";
import { LIMITS } from "../limits.ts";
import { flowsOf, type Law } from "../outline.ts";
import { scriptsOf } from "../scripts.ts";
import { utf8Bytes } from "../text.ts";
import { type Violation, violated } from "../violation.ts";

/** Nodes, edges (those in bodies of loops too) and scripts stay within their limits; the size of the whole is judged before any law. */
export const bounded: Law = function* (whole) {
  yield* tooMany(flowsOf(whole).map(({ flow }) => flow));
  for (const { part, path, owner } of scriptsOf(whole)) {
    const bytes = utf8Bytes(part.source);
    if (bytes <= LIMITS.sourceBytes) continue;
    const message = `the script of ${owner} has ${bytes} bytes; at most ${LIMITS.sourceBytes} are taken`;
    yield violated("WOML_SCRIPT_SOURCE_TOO_LARGE", `${path}/source`, message);
  }
};

/** `flows`: the definition's own and those of its loops. */
export function* tooMany(flows: readonly Pick<Flow, "nodes" | "edges">[]): Generator<Violation> {
  const [nodes, edges] = [sum(flows.map((flow) => flow.nodes.length)), sum(flows.map((flow) => flow.edges.length))];
  if (nodes > LIMITS.nodes) yield violated("WOML_TOO_MANY_NODES", "/nodes", `${nodes} nodes; at most ${LIMITS.nodes} are taken`);
  if (edges > LIMITS.edges) yield violated("WOML_TOO_MANY_EDGES", "/edges", `${edges} edges; at most ${LIMITS.edges} are taken`);
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
