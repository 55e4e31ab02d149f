import type { RunEvents } from "../event.ts";
import { operationId, type RunState, type StepState } from "../state.ts";
import { demand, demandGoing, demandIteration } from "./demand.ts";
import { withOutput } from "./output.ts";

/** What of a step begins anew with each attempt. */
export const FRESH: Omit<StepState, "status" | "attempt" | "since" | "calls"> = {
  ...{ dueAt: null, resumes: { host: 0, worker: 0 }, resumed: 0, failure: null },
  ...{ pending: [], unknown: [], parked: false, doomed: null, diverged: null, isStopping: false, head: 0 },
};

export function step_started(state: RunState, { node, attempt }: RunEvents["step_started"]): RunState {
  demandGoing(state);
  demandIteration(state, node);
  return begun(state, node, attempt);
}

/** F6, F7: the first attempt at a site, or the one that is due. */
export function begun(state: RunState, node: string, attempt: number): RunState {
  const before = state.steps.get(node);
  if (before === undefined) demand(state, "WOML_LOG_ATTEMPT", attempt === 1);
  else {
    demand(state, "WOML_LOG_ATTEMPT", before.status === "backoff" && before.attempt === attempt);
    demand(state, "WOML_LOG_RETRY", before.dueAt !== null && before.dueAt <= state.at);
  }
  return opened(state, node, { ...FRESH, status: "running", attempt, since: state.at, calls: [...(before?.calls ?? []), 0] });
}

export function step_succeeded(state: RunState, { node, attempt, output }: RunEvents["step_succeeded"]): RunState {
  demandGoing(state);
  const step = ending(state, node, attempt);
  demand(state, "WOML_LOG_PENDING", !step.parked && step.doomed === null);
  return withOutput(closed(state, node, { ...step, status: "succeeded", since: state.at }), node, output);
}

export function step_failed(state: RunState, { node, attempt, failure }: RunEvents["step_failed"]): RunState {
  demandGoing(state);
  const step = ending(state, node, attempt);
  const failed = closed(state, node, { ...step, status: "failed", since: state.at, failure });
  return { ...failed, lastFailed: { node, seq: state.head } };
}

export function step_retry_scheduled(state: RunState, { node, attempt, dueAt }: RunEvents["step_retry_scheduled"]): RunState {
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_RETRY", state.lastFailed?.node === node && state.lastFailed.seq === state.head - 1);
  demand(state, "WOML_LOG_RETRY", step?.status === "failed" && attempt === step.attempt + 1);
  demand(state, "WOML_LOG_PENDING", !holdsUnknown(state, node, step));
  const { calls, failure } = step;
  return opened(state, node, { ...FRESH, status: "backoff", attempt, dueAt, since: state.at, calls, failure });
}

export function step_cancelled(state: RunState, { node, attempt, reason }: RunEvents["step_cancelled"]): RunState {
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_ATTEMPT_END", step !== undefined && isOpen(step) && step.attempt === attempt);
  demand(state, "WOML_LOG_STOP", state.cancelRequested === (reason === "cancelled"));
  demand(state, "WOML_LOG_STOP", state.deadlineReached === (reason === "timed_out"));
  demand(state, "WOML_LOG_PENDING", step.pending.length === 0);
  return closed(state, node, { ...step, status: "cancelled", dueAt: null, since: state.at });
}

/** F8, F21. What was told to end is cancelled, and nothing else. */
export function ending(state: RunState, node: string, attempt: number): StepState {
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_ATTEMPT_END", step?.status === "running" && step.attempt === attempt && !step.isStopping);
  demand(state, "WOML_LOG_PENDING", step.pending.length === 0 && step.unknown.length === 0 && step.diverged === null);
  return step;
}

/** Looks at each operation of the attempt. */
function holdsUnknown(state: RunState, node: string, { attempt, calls }: StepState): boolean {
  const numbers = Array.from({ length: calls.at(-1) ?? 0 }, (_, i) => i + 1);
  return numbers.some((call) => state.operations.get(operationId(node, attempt, call))?.status === "unknown");
}

function isOpen(step: StepState): boolean {
  return step.status === "running" || step.status === "backoff";
}

export function opened(state: RunState, node: string, step: StepState): RunState {
  return {
    ...state,
    steps: state.steps.with(node, { ...step, head: state.head }),
    open: [...state.open.filter((id) => id !== node), node],
  };
}

export function closed(state: RunState, node: string, step: StepState): RunState {
  return { ...state, steps: state.steps.with(node, { ...step, head: state.head }), open: state.open.filter((id) => id !== node) };
}
