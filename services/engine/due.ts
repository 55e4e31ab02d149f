import {
  approvalDeadlines,
  awaitedUntil,
  awaitsChild,
  hasDeadline,
  mayRun,
  type OperationState,
  operationId,
  type RunState,
  type StepState,
} from "@woml/run";

/** An operation without an outcome: to be performed or joined, or doubted and due, so that its provider is asked. */
interface Pending {
  readonly node: string;
  readonly attempt: number;
  readonly call: number;
  readonly try: number;
  readonly action: "perform" | "ask";
}
/** What must be in flight at `now`, and when to look again (epoch ms): at or past it, `fire_timers`. Null: only an outcome moves the run. */
export interface Due {
  readonly run: readonly { readonly node: string; readonly attempt: number }[];
  readonly operations: readonly Pending[];
  readonly nextAt: number | null;
}

const NOTHING: Due = { run: [], operations: [], nextAt: null };

/**
 * Recovery is not a mode: what is open in the log and not in flight is started, by whoever asks. Scripts that are parked, doomed or
 * diverged are not in flight, and none of a run that stops is; its operations still are.
 */
export function due(state: RunState, now: number): Due {
  if (state.ended !== null) return NOTHING;
  const run: { node: string; attempt: number }[] = [];
  const operations: Pending[] = [];
  const times: number[] = [];
  const isOver = hasDeadline(state) && now >= state.deadlineAt;
  if (hasDeadline(state)) times.push(state.deadlineAt);
  if (state.stop === null) times.push(...approvalDeadlines(state).map(([, at]) => at));
  for (const node of state.open) {
    const step = state.steps.get(node);
    if (step?.status === "backoff" && step.dueAt !== null) times.push(step.dueAt);
    if (step?.status !== "running") continue;
    const { attempt } = step;
    if (!isOver && state.stop === null && mayRun(step)) run.push({ node, attempt });
    for (const operation of pendingOf(state, node, step)) {
      const { call, try: tried, doubt } = operation;
      if (awaitsChild(operation)) times.push(awaitedUntil(operation));
      else if (doubt !== null && doubt.askAt > now) times.push(doubt.askAt);
      else operations.push({ node, attempt, call, try: tried, action: doubt === null ? "perform" : "ask" });
    }
  }
  return { run, operations, nextAt: times.length === 0 ? null : Math.min(...times) };
}

function pendingOf(state: RunState, node: string, { attempt, pending }: StepState): readonly OperationState[] {
  return pending.flatMap((call) => state.operations.get(operationId(node, attempt, call)) ?? []);
}
