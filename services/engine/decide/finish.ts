import type { Failure, RunEvents } from "@woml/run";
import type { Draft } from "./draft.ts";

type Reason = RunEvents["step_cancelled"]["reason"];

/** Ends the run as succeeded: nothing is open and everything that can be reached has settled. */
export function succeed(draft: Draft): void {
  const node = draft.graph.definition.result;
  const result = draft.state.outputs.get(node);
  if (result === undefined) throw new Error(`the run is complete, but its result ${node} has no output`);
  draft.emit({ type: "outcome_decided", data: { status: "succeeded", result } });
  draft.emit({ type: "run_succeeded", data: { result } });
}

/** Ends the run as failed; what is still open is cancelled for `reason`. */
export function fail(draft: Draft, failure: Failure, reason: Reason = "run_failed"): void {
  cancelOpen(draft, reason);
  draft.emit({ type: "outcome_decided", data: { status: "failed", failure } });
  draft.emit({ type: "run_failed", data: { failure } });
}

export function cancelOpen(draft: Draft, reason: Reason): void {
  for (const node of draft.state.open) cancelStep(draft, node, reason);
}

export function cancelStep(draft: Draft, node: string, reason: Reason): void {
  const attempt = draft.state.steps.get(node)?.attempt;
  if (attempt !== undefined) draft.emit({ type: "step_cancelled", data: { node, attempt, reason } });
}
