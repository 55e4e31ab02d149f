/**
 * Parallel groups. A child that fails for good fails its group: at once, and then its siblings are stopped; or with `wait-all` when all have
 * ended. A group that has failed fails its flow. Children begin in the order of their ids, so that those which have are the first ones:
 * a wide group is not walked at each of their ends.
 */
import type { OpenNode, ParallelNode } from "@woml/model";
import { type Failure, hookOf, indexAt, nodeAt, type ParallelState } from "@woml/run";
import type { Draft } from "./draft.ts";
import { finalFailure } from "./failure.ts";
import { hasBegun } from "./observe.ts";
import { beside, type Spot, spotAt } from "./spot.ts";
import { letGo } from "./wait.ts";

export function openGroup(draft: Draft, spot: Spot, node: OpenNode): void {
  const end = spot.flow.node(node.parallel);
  const onError = end.kind === "parallel" && end.onError !== undefined ? { onError: end.onError } : {};
  draft.emit({ type: "parallel_opened", data: { node: beside(spot, node.parallel), ...onError } });
}

export function settleGroup(draft: Draft, spot: Spot): void {
  draft.emit({ type: "parallel_settled", data: { node: spot.site, status: "succeeded", failed: [], cancelled: [] } });
}

/** The group that a step is a child of, where it stands; null: none. */
export function groupOf(draft: Draft, spot: Spot): Spot | null {
  const parallel = spot.flow.parallelOf(spot.node.id);
  return parallel === null ? null : spotAt(draft, beside(spot, parallel));
}

/** Children that may be started now: as many as fit beside those that go on. */
export function nextChildren(draft: Draft, group: Spot): readonly string[] {
  if (draft.state.parallels.get(group.site)?.status !== "open") return [];
  const { concurrency = Number.POSITIVE_INFINITY } = group.node as ParallelNode;
  const begun = begunOf(draft, group);
  if (begun === countOf(group)) return [];
  const room = Number.isFinite(concurrency) ? Math.max(0, concurrency - goingIn(draft, group).length) : concurrency;
  return edgesOf(group)
    .slice(begun, begun + room)
    .map(({ to }) => beside(group, to));
}

/** Whether all children have succeeded. */
export function isWhole(draft: Draft, group: Spot): boolean {
  const { steps, parallels } = draft.state;
  const known = parallels.get(group.site);
  if (known?.status !== "open" || isBusy(draft, group, known) || begunOf(draft, group) < countOf(group)) return false;
  return childrenOf(group).every((site) => steps.get(site)?.status === "succeeded");
}

/** The group of a child that has failed for good: what else of it is to end ends, or is told to. */
export function failChild(draft: Draft, group: Spot, child: string): void {
  const state = draft.state.parallels.get(group.site);
  if (state === undefined || state.waitsForAll || state.status !== "open") return;
  const siblings = childrenOf(group).filter((site) => site !== child && draft.isOpen(site));
  for (const site of siblings) letGo(draft, site);
  const [pending = [], idle = []] = [true, false].map((is) => siblings.filter((site) => isPending(draft, site) === is));
  for (const site of idle) cancelChild(draft, site);
  if (pending.length > 0) draft.emit({ type: "parallel_failing", data: { node: group.site, failed: child, stopped: pending } });
}

export function cancelChild(draft: Draft, site: string): void {
  const attempt = draft.state.steps.get(site)?.attempt;
  if (attempt !== undefined) draft.emit({ type: "step_cancelled", data: { node: site, attempt, reason: "fail_fast" } });
}

/**
 * `ended` is a child that has. Settles the group if one has failed, and nothing of it is open or to be started. Answers what its flow fails
 * with.
 */
export function settleFailed(draft: Draft, group: Spot, ended: string): Failure | null {
  const { steps, parallels } = draft.state;
  const known = parallels.get(group.site);
  if (known === undefined || known.status === "succeeded" || known.status === "failed") return null;
  // One that fails fast is settled, or fails, with the first failure: while it is open there is none.
  if (known.status === "open" && !known.waitsForAll && steps.get(ended)?.status !== "failed") return null;
  if (isBusy(draft, group, known)) return null;
  const statusOf = (site: string) => steps.get(site)?.status;
  const sites = childrenOf(group);
  const failed = sites.filter((site) => statusOf(site) === "failed");
  if (failed.length === 0) return null;
  const cancelled = sites.filter((site) => statusOf(site) === "cancelled");
  draft.emit({ type: "parallel_settled", data: { node: group.site, status: "failed", failed, cancelled } });
  const [first = ""] = failed.toSorted((a, b) => (steps.get(a)?.head ?? 0) - (steps.get(b)?.head ?? 0));
  return finalFailure(draft, first);
}

/** Something of it has yet to end. One that fails waits for no child that has not begun, though a hook before it may be open. */
function isBusy(draft: Draft, group: Spot, { waitsForAll }: ParallelState): boolean {
  if (draft.state.open.some((site) => isChild(group, site))) return true;
  return waitsForAll && (begunOf(draft, group) < countOf(group) || goingIn(draft, group).length > 0);
}

/** Children that are open, or wait for the hook before them. */
function goingIn({ state }: Draft, group: Spot): readonly string[] {
  const held = state.observing.flatMap((hook) => {
    const { event, subject } = hookOf(hook);
    return event === "step_start" && subject !== null && !state.steps.has(subject) ? [subject] : [];
  });
  return [...state.open, ...held].filter((site) => isChild(group, site));
}

function isChild({ flow, node, index }: Spot, site: string): boolean {
  return indexAt(site) === index && flow.parallelOf(nodeAt(site)) === node.id;
}

/** How many children have begun. */
function begunOf(draft: Draft, group: Spot): number {
  const edges = edgesOf(group);
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const child = edges[middle]?.to ?? "";
    if (hasBegun(draft, beside(group, child))) low = middle + 1;
    else high = middle;
  }
  return low;
}

const edgesOf = ({ flow, node }: Spot) => flow.outgoing(flow.openerOf(node.id));
const countOf = (group: Spot): number => edgesOf(group).length;
const childrenOf = (group: Spot): readonly string[] => edgesOf(group).map(({ to }) => beside(group, to));
const isPending = ({ state }: Draft, site: string): boolean => (state.steps.get(site)?.pending.length ?? 0) > 0;
