/**
 * How runs end. A run that must stop while operations are pending says so first (`stop_decided`); from then on nothing begins, and each
 * step ends when the last of its operations has settled. Unknowns are left as they are.
 */
import type { Failure, RunEvents } from "@woml/run";
import type { Draft } from "./draft.ts";

type Reason = RunEvents["step_cancelled"]["reason"];
type Stop = RunEvents["stop_decided"];

/** Ends the run as succeeded: nothing is open and everything that can be reached has settled. */
export function succeed(draft: Draft): void {
  const node = draft.graph.definition.result;
  const result = draft.state.outputs.get(node);
  if (result === undefined) throw new Error(`the run is complete, but its result ${node} has no output`);
  draft.emit({ type: "outcome_decided", data: { status: "succeeded", result } });
  draft.emit({ type: "run_succeeded", data: { result } });
}

/** Fails the run; a step that has failed for good fails its group first. */
export function fail(draft: Draft, failure: Failure, reason: "run_failed" | "timed_out" = "run_failed"): void {
  stop(draft, { reason, failure });
}

export function stop(draft: Draft, decided: Stop): void {
  if (draft.state.open.some((node) => isPending(draft, node))) draft.emit({ type: "stop_decided", data: decided });
  windDown(draft, decided);
}

/** Cancels what is open and waits for no operation, and ends the run with the last of it. */
export function windDown(draft: Draft, decided: Stop): void {
  const group = failedGroup(draft);
  if (group !== null) closeGroup(draft, group);
  const siblings = new Set(group?.children);
  for (const node of draft.state.open) if (!siblings.has(node)) cancelStep(draft, node, decided.reason);
  if (draft.state.open.length > 0) return;
  if (decided.failure === null) {
    draft.emit({ type: "outcome_decided", data: { status: "cancelled" } });
    draft.emit({ type: "run_cancelled", data: {} });
  } else {
    draft.emit({ type: "outcome_decided", data: { status: "failed", failure: decided.failure } });
    draft.emit({ type: "run_failed", data: { failure: decided.failure } });
  }
}

interface Group {
  readonly parallel: string;
  readonly child: string;
  readonly children: readonly string[];
}

/** The group of the step that failed for good, while it is open. Without the definition groups stay as they are. */
function failedGroup(draft: Draft): Group | null {
  if (draft.isGraphless) return null;
  const child = draft.state.lastFailed?.node;
  if (child === undefined || draft.state.steps.get(child)?.status !== "failed") return null;
  const parallel = draft.graph.parallelOf(child);
  const isOpen = parallel !== null && draft.state.parallels.get(parallel)?.status === "open";
  return isOpen ? { parallel, child, children: draft.graph.children(parallel) } : null;
}

/** Fail-fast: the siblings of the child that failed end with it, and then the group. */
function closeGroup(draft: Draft, { parallel, child, children }: Group): void {
  const open = new Set(draft.state.open);
  for (const id of children) if (open.has(id)) cancelStep(draft, id, "fail_fast");
  if (children.some((id) => open.has(id) && isPending(draft, id))) return;
  const cancelled = children.filter((id) => draft.state.steps.get(id)?.status === "cancelled");
  draft.emit({ type: "parallel_settled", data: { node: parallel, status: "failed", failed: [child], cancelled } });
}

function cancelStep(draft: Draft, node: string, reason: Reason): void {
  const attempt = draft.state.steps.get(node)?.attempt;
  if (attempt !== undefined && !isPending(draft, node)) draft.emit({ type: "step_cancelled", data: { node, attempt, reason } });
}

function isPending({ state }: Draft, node: string): boolean {
  return (state.steps.get(node)?.pending.length ?? 0) > 0;
}
