import type { OpenNode } from "../node/parallel.ts";
import type { Law, Outline } from "../outline.ts";
import { violated } from "../violation.ts";

type Violations = ReturnType<typeof parallelGroups>;
const CODE = "WOML_INVALID_PARALLEL_GROUP";

/** A parallel group is its open node, one or more child steps that have no other edges, and its end; no more of them run than there are. */
export const parallelGroups: Law = function* (outline) {
  yield* pairs(outline);
  const children = new Map<string, string>();
  for (const node of outline.flow.nodes) {
    if (node.kind !== "open" || outline.links.nodes.get(node.parallel)?.kind !== "parallel") continue;
    for (const { to } of outline.links.outgoing(node.id)) children.set(to, node.parallel);
    yield* kids(outline, node);
  }
  for (const edge of outline.flow.edges) {
    if (outline.links.nodes.get(edge.to)?.kind !== "parallel" || children.get(edge.from) === edge.to) continue;
    yield violated(CODE, outline.edgePath(edge), `${edge.from} leads to the end of ${edge.to} and is none of its children`);
  }
};

function* pairs({ flow, links, nodePath }: Outline): Violations {
  const opened = Map.groupBy(flow.nodes, (node) => (node.kind === "open" ? node.parallel : null));
  for (const node of flow.nodes) {
    if (node.kind === "open" && links.nodes.get(node.parallel)?.kind !== "parallel") {
      yield violated(CODE, `${nodePath(node.id)}/parallel`, `${node.parallel} is no parallel`);
    }
    const count = node.kind === "parallel" ? (opened.get(node.id)?.length ?? 0) : 1;
    if (count !== 1) yield violated(CODE, nodePath(node.id), `the parallel ${node.id} has ${count} open nodes; it needs one`);
  }
}

function* kids({ links, nodePath }: Outline, open: OpenNode): Violations {
  const outgoing = links.outgoing(open.id);
  const end = links.nodes.get(open.parallel);
  if (end?.kind === "parallel" && end.concurrency !== undefined && end.concurrency > outgoing.length) {
    yield violated(
      CODE,
      `${nodePath(end.id)}/concurrency`,
      `the parallel ${end.id} has ${outgoing.length} children and a greater concurrency`,
    );
  }
  if (outgoing.length === 0) yield violated(CODE, nodePath(open.id), `the parallel ${open.parallel} has no child`);
  for (const { to } of outgoing) {
    if (links.nodes.get(to)?.kind !== "step") yield violated(CODE, nodePath(to), `${to} is a child of ${open.parallel} and no step`);
    else if (links.incoming(to).length !== 1) yield violated(CODE, nodePath(to), `${to} waits for more than its parallel ${open.parallel}`);
    else if (links.outgoing(to).length !== 1 || links.outgoing(to)[0]?.to !== open.parallel) {
      yield violated(CODE, nodePath(to), `${to} leads elsewhere than to the end of its parallel ${open.parallel}`);
    }
  }
}
