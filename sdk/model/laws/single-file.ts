import type { Edge } from "../edge.ts";
import type { Arm } from "../nesting.ts";
import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/**
 * In the body of a loop and in a branch of a fork one thing follows the other, but for the children of a parallel group: what fails there
 * ends an iteration or a branch in which nothing else goes on.
 */
export const singleFile: Law = function* ({ flow, loop, links, nesting, edgePath }) {
  const isIn = inside(nesting.arms, (end) => links.nodes.get(end)?.kind === "join");
  for (const { id, kind } of flow.nodes) {
    if (kind === "open" || (loop === null && kind !== "fork" && !isIn(id))) continue;
    for (const edge of surplus(links.outgoing(id))) {
      const [code, where] = loop ? (["WOML_INVALID_FOR_EACH", "a loop"] as const) : (["WOML_INVALID_FORK_GRAPH", "a branch"] as const);
      yield violated(code, edgePath(edge), `${edge.to} would run beside others behind ${id}; in ${where} only a parallel group does that`);
    }
  }
};

/** Edges by which a second node begins where one has already. */
const surplus = (edges: readonly Edge[]): readonly Edge[] =>
  [...Map.groupBy(edges, ({ arm }) => arm).values()].flatMap(([, ...more]) => more);

/** Whether a node stands in an arm of such an end, however deep. Each arm is looked at once. */
function inside(arms: ReadonlyMap<string, Arm | null>, isSuch: (end: string) => boolean): (id: string) => boolean {
  const known = new Map<Arm | null, boolean>([[null, false]]);
  return (id) => {
    const passed: Arm[] = [];
    let arm = arms.get(id) ?? null;
    for (; arm !== null && !known.has(arm) && !isSuch(arm.choice); arm = arm.outer) passed.push(arm);
    const answer = known.get(arm) ?? true;
    for (const one of passed) known.set(one, answer);
    return answer;
  };
}
