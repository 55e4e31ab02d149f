import { indexAt, isAction, nodeAt } from "../site.ts";
import type { RunState, StepState } from "../state.ts";
import { BrokenLog, type BrokenLogCode } from "./broken.ts";

interface Attempted {
  readonly node: string;
  readonly attempt: number;
}

/** `state.head` is already the number of the event being folded. */
export function demand(state: RunState, code: BrokenLogCode, holds: boolean): asserts holds {
  if (!holds) throw new BrokenLog(code, state.head);
}

/** F5, F13: work may begin or go on: it has started, nobody stopped it, and where nothing goes on beside it no step has failed for good. */
export function demandGoing(state: RunState): void {
  demand(state, "WOML_LOG_START", state.startedAt !== null);
  demand(state, "WOML_LOG_STOP", isGoing(state) && state.outcome === null && (!hasFailed(state) || isWide(state)));
}

/** The same of what a site does: what observes also works behind the outcome. */
export function demandWork(state: RunState, site: string): void {
  if (!isAction(site)) demandGoing(state);
  else {
    demand(state, "WOML_LOG_START", state.startedAt !== null);
    demand(state, "WOML_LOG_STOP", state.stop === null && (state.outcome !== null || isGoing(state)));
  }
}

/** F25: work inside a loop belongs to an iteration that goes on. */
export function demandIteration(state: RunState, site: string): void {
  const index = indexAt(site);
  if (index === null) return;
  const isActive = state.looping.some((id) => {
    const loop = state.loops.get(id);
    return loop?.active.includes(index) === true && loop.nodes.includes(nodeAt(site));
  });
  demand(state, "WOML_LOG_LOOP", isActive);
}

/** Nobody cancelled it, its time is not over, and no stop is decided. */
export function isGoing(state: RunState): boolean {
  return !state.cancelRequested && !state.deadlineReached && state.stop === null;
}

/** The step, while its script may run: nothing is parked, doomed or diverged. */
export function scripted(state: RunState, { node, attempt }: Attempted, code: BrokenLogCode): StepState {
  const step = state.steps.get(node);
  demand(state, code, step?.status === "running" && step.attempt === attempt);
  demand(state, code, !step.parked && step.doomed === null && step.diverged === null && !step.isStopping);
  return step;
}

function hasFailed(state: RunState): boolean {
  return state.lastFailed !== null && state.steps.get(state.lastFailed.node)?.status === "failed";
}

/** One failure does not end everything: it is said that the run will fail, or there are iterations or children of a group that go on. */
function isWide(state: RunState): boolean {
  if (state.failing !== null || state.looping.length > 0) return true;
  for (const [, { status, waitsForAll }] of state.parallels.entries())
    if (status === "failing" || (status === "open" && waitsForAll)) return true;
  return false;
}
