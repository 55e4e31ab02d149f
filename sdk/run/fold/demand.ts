import type { RunState } from "../state.ts";
import { BrokenLog, type BrokenLogCode } from "./broken.ts";

/** `state.head` is already the number of the event being folded. */
export function demand(state: RunState, code: BrokenLogCode, holds: boolean): asserts holds {
  if (!holds) throw new BrokenLog(code, state.head);
}

/** F5, F13: work may begin or go on: the run has started, nobody stopped it, and no step has failed for good. */
export function demandGoing(state: RunState): void {
  demand(state, "WOML_LOG_START", state.startedAt !== null);
  demand(state, "WOML_LOG_STOP", !state.cancelRequested && !state.deadlineReached && !hasFailed(state));
}

function hasFailed(state: RunState): boolean {
  return state.lastFailed !== null && state.steps.get(state.lastFailed.node)?.status === "failed";
}
