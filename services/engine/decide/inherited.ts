/** What a run that resumes another has from there. */
import { asRunId, type OperationState, operationId, type RunState, showRunId, standsBefore } from "@woml/run";
import type { Draft } from "./draft.ts";
import type { Spot } from "./spot.ts";

/** Whether the node `id` beside `spot` had completed in the run that this one resumes. */
export function isInherited({ state, graph }: Draft, { index }: Spot, id: string): boolean {
  const resumed = state.admitted?.resumed;
  return resumed !== undefined && index === null && standsBefore(graph, resumed.from, id);
}

/** What earlier runs performed for the step at `node`: attempt 0 of it. */
export function inheritedBy({ operations }: RunState, node: string): readonly OperationState[] {
  const found: OperationState[] = [];
  for (let call = 1; ; call++) {
    const operation = operations.get(operationId(node, 0, call));
    if (operation === undefined) return found;
    found.push(operation);
  }
}

/** Who performed it, for a person. */
export function performerOf({ attempt, call, inherited }: OperationState): string {
  return inherited === undefined ? `Call ${call} of attempt ${attempt}` : `${inherited.performed} of ${showRunId(asRunId(inherited.run))}`;
}
