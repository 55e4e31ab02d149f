import type { RunEvents } from "../event.ts";
import type { RunState } from "../state.ts";
import { demand, demandWork, scripted } from "./demand.ts";

/** F10: after a loss the counter of what was lost goes on; after a park or a resolution nothing was lost. */
export function attempt_resumed(state: RunState, { node, attempt, reason, lost, resume }: RunEvents["attempt_resumed"]): RunState {
  demandWork(state, node);
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_RESUME", step?.status === "running" && step.attempt === attempt);
  demand(state, "WOML_LOG_RESUME", step.doomed === null && !step.isStopping && step.diverged === null && step.unknown.length === 0);
  const hasCalled = (step.calls.at(-1) ?? 0) > 0;
  demand(state, "WOML_LOG_RESUME", hasCalled === (reason === "journal"));
  const counter = lost === "worker" ? "worker" : "host";
  const count = step.resumes[counter] + (lost === null ? 0 : 1);
  if (lost === null) demand(state, "WOML_LOG_RESUME", resume === 0 && hasCalled);
  else demand(state, "WOML_LOG_RESUME", resume === count && !step.parked);
  const resumed = { parked: false, resumes: { ...step.resumes, [counter]: count }, resumed: step.resumed + 1, head: state.head };
  return { ...state, steps: state.steps.with(node, { ...step, ...resumed }) };
}

export function attempt_parked(state: RunState, data: RunEvents["attempt_parked"]): RunState {
  demandWork(state, data.node);
  const step = scripted(state, data, "WOML_LOG_PARK");
  demand(state, "WOML_LOG_PARK", step.pending.length > 0);
  return { ...state, steps: state.steps.with(data.node, { ...step, parked: true, head: state.head }) };
}

export function attempt_diverged(state: RunState, data: RunEvents["attempt_diverged"]): RunState {
  demandWork(state, data.node);
  const step = scripted(state, data, "WOML_LOG_PARK");
  return { ...state, steps: state.steps.with(data.node, { ...step, diverged: data.detail, head: state.head }) };
}
