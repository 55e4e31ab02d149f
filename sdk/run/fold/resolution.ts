import type { RunEvents } from "../event.ts";
import { BY_PERSON, failureBy } from "../operation-view.ts";
import { type OperationState, operationId, type RunState, type StepState } from "../state.ts";
import { demand, demandGoing } from "./demand.ts";

/** F22. What follows from it, the next events say. While it may still be performed, nobody knows that it was not. */
export function outcome_resolved(state: RunState, data: RunEvents["outcome_resolved"]): RunState {
  demandGoing(state);
  const step = state.steps.get(data.node);
  demand(state, "WOML_LOG_RESOLUTION", step?.status === "running" && step.attempt === data.attempt && !step.isStopping);
  return data.call === null ? attemptResolved(state, data, step) : operationResolved(state, data, step, data.call);
}

function attemptResolved(state: RunState, { node }: RunEvents["outcome_resolved"], step: StepState): RunState {
  demand(state, "WOML_LOG_RESOLUTION", step.diverged !== null && step.pending.length === 0 && step.unknown.length === 0);
  return { ...state, steps: state.steps.with(node, { ...step, diverged: null, parked: false, head: state.head }) };
}

function operationResolved(state: RunState, data: RunEvents["outcome_resolved"], step: StepState, call: number): RunState {
  const id = operationId(data.node, data.attempt, call);
  const operation = state.operations.get(id);
  demand(state, "WOML_LOG_RESOLUTION", operation?.status === "unknown" && operation.resolution === null && step.unknown.includes(call));
  demand(state, "WOML_LOG_RESOLUTION", data.verdict.status === "succeeded" || state.at >= (operation.runsUntil ?? 0));
  const said: OperationState = { ...operation, ...answerOf(state, data), head: state.head };
  const unknown = said.status === "unknown" ? step.unknown : step.unknown.filter((other) => other !== call);
  return {
    ...state,
    operations: state.operations.with(id, said),
    steps: state.steps.with(data.node, { ...step, unknown, head: state.head }),
  };
}

function answerOf(state: RunState, { verdict, by }: RunEvents["outcome_resolved"]): Partial<OperationState> {
  const resolution = { verdict: verdict.status, by };
  if (verdict.status === "retry") return { resolution };
  const answer = { resolution, evidence: BY_PERSON, settledAt: state.at, answered: { seq: state.head, at: state.at } };
  if (verdict.status === "succeeded") return { ...answer, status: "succeeded", result: verdict.result, failure: null };
  return { ...answer, status: "failed", failure: failureBy(verdict.message) };
}
