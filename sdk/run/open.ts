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

/** From when an engine has something to do for a run that has begun and not ended, epoch ms; null: only a person moves it. */
export function dueAt(state: RunState): number | null {
  const running = openSteps(state, "running");
  const backoff = openSteps(state, "backoff");
  if (running.length === 0 && backoff.length === 0) return state.at;
  const isGoing = state.stop === null;
  const scripts = running.filter(([, { parked, doomed, diverged }]) => !parked && doomed === null && diverged === null);
  const times = [
    ...(isGoing ? scripts.map(([, { since }]) => since) : []),
    ...pendingOf(state, running).map(({ doubt, tryAt }) => doubt?.askAt ?? tryAt),
    ...backoff.map(([, step]) => step.dueAt ?? state.at),
    ...(isGoing && state.deadlineAt !== null ? [state.deadlineAt] : []),
  ];
  return times.length === 0 ? null : Math.min(...times);
}
