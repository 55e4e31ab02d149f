import type { ForkNode, JoinNode } from "../node/fork.ts";
import { endOf } from "../opener.ts";
import type { Law, Outline } from "../outline.ts";
import type { Violation } from "../violation.ts";
import { violated } from "../violation.ts";

const CODE = "WOML_INVALID_FORK_GRAPH";
/** The language joins by these words; no branch is called so. */
const RESERVED: ReadonlySet<string> = new Set(["all", "none"]);

/** A fork has one join and a join one fork; edges of a fork name its branches, except one to its join; a join names branches of its fork. */
export const forkGroups: Law = function* (outline) {
  const opened = Map.groupBy(outline.flow.nodes, endOf);
  for (const node of outline.flow.nodes) {
    if (node.kind === "fork") yield* ofFork(outline, node);
    const count = node.kind === "join" ? (opened.get(node.id)?.length ?? 0) : 1;
    if (count !== 1) yield violated(CODE, outline.nodePath(node.id), `the join ${node.id} has ${count} forks; it needs one`);
  }
};

function* ofFork({ links, nodePath, edgePath }: Outline, fork: ForkNode): Generator<Violation> {
  const path = nodePath(fork.id);
  const edges = links.outgoing(fork.id);
  const join = links.nodes.get(fork.join);
  for (const edge of edges) {
    if ((edge.arm === undefined) === (edge.to === fork.join)) continue;
    const message =
      edge.arm === undefined ? "names a branch, or leads to the join" : `leads into the branch ${edge.arm}, which has no node`;
    yield violated(CODE, edgePath(edge), `an edge that leaves the fork ${fork.id} ${message}`);
  }
  const branches = new Set(edges.flatMap(({ arm }) => arm ?? []));
  if (branches.size === 0) yield violated(CODE, path, `the fork ${fork.id} has no branch`);
  if (edges.every(({ arm }) => arm !== undefined)) yield violated(CODE, path, `no edge leads from ${fork.id} straight to its join`);
  for (const name of branches.intersection(RESERVED)) yield violated(CODE, path, `no branch is called ${name}`);
  if (join?.kind !== "join") yield violated(CODE, `${path}/join`, `${fork.join} is no join`);
  else yield* ofJoin(join, branches, nodePath(join.id));
}

function* ofJoin({ branches, id }: JoinNode, known: ReadonlySet<string>, path: string): Generator<Violation> {
  for (const [at, branch] of branches.entries()) {
    if (!known.has(branch)) yield violated(CODE, `${path}/branches/${at}`, `the fork of ${id} has no branch ${branch}`);
  }
}
