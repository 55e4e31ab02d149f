import type { RunEvents } from "../event.ts";
import type { RunState, StepState } from "../state.ts";
import { demand, demandGoing, demandIteration } from "./demand.ts";

export function parallel_opened(state: RunState, { node, onError }: RunEvents["parallel_opened"]): RunState {
  demandGoing(state);
  demandIteration(state, node);
  demand(state, "WOML_LOG_PARALLEL", !state.parallels.has(node));
  return { ...state, parallels: state.parallels.with(node, { status: "open", waitsForAll: onError !== undefined }) };
}

/** Of each that is named, nothing begins any more. */
export function parallel_failing(state: RunState, { node, failed, stopped }: RunEvents["parallel_failing"]): RunState {
  const group = state.parallels.get(node);
  demand(state, "WOML_LOG_PARALLEL", group?.status === "open" && !group.waitsForAll && all(state, [failed], "failed"));
  demand(
    state,
    "WOML_LOG_PARALLEL",
    stopped.every((id) => state.open.includes(id)),
  );
  let { steps } = state;
  for (const id of stopped) {
    const step = steps.get(id);
    if (step) steps = steps.with(id, { ...step, isStopping: true, head: state.head });
  }
  return { ...state, steps, parallels: state.parallels.with(node, { ...group, status: "failing" }) };
}

export function parallel_settled(state: RunState, data: RunEvents["parallel_settled"]): RunState {
  const group = state.parallels.get(data.node);
  demand(state, "WOML_LOG_PARALLEL", group?.status === "open" || (group?.status === "failing" && data.status === "failed"));
  const succeeded = data.status === "succeeded";
  if (succeeded) demandGoing(state);
  demand(state, "WOML_LOG_PARALLEL", succeeded === (data.failed.length === 0) && (!succeeded || data.cancelled.length === 0));
  demand(state, "WOML_LOG_PARALLEL", all(state, data.failed, "failed") && all(state, data.cancelled, "cancelled"));
  return { ...state, parallels: state.parallels.with(data.node, { ...group, status: data.status }) };
}

function all(state: RunState, ids: readonly string[], status: StepState["status"]): boolean {
  return ids.every((id) => state.steps.get(id)?.status === status);
}
