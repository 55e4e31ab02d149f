/**
 * The flow of a run: what begins when something has succeeded, and what ends when something has failed. A failure ends the scope that it
 * happens in: a parallel group fails the flow it stands in, a branch of a fork fails for itself, an iteration fails its loop, and the main
 * route fails the run, which waits for branches that go on. Invariants:
 *
 *  D22 A branch, an iteration and a loop settle exactly once, in the answer to what ended them.
 *  D23 The run's outcome is decided in the answer to the last of its flow, whatever still observes it.
 */
import type { Edge, Node } from "@woml/model";
import { type Failure, isFlowOpen, siteIn } from "@woml/run";
import { requestApproval } from "./approval.ts";
import { select, selectArm, settleChoice, switchArm } from "./choice.ts";
import type { Draft } from "./draft.ts";
import { conclude, fail } from "./finish.ts";
import { type Branch, branchEndedBy, branchOf, failBranch, isJoined, openFork, passJoin, succeedBranch } from "./fork.ts";
import { isInherited } from "./inherited.ts";
import { historyLimit, isExhausted } from "./limits.ts";
import { failIteration, openLoop, settleLoop, startIteration, succeedIteration } from "./loop.ts";
import { beginStep, hasBegun } from "./observe.ts";
import { failChild, groupOf, isWhole, nextChildren, openGroup, settleFailed, settleGroup } from "./parallel.ts";
import { beside, type Spot, spotAt } from "./spot.ts";

/** Begins the run: its entries are ready, or the node that a resumed one begins with. */
export function enter(draft: Draft): void {
  const from = draft.state.admitted?.resumed?.from;
  run(draft, from === undefined ? [...draft.graph.entries] : [from]);
}

/** Goes on behind what has just succeeded at `site`. Looks at its successors only. */
export function goOn(draft: Draft, site: string): void {
  run(draft, completed(draft, spotAt(draft, site)));
}

/** A step has failed for good, or a node that is none cannot go on. */
export function failAt(draft: Draft, site: string, failure: Failure): void {
  run(draft, failed(draft, spotAt(draft, site), failure));
}

/** A step whose group fails has been cancelled: the group may settle now. */
export function childEnded(draft: Draft, site: string): void {
  const group = groupOf(draft, spotAt(draft, site));
  run(draft, group === null ? [] : groupMoved(draft, group, site));
}

/** Begins what is ready among `reached` and behind it, in the order of arrival; decides the outcome with the last of the flow. */
export function run(draft: Draft, reached: string[]): void {
  for (const site of reached) {
    if (draft.isOver) return;
    if (isExhausted(draft.state)) {
      fail(draft, historyLimit(draft.state));
      return;
    }
    const spot = spotAt(draft, site);
    if (hasStarted(draft, spot) || !isReady(draft, spot)) continue;
    const failure = begin(draft, spot);
    if (failure !== null) reached.push(...failed(draft, spot, failure));
    else if (isComplete(draft, spot)) reached.push(...completed(draft, spot));
    else if (spot.node.kind === "for-each") reached.push(...iterations(draft, spot));
  }
  if (!draft.isOver) settle(draft);
}

/** With the last of the flow the outcome is decided. That the main route has failed is said where the outcome does not say it. */
function settle(draft: Draft): void {
  const { mainFailure } = draft;
  const isLast = !isFlowOpen(draft.state);
  if (mainFailure !== null && (!isLast || draft.state.failing !== null)) {
    draft.emit({ type: "main_failed", data: { failure: mainFailure } });
    draft.mainFailure = null;
  }
  if (isLast) conclude(draft, draft.state.failing ?? mainFailure);
}

function begin(draft: Draft, spot: Spot): Failure | null {
  const { node, site } = spot;
  switch (node.kind) {
    case "step":
      beginStep(draft, site);
      return null;
    case "open":
      openGroup(draft, spot, node);
      return null;
    case "parallel":
      settleGroup(draft, spot);
      return null;
    case "select":
      return selectArm(draft, spot, node);
    case "switch":
      return switchArm(draft, spot, node);
    case "choice":
      return settleChoice(draft, spot, node);
    case "fork":
      openFork(draft, spot, node);
      return null;
    case "join":
      passJoin(draft, site);
      return null;
    case "approval":
      requestApproval(draft, node);
      return null;
    case "for-each":
      return openLoop(draft, spot, node);
    default:
      return node satisfies never;
  }
}

/** Sites that are reached because something has completed there. */
function completed(draft: Draft, spot: Spot): string[] {
  const { node, flow } = spot;
  if (node.kind === "approval") settleApproval(draft, spot);
  const group = node.kind === "step" ? groupOf(draft, spot) : null;
  const branch = branchEndedBy(spot);
  if (branch !== null) return branchEnded(draft, branch);
  if (spot.loop !== null && flow.outgoing(node.id).length === 0) return iterationEnded(draft, spot);
  const next = node.kind === "open" ? nextChildren(draft, spotAt(draft, beside(spot, node.parallel))) : followers(draft, spot);
  return [...next, ...(group === null ? [] : groupMoved(draft, group, spot.site))];
}

/** The decision of an approval selects the arm of its choice. */
function settleApproval(draft: Draft, spot: Spot): void {
  const decision = draft.state.approvals.get(spot.site)?.status;
  if (spot.node.kind === "approval" && (decision === "approved" || decision === "rejected"))
    select(draft, spot, { choice: spot.node.choice, arm: decision });
}

