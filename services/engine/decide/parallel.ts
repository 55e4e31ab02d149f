/**
 * Parallel groups. A child that fails for good fails its group: at once, and then its siblings are stopped; or with `wait-all` when all have
 * ended. A group that has failed fails its flow.
 */
import type { OpenNode, ParallelNode } from "@woml/model";
import type { Failure } from "@woml/run";
import type { Draft } from "./draft.ts";
import { hasBegun } from "./observe.ts";
import { beside, type Spot, spotAt } from "./spot.ts";

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

/** Children that may be started now: in the order of their ids, as many as fit beside those that go on. */
export function nextChildren(draft: Draft, group: Spot): readonly string[] {
  if (draft.state.parallels.get(group.site)?.status !== "open") return [];
  const sites = childrenOf(group);
  const left = sites.filter((site) => !hasBegun(draft, site));
  const going = sites.filter((site) => draft.isOpen(site)).length;
  return left.slice(0, Math.max(0, concurrencyOf(group) - going));
}

/** The group of a child that has failed for good: what else of it is to end ends, or is told to. */
export function failChild(draft: Draft, group: Spot, child: string): void {
  const state = draft.state.parallels.get(group.site);
  if (state === undefined || state.waitsForAll || state.status !== "open") return;
  const siblings = childrenOf(group).filter((site) => site !== child && draft.isOpen(site));
  const pending = siblings.filter((site) => (draft.state.steps.get(site)?.pending.length ?? 0) > 0);
  for (const site of siblings) if (!pending.includes(site)) cancelChild(draft, site);
  if (pending.length > 0) draft.emit({ type: "parallel_failing", data: { node: group.site, failed: child, stopped: pending } });
}

export function cancelChild(draft: Draft, site: string): void {
  const attempt = draft.state.steps.get(site)?.attempt;
  if (attempt !== undefined) draft.emit({ type: "step_cancelled", data: { node: site, attempt, reason: "fail_fast" } });
}

/** Settles a group in which a child has failed, if nothing of it is open or to be started. Answers what its flow fails with. */
export function settleFailed(draft: Draft, group: Spot): Failure | null {
  const { state } = draft;
  const known = state.parallels.get(group.site);
  if (known === undefined || known.status === "succeeded" || known.status === "failed") return null;
  const sites = childrenOf(group);
  const failed = sites.filter((site) => state.steps.get(site)?.status === "failed");
  const isBusy = sites.some((site) => draft.isOpen(site)) || (known.waitsForAll && sites.some((site) => !hasBegun(draft, site)));
  if (failed.length === 0 || isBusy) return null;
  const cancelled = sites.filter((site) => state.steps.get(site)?.status === "cancelled");
  draft.emit({ type: "parallel_settled", data: { node: group.site, status: "failed", failed, cancelled } });
  const first = failed.toSorted((a, b) => (state.steps.get(a)?.head ?? 0) - (state.steps.get(b)?.head ?? 0))[0] ?? "";
  return draft.failureOf(first);
}

export function childrenOf(group: Spot): readonly string[] {
  return group.flow.children(group.node.id).map((id) => beside(group, id));
}

function concurrencyOf({ node }: Spot): number {
  return (node as ParallelNode).concurrency ?? Number.POSITIVE_INFINITY;
}
