import type { RunEvents } from "../event.ts";
import type { RunState, StepState } from "../state.ts";
import { demand, demandGoing } from "./demand.ts";

const NO_RESUMES = { host: 0, worker: 0 };

export function step_started(state: RunState, { node, attempt }: RunEvents["step_started"]): RunState {
  demandGoing(state);
  const before = state.steps.get(node);
  if (before === undefined) demand(state, "WOML_LOG_ATTEMPT", attempt === 1);
  else {
    demand(state, "WOML_LOG_ATTEMPT", before.status === "backoff" && before.attempt === attempt);
    demand(state, "WOML_LOG_RETRY", before.dueAt !== null && before.dueAt <= state.at);
  }
  const step: StepState = { status: "running", attempt, dueAt: null, since: state.at, resumes: NO_RESUMES, failure: null };
  return opened(state, node, step);
}

export function attempt_resumed(state: RunState, { node, attempt, lost, resume }: RunEvents["attempt_resumed"]): RunState {
  demandGoing(state);
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_RESUME", step?.status === "running" && step.attempt === attempt);
  const counter = lost === "worker" ? "worker" : "host";
  demand(state, "WOML_LOG_RESUME", resume === step.resumes[counter] + 1);
  return { ...state, steps: state.steps.with(node, { ...step, resumes: { ...step.resumes, [counter]: resume } }) };
}

export function step_succeeded(state: RunState, { node, attempt, output }: RunEvents["step_succeeded"]): RunState {
  demandGoing(state);
  const step = running(state, node, attempt);
  demand(state, "WOML_LOG_OUTPUT", !state.outputs.has(node));
  return { ...closed(state, node, { ...step, status: "succeeded", since: state.at }), outputs: state.outputs.with(node, output) };
}

export function step_failed(state: RunState, { node, attempt, failure }: RunEvents["step_failed"]): RunState {
  demandGoing(state);
  const step = running(state, node, attempt);
  const failed = closed(state, node, { ...step, status: "failed", since: state.at, failure });
  return { ...failed, lastFailed: { node, seq: state.head } };
}

export function step_retry_scheduled(state: RunState, { node, attempt, dueAt }: RunEvents["step_retry_scheduled"]): RunState {
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_RETRY", state.lastFailed?.node === node && state.lastFailed.seq === state.head - 1);
  demand(state, "WOML_LOG_RETRY", step?.status === "failed" && attempt === step.attempt + 1);
  return opened(state, node, { ...step, status: "backoff", attempt, dueAt, since: state.at, resumes: NO_RESUMES });
}

export function step_cancelled(state: RunState, { node, attempt, reason }: RunEvents["step_cancelled"]): RunState {
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_ATTEMPT_END", step !== undefined && isOpen(step) && step.attempt === attempt);
  demand(state, "WOML_LOG_STOP", state.cancelRequested === (reason === "cancelled"));
  demand(state, "WOML_LOG_STOP", state.deadlineReached === (reason === "timed_out"));
  return closed(state, node, { ...step, status: "cancelled", dueAt: null, since: state.at });
}

function running(state: RunState, node: string, attempt: number): StepState {
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_ATTEMPT_END", step?.status === "running" && step.attempt === attempt);
  return step;
}

function isOpen(step: StepState): boolean {
  return step.status === "running" || step.status === "backoff";
}

function opened(state: RunState, node: string, step: StepState): RunState {
  return { ...state, steps: state.steps.with(node, step), open: [...state.open.filter((id) => id !== node), node] };
}

function closed(state: RunState, node: string, step: StepState): RunState {
  return { ...state, steps: state.steps.with(node, step), open: state.open.filter((id) => id !== node) };
}
