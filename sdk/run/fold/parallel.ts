import type { RunEvents } from "../event.ts";
import type { RunState, StepState } from "../state.ts";
import { demand, demandGoing } from "./demand.ts";

export function parallel_opened(state: RunState, { node }: RunEvents["parallel_opened"]): RunState {
  demandGoing(state);
  demand(state, "WOML_LOG_PARALLEL", !state.parallels.has(node));
  return { ...state, parallels: state.parallels.with(node, { status: "open" }) };
}

export function parallel_settled(state: RunState, data: RunEvents["parallel_settled"]): RunState {
  demand(state, "WOML_LOG_PARALLEL", state.parallels.get(data.node)?.status === "open");
  const succeeded = data.status === "succeeded";
  if (succeeded) demandGoing(state);
  demand(state, "WOML_LOG_PARALLEL", succeeded === (data.failed.length === 0) && (!succeeded || data.cancelled.length === 0));
  demand(state, "WOML_LOG_PARALLEL", all(state, data.failed, "failed") && all(state, data.cancelled, "cancelled"));
  return { ...state, parallels: state.parallels.with(data.node, { status: data.status }) };
}

function all(state: RunState, ids: readonly string[], status: StepState["status"]): boolean {
  return ids.every((id) => state.steps.get(id)?.status === status);
}
