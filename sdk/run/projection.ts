import type { RunState, StepState } from "./state.ts";
import { iso } from "./time.ts";

/** Lower case in the house and in the run view; the GraphQL enum is the same words in capitals. */
export type RunStatus = "queued" | "running" | "waiting" | "needs_resolution" | "cancelling" | "succeeded" | "failed" | "cancelled";

/** Why a run that has not ended does not move just now. Times are ISO 8601 in UTC. */
export interface Waiting {
  readonly cause: "queued" | "script" | "backoff" | "held" | "cancelling";
  readonly since: string;
  readonly until?: string;
  readonly steps?: readonly string[];
  /** For `held`: why, in words. */
  readonly reason?: string;
  /** What would move it, in words; and the mutations that are allowed now. */
  readonly moves: string;
  readonly actions: readonly string[];
}

/** The stored, rebuildable part of a run's view. `nextDue`: epoch ms from which an engine has something to do for it; null when ended. */
export interface Projection {
  readonly status: RunStatus;
  readonly waitingFor: Waiting | null;
  readonly nextDue: number | null;
}
/** Durable alarms of a run: `retry` of a step (subject = node id), `deadline` of the run (subject = ""). */
export interface TimerKey {
  readonly subject: string;
  readonly kind: "retry" | "deadline";
}
export interface Timer extends TimerKey {
  readonly dueAt: number;
}

/** What a run that waits shows at most of its steps: a group may have thousands, and every append writes this. */
export const WAITING_STEPS = 32;

export function project(state: RunState): Projection {
  if (state.ended !== null) return { status: state.ended, waitingFor: null, nextDue: null };
  if (state.startedAt === null) return { status: "queued", waitingFor: waitingQueued(state.at), nextDue: state.at };
  const running = openSteps(state, "running");
  if (running.length > 0) {
    const since = Math.min(...running.map(([, step]) => step.since));
    return { status: "running", waitingFor: waiting("script", since, running), nextDue: since };
  }
  const backoff = openSteps(state, "backoff");
  // Nothing open and not ended is no state that decide leaves: due at once, so that an engine looks.
  if (backoff.length === 0) return { status: "running", waitingFor: null, nextDue: state.at };
  const since = Math.min(...backoff.map(([, step]) => step.since));
  const until = Math.min(...backoff.map(([, step]) => step.dueAt ?? state.at));
  return {
    status: "waiting",
    waitingFor: { ...waiting("backoff", since, backoff), until: iso(until) },
    nextDue: Math.min(until, state.deadlineAt ?? until),
  };
}

/** The alarms that must be stored for a run in this state. */
export function timers(state: RunState): readonly Timer[] {
  if (state.ended !== null) return [];
  const retries = openSteps(state, "backoff").map(([subject, { dueAt }]): Timer => ({ subject, kind: "retry", dueAt: dueAt ?? state.at }));
  return state.deadlineAt === null ? retries : [...retries, { subject: "", kind: "deadline", dueAt: state.deadlineAt }];
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

/** For a run whose start no engine has taken yet. */
export function waitingQueued(since: number): Waiting {
  return { cause: "queued", since: iso(since), moves: "An engine admits it.", actions: ["cancelRun"] };
}

/** For a run that no engine drives until somebody has looked at it. */
export function waitingHeld(reason: string, since: number): Waiting {
  const moves = "Its cancel, or an operator who mends the cause and frees it (docs/operating.md, held runs).";
  return { cause: "held", since: iso(since), reason, moves, actions: ["cancelRun"] };
}

function waiting(cause: "script" | "backoff", since: number, steps: readonly OpenStep[]): Waiting {
  const moves = cause === "script" ? "The outcome of the script, or the run's time-out." : "The next attempt when it is due.";
  return { cause, since: iso(since), steps: steps.slice(0, WAITING_STEPS).map(([id]) => id), moves, actions: ["cancelRun"] };
}

type OpenStep = readonly [string, StepState];
function openSteps(state: RunState, status: "running" | "backoff"): readonly OpenStep[] {
  return state.open.flatMap((id): OpenStep[] => {
    const step = state.steps.get(id);
    return step?.status === status ? [[id, step]] : [];
  });
}

function keyOf({ kind, subject }: TimerKey): string {
  return `${kind} ${subject}`;
}
