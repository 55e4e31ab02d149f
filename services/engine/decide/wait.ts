import type { Json } from "@woml/model";
import { awaitsChild, type OperationFailure, type OperationOutcome, type OperationState, openSteps, pendingOf } from "@woml/run";
import { fault } from "../builtin/contract.ts";
import type { CallInput } from "../builtin/input.ts";
import type { Draft } from "./draft.ts";

/** Calls that wait for another run. */
export function waitingCalls({ state }: Draft): readonly OperationState[] {
  return pendingOf(state, openSteps(state, "running")).filter(awaitsChild);
}

export function targetOf({ called }: OperationState): string {
  return (called?.input as unknown as CallInput | undefined)?.id ?? "";
}

/** What happens at this site is to end: its calls wait no longer. */
export function letGo(draft: Draft, site: string): void {
  const step = draft.state.steps.get(site);
  if (step?.status !== "running" || step.pending.length === 0) return;
  for (const operation of pendingOf(draft.state, [[site, step]]).filter(awaitsChild)) {
    const message = `Nobody waits for the run of ${targetOf(operation)} any more; it goes on.`;
    settleCall(draft, operation, { failure: fault("WOML_WORKFLOW_CALL_CANCELLED", message) });
  }
}

export function settleCall(
  draft: Draft,
  { node, attempt, call, try: tried }: OperationState,
  said: { readonly result: Json } | { readonly failure: OperationFailure },
): void {
  const outcome: OperationOutcome = "failure" in said ? { status: "failed", ...said } : { status: "succeeded", ...said };
  const evidence = "result" in said ? "its run has ended" : "its run has ended, or nobody waits for that any more";
  draft.emit({ type: "operation_settled", data: { node, attempt, call, try: tried, outcome, evidence } });
}
