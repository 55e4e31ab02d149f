import { awaitedUntil, awaitsChild } from "./child.ts";
import { hookOf, isAction } from "./site.ts";
import { type OperationState, operationId, type RunState, type StepState } from "./state.ts";

export type OpenStep = readonly [string, StepState];

export function openSteps(state: RunState, status: "running" | "backoff"): readonly OpenStep[] {
  return state.open.flatMap((id): OpenStep[] => {
    const step = state.steps.get(id);
    return step?.status === status ? [[id, step]] : [];
  });
}

/** Operations of these steps that are open or doubted. */
export function pendingOf(state: RunState, steps: readonly OpenStep[]): readonly OperationState[] {
  return steps.flatMap(([node, { attempt, pending }]) =>
    pending.flatMap((call) => state.operations.get(operationId(node, attempt, call)) ?? []),
  );
}

/** Nothing keeps its script from running. */
export const mayRun = ({ parked, doomed, diverged, isStopping }: StepState): boolean =>
  !parked && doomed === null && diverged === null && !isStopping;

/** Its time still ends the run: it has a deadline, and neither stops nor has an outcome. */
export const hasDeadline = (state: RunState): state is RunState & { readonly deadlineAt: number } =>
  state.deadlineAt !== null && state.stop === null && state.outcome === null;

/** Of approvals that wait and do not wait for ever. */
export function approvalDeadlines(state: RunState): readonly (readonly [site: string, at: number])[] {
  return state.waiting.flatMap((site) => {
    const at = state.approvals.get(site)?.deadlineAt ?? null;
    return at === null ? [] : [[site, at] as const];
  });
}

/** Whether something of the flow itself, and not only what observes it, has yet to end. */
export function isFlowOpen(state: RunState): boolean {
  if (state.waiting.length > 0 || state.open.some((site) => !isAction(site))) return true;
  return state.observing.some((hook) => HOLDS_BACK.has(hookOf(hook).event));
}

/** Events whose hooks come before what they are about. */
const HOLDS_BACK: ReadonlySet<string> = new Set(["run_start", "step_start"]);

/**
 * From when an engine has something to do for a run that has begun and not ended, epoch ms; null: only a person moves it. While scripts run it is the run's
 * start, whichever of them it is: what is indexed of the row stays as it is from step to step, and no index is written (PostgreSQL's HOT updates).
 */
export function dueAt(state: RunState): number | null {
  const running = openSteps(state, "running");
  const backoff = openSteps(state, "backoff");
  if (running.length === 0 && backoff.length === 0 && state.waiting.length === 0) return state.at;
  const isGoing = state.stop === null;
  const scripts = running.filter(([, step]) => mayRun(step));
  const times = [
    ...(isGoing && scripts.length > 0 ? [state.startedAt ?? state.at] : []),
    ...pendingOf(state, running).map((one) => (awaitsChild(one) ? awaitedUntil(one) : (one.doubt?.askAt ?? one.tryAt))),
    ...backoff.map(([, step]) => step.dueAt ?? state.at),
    ...(isGoing ? approvalDeadlines(state).map(([, at]) => at) : []),
    ...(hasDeadline(state) ? [state.deadlineAt] : []),
  ];
  return times.length === 0 ? null : Math.min(...times);
}
