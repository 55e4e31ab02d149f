import type { ApprovalNode, Edge, ForEachNode, ForkNode, JoinNode, Node, SwitchNode } from "@woml/model";
import type { Failure } from "@woml/run";
import { selectArm, settleChoice } from "./choice.ts";
import type { Draft } from "./draft.ts";
import { fail, succeed } from "./finish.ts";
import { openGroup, settleGroup } from "./parallel.ts";

/** Begins the run: its entries are ready. */
export function enter(draft: Draft): void {
  run(draft, [...draft.graph.entries]);
}

/** Goes on behind a step that has just succeeded. Looks at its successors only. */
export function goOn(draft: Draft, step: string): void {
  run(draft, followers(draft, step));
}

/** Begins what is ready among `reached` and behind it, in the order of arrival. With nothing left open, everything has settled or is skipped. */
function run(draft: Draft, reached: string[]): void {
  for (const id of reached) {
    const node = draft.graph.node(id);
    if (hasBegun(draft, node) || waitsFor(draft, id) !== undefined) continue;
    const failure = begin(draft, node);
    if (failure !== null) {
      fail(draft, failure);
      return;
    }
    if (node.kind !== "step") reached.push(...followers(draft, id));
  }
  if (draft.state.open.length === 0) succeed(draft);
}

function begin(draft: Draft, node: Node): Failure | null {
  switch (node.kind) {
    case "step":
      draft.emit({ type: "step_started", data: { node: node.id, attempt: 1 } });
      return null;
    case "open":
      openGroup(draft, node);
      return null;
    case "parallel":
      settleGroup(draft, node);
      return null;
    case "select":
      return selectArm(draft, node);
    case "choice":
      return settleChoice(draft, node);
    default:
      throw notRun(node);
  }
}

/** Nodes at the end of the live edges of a node that has completed. */
function followers(draft: Draft, id: string): string[] {
  const live = draft.graph.outgoing(id).filter((edge) => edge.arm === undefined || selectedArm(draft, edge.from) === edge.arm);
  return live.map((edge) => edge.to);
}

/** An edge that is not resolved yet. From the end: what started last is most likely still open, so a wide group is not walked each time. */
function waitsFor(draft: Draft, id: string): Edge | undefined {
  return draft.graph.incoming(id).findLast((edge) => !isResolved(draft, edge));
}

/** An edge is resolved when its source has completed, or is dead: it stands in an arm that was not selected. */
function isResolved(draft: Draft, { from }: Edge): boolean {
  return hasCompleted(draft, draft.graph.node(from)) || isDead(draft, from);
}

function isDead(draft: Draft, id: string): boolean {
  for (let arm = draft.graph.armOf(id); arm !== null; arm = arm.outer) {
    const selected = draft.state.choices.get(arm.choice)?.arm;
    if (selected !== undefined && selected !== arm.arm) return true;
  }
  return false;
}

function hasCompleted({ state }: Draft, node: Node): boolean {
  switch (node.kind) {
    case "step":
      return state.steps.get(node.id)?.status === "succeeded";
    case "parallel":
      return state.parallels.get(node.id)?.status === "succeeded";
    case "choice":
      return state.choices.get(node.id)?.settled === true;
    case "open":
      return state.parallels.has(node.parallel);
    case "select":
      return state.choices.has(node.choice);
    default:
      throw notRun(node);
  }
}

/** definitions.ts has refused whatever holds such a node. */
function notRun(node: SwitchNode | ForkNode | JoinNode | ApprovalNode | ForEachNode): Error {
  return new Error(`${node.id} is a ${node.kind}, which is not run yet`);
}

function hasBegun(draft: Draft, node: Node): boolean {
  return node.kind === "step" ? draft.state.steps.has(node.id) : hasCompleted(draft, node);
}

function selectedArm(draft: Draft, select: string): string | undefined {
  const node = draft.graph.node(select);
  return node.kind === "select" ? draft.state.choices.get(node.choice)?.arm : undefined;
}
