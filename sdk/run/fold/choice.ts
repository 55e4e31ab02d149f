import type { RunEvents } from "../event.ts";
import type { RunState } from "../state.ts";
import { demand, demandGoing, demandIteration } from "./demand.ts";
import { withOutput } from "./output.ts";

export function choice_selected(state: RunState, { node, arm }: RunEvents["choice_selected"]): RunState {
  demandGoing(state);
  demandIteration(state, node);
  demand(state, "WOML_LOG_CHOICE", !state.choices.has(node));
  return { ...state, choices: state.choices.with(node, { arm, settled: false }) };
}

export function choice_settled(state: RunState, { node, output }: RunEvents["choice_settled"]): RunState {
  demandGoing(state);
  const choice = state.choices.get(node);
  demand(state, "WOML_LOG_CHOICE", choice?.settled === false);
  const settled = { ...state, choices: state.choices.with(node, { ...choice, settled: true }) };
  return output === undefined ? settled : withOutput(settled, node, output);
}
