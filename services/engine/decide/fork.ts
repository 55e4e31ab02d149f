/** Forks: branches run side by side; the join waits for those that it names, and the run for all. */
import type { ForkNode } from "@woml/model";
import type { Failure } from "@woml/run";
import type { Draft } from "./draft.ts";
import { beside, type Spot } from "./spot.ts";

export function openFork(draft: Draft, spot: Spot, node: ForkNode): void {
  const join = spot.flow.node(node.join);
  const branches = spot.flow.outgoing(node.id).flatMap(({ arm }) => arm ?? []);
  const joined = join.kind === "join" ? join.branches : [];
  draft.emit({ type: "fork_opened", data: { node: beside(spot, node.join), branches, joined } });
}

/** A branch of a fork, by the join's id. */
export interface Branch {
  readonly join: string;
  readonly branch: string;
}

/** The innermost branch that a node stands in. */
export function branchOf({ flow, node }: Spot): Branch | null {
  for (let arm = flow.armOf(node.id); arm !== null; arm = arm.outer)
    if (flow.node(arm.choice).kind === "join") return { join: arm.choice, branch: arm.arm };
  return null;
}

/** The branch whose last node this is, if it is one. */
export function branchEndedBy(spot: Spot): Branch | null {
  const { flow, node } = spot;
  const arm = flow.armOf(node.id);
  if (arm === null || flow.node(arm.choice).kind !== "join") return null;
  const next = flow.outgoing(node.id);
  const isLast = next.length === 0 || next.some(({ to }) => to === arm.choice);
  return isLast ? { join: arm.choice, branch: arm.arm } : null;
}

/** Whether the join may be passed. */
export function isJoined({ state }: Draft, join: string): boolean {
  const fork = state.forks.get(join);
  return fork?.join === "pending" && fork.joined.every((branch) => fork.branches.get(branch) === "succeeded");
}

export function passJoin(draft: Draft, join: string): void {
  draft.emit({ type: "join_settled", data: { node: join, status: "succeeded", blocking: null } });
}

export function succeedBranch(draft: Draft, { join, branch }: Branch): void {
  draft.emit({ type: "branch_settled", data: { node: join, branch, status: "succeeded", failure: null } });
}

/** The run fails with it when everything has settled; what comes behind the join never runs, if that waits for this branch. */
export function failBranch(draft: Draft, { join, branch }: Branch, failure: Failure): void {
  draft.emit({ type: "branch_settled", data: { node: join, branch, status: "failed", failure } });
  const fork = draft.state.forks.get(join);
  if (fork?.join === "pending" && fork.joined.includes(branch))
    draft.emit({ type: "join_settled", data: { node: join, status: "failed", blocking: branch } });
}