/** `ended` is the child that has. */
function groupMoved(draft: Draft, group: Spot, ended: string): string[] {
  const failure = settleFailed(draft, group, ended);
  return failure === null ? [...nextChildren(draft, group)] : failed(draft, group, failure);
}

function branchEnded(draft: Draft, branch: Branch): string[] {
  succeedBranch(draft, branch);
  return [branch.join];
}

function iterationEnded(draft: Draft, spot: Spot): string[] {
  const loop = loopAt(draft, spot.loop ?? "");
  if (loop.node.kind !== "for-each") return [];
  const failure = succeedIteration(draft, spot, loop.node);
  if (failure !== null) failIteration(draft, loop.site, spot.index ?? 0, failure);
  return loopMoved(draft, loop);
}

function loopMoved(draft: Draft, loop: Spot): string[] {
  const settled = settleLoop(draft, loop.site);
  if (settled === null) return iterations(draft, loop);
  return settled === "succeeded" ? completed(draft, loop) : failed(draft, loop, settled);
}

/** Starts as many iterations as may be: what each begins with. */
function iterations(draft: Draft, { site, node }: Spot): string[] {
  const entries = node.kind === "for-each" ? draft.graph.body(node.id).entries : [];
  const reached: string[] = [];
  for (let index = startIteration(draft, site); index !== null; index = startIteration(draft, site))
    for (const entry of entries) reached.push(siteIn(entry, index));
  return reached;
}

/** The scope around `spot` fails. Answers what is reached all the same. */
function failed(draft: Draft, spot: Spot, failure: Failure): string[] {
  const group = spot.node.kind === "step" ? groupOf(draft, spot) : null;
  if (group !== null) {
    failChild(draft, group, spot.site);
    return groupMoved(draft, group, spot.site);
  }
  const branch = branchOf(spot);
  if (branch !== null) failBranch(draft, branch, failure);
  else if (spot.loop !== null) {
    failIteration(draft, spot.loop, spot.index ?? 0, failure);
    return loopMoved(draft, loopAt(draft, spot.loop));
  } else draft.mainFailure ??= failure;
  return [];
}

const loopAt = (draft: Draft, loop: string): Spot => spotAt(draft, loop);

/** Nodes at the end of the live edges of a node that has completed. */
function followers(draft: Draft, spot: Spot): string[] {
  const { node, flow } = spot;
  const arm = node.kind === "fork" ? undefined : selectedArm(draft, spot);
  const live = flow.outgoing(node.id).filter((edge) => edge.arm === undefined || node.kind === "fork" || edge.arm === arm);
  return live.map((edge) => beside(spot, edge.to));
}

function selectedArm(draft: Draft, spot: Spot): string | undefined {
  const { node } = spot;
  const isOpener = node.kind === "select" || node.kind === "switch" || node.kind === "approval";
  return isOpener ? draft.state.choices.get(beside(spot, node.choice))?.arm : undefined;
}

function isReady(draft: Draft, spot: Spot): boolean {
  if (spot.node.kind === "join") return isJoined(draft, spot.site);
  if (spot.node.kind === "parallel") return isWhole(draft, spot);
  return spot.flow.incoming(spot.node.id).every((edge) => isResolved(draft, spot, edge));
}

/** An edge is resolved when its source has completed, or is dead: it stands in an arm that was not selected. */
function isResolved(draft: Draft, spot: Spot, { from }: Edge): boolean {
  return isInherited(draft, spot, from) || isComplete(draft, spotAt(draft, beside(spot, from))) || isDead(draft, spot, from);
}

function isDead({ state }: Draft, spot: Spot, id: string): boolean {
  for (let arm = spot.flow.armOf(id); arm !== null; arm = arm.outer) {
    const selected = state.choices.get(beside(spot, arm.choice))?.arm;
    if (selected !== undefined && selected !== arm.arm) return true;
  }
  return false;
}

/** It has succeeded, or what it opens is open: what follows may begin. */
function isComplete({ state }: Draft, spot: Spot): boolean {
  const { node, site } = spot;
  switch (node.kind) {
    case "step":
      return state.steps.get(site)?.status === "succeeded";
    case "parallel":
      return state.parallels.get(site)?.status === "succeeded";
    case "choice":
      return state.choices.get(site)?.settled === true;
    case "open":
      return state.parallels.has(beside(spot, node.parallel));
    case "select":
    case "switch":
      return state.choices.has(beside(spot, node.choice));
    case "fork":
      return state.forks.has(node.join);
    case "join":
      return state.forks.get(site)?.join === "succeeded";
    case "approval":
      return isDecided(state.approvals.get(site)?.status);
    case "for-each":
      return state.loops.get(site)?.status === "succeeded";
    default:
      return node satisfies never;
  }
}

const isDecided = (status: string | undefined): boolean => status === "approved" || status === "rejected";

function hasStarted(draft: Draft, spot: Spot): boolean {
  const { state } = draft;
  const kind: Node["kind"] = spot.node.kind;
  if (kind === "step") return hasBegun(draft, spot.site);
  if (kind === "approval") return state.approvals.has(spot.site);
  if (kind === "for-each") return state.loops.has(spot.site);
  return isComplete(draft, spot);
}
