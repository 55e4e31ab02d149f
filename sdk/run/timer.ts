import { awaitedUntil, awaitsChild } from "./child.ts";
import { approvalDeadlines, hasDeadline, openSteps, pendingOf } from "./open.ts";
import { operationId, type RunState } from "./state.ts";

/**
 * Durable alarms of a run: `retry` of a step or action and `approval` (subject: the site), `ask` about an operation and `call` of another
 * workflow that is waited for (operationId), `deadline` of the run ("").
 */
export interface TimerKey {
  readonly subject: string;
  readonly kind: "retry" | "ask" | "call" | "approval" | "deadline";
}
export interface Timer extends TimerKey {
  readonly dueAt: number;
}

/** The alarms that must be stored for a run in this state. A run that stops has a deadline no more. */
export function timers(state: RunState): readonly Timer[] {
  if (state.ended !== null) return [];
  const retries = openSteps(state, "backoff").map(([subject, { dueAt }]): Timer => ({ subject, kind: "retry", dueAt: dueAt ?? state.at }));
  const asks = pendingOf(state, openSteps(state, "running")).flatMap((operation): Timer[] => {
    const { node, attempt, call, doubt } = operation;
    const subject = operationId(node, attempt, call);
    if (awaitsChild(operation)) return [{ subject, kind: "call", dueAt: awaitedUntil(operation) }];
    return doubt === null ? [] : [{ subject, kind: "ask", dueAt: doubt.askAt }];
  });
  const waits = state.stop === null ? approvalDeadlines(state) : [];
  const approvals = waits.map(([subject, dueAt]): Timer => ({ subject, kind: "approval", dueAt }));
  return [
    ...retries,
    ...asks,
    ...approvals,
    ...(hasDeadline(state) ? [{ subject: "", kind: "deadline" as const, dueAt: state.deadlineAt }] : []),
  ];
}

/** How the stored alarms change between two states; a key stands in one of the lists at most. */
export function timerChanges(before: RunState, after: RunState): { readonly set: readonly Timer[]; readonly cleared: readonly TimerKey[] } {
  const old = new Map(timers(before).map((timer) => [keyOf(timer), timer]));
  const now = new Map(timers(after).map((timer) => [keyOf(timer), timer]));
  return {
    set: [...now].filter(([key, timer]) => old.get(key)?.dueAt !== timer.dueAt).map(([, timer]) => timer),
    cleared: [...old].filter(([key]) => !now.has(key)).map(([, { subject, kind }]) => ({ subject, kind })),
  };
}

function keyOf({ kind, subject }: TimerKey): string {
  return `${kind} ${subject}`;
}
