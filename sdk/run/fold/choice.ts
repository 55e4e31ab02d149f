import type { RunEvents } from "../event.ts";
import type { RunState } from "../state.ts";
import { demand, demandGoing } from "./demand.ts";

export function choice_selected(state: RunState, { node, arm }: RunEvents["choice_selected"]): RunState {
  demandGoing(state);
  demand(state, "WOML_LOG_CHOICE", !state.choices.has(node));
  return { ...state, choices: state.choices.with(node, { arm, settled: false }) };
}

export function choice_settled(state: RunState, { node, output }: RunEvents["choice_settled"]): RunState {
  demandGoing(state);
  const choice = state.choices.get(node);
  demand(state, "WOML_LOG_CHOICE", choice?.settled === false);
  demand(state, "WOML_LOG_OUTPUT", !state.outputs.has(node));
  return { ...state, choices: state.choices.with(node, { ...choice, settled: true }), outputs: state.outputs.with(node, output) };
}
