import { dueAt, type OpenStep, openSteps, pendingOf } from "./open.ts";
import { type OperationState, operationId, type RunState } from "./state.ts";
import { iso } from "./time.ts";

/** Lower case in the house and in the run view; the GraphQL enum is the same words in capitals. */
export type RunStatus = "queued" | "running" | "waiting" | "needs_resolution" | "cancelling" | "succeeded" | "failed" | "cancelled";

/**
 * Why a run that has not ended does not move just now. Times are ISO 8601 in UTC. `operation`: scripts are parked on operations.
 * `needs_resolution`: a person has to say how an effect ended, though siblings may go on. `stopping`: it ends when its operations have settled.
 */
export interface Waiting {
  readonly cause: "queued" | "script" | "operation" | "backoff" | "needs_resolution" | "stopping" | "held";
  readonly since: string;
  readonly until?: string;
  readonly steps?: readonly string[];
  /** `node:attempt:call`; or `node:attempt`, for an attempt that diverged. */
  readonly operations?: readonly string[];
  /** For `held`: why, in words. */
  readonly reason?: string;
  /** What would move it, in words; and the mutations that are allowed now. */
  readonly moves: string;
  readonly actions: readonly string[];
}

/**
 * The stored, rebuildable part of a run's view. `nextDue`: epoch ms from which an engine has something to do for it; null when it has ended,
 * or only a person moves it.
 */
export interface Projection {
  readonly status: RunStatus;
  readonly waitingFor: Waiting | null;
  readonly nextDue: number | null;
}

/** What a run that waits shows at most of its steps and operations: it may have thousands, and every append writes this. */
export const WAITING_STEPS = 32;

export function project(state: RunState): Projection {
  if (state.ended !== null) return { status: state.ended, waitingFor: null, nextDue: null };
  if (state.startedAt === null && state.stop === null) return { status: "queued", waitingFor: waitingQueued(state.at), nextDue: state.at };
  return { ...standing(state), nextDue: dueAt(state) };
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

type Standing = Omit<Projection, "nextDue">;

/** What a person has to do comes first: the run shows it while siblings go on. */
function standing(state: RunState): Standing {
  const running = openSteps(state, "running");
  if (state.stop !== null) return stopping(state, running);
  const asked = running.filter(([, { unknown, diverged }]) => unknown.length > 0 || diverged !== null);
  if (asked.length > 0) return { status: "needs_resolution", waitingFor: forPerson(state, asked) };
  const scripts = running.filter(([, { parked, doomed }]) => !parked && doomed === null);
  if (scripts.length > 0) return { status: "running", waitingFor: waiting("script", scripts) };
  if (running.length > 0) return { status: "waiting", waitingFor: forOperations(state, "operation", running) };
  const backoff = openSteps(state, "backoff");
  // Nothing open and not ended is no state that decide leaves: due at once, so that an engine looks.
  if (backoff.length === 0) return { status: "running", waitingFor: null };
  const until = Math.min(...backoff.map(([, step]) => step.dueAt ?? state.at));
  return { status: "waiting", waitingFor: { ...waiting("backoff", backoff), until: iso(until) } };
}

function stopping(state: RunState, running: readonly OpenStep[]): Standing {
  const status = state.stop?.reason === "cancelled" ? "cancelling" : pendingOf(state, running).some(isOpen) ? "running" : "waiting";
  const waitingFor = { ...forOperations(state, "stopping", running), since: iso(state.stoppedAt ?? state.at), actions: [] };
  return { status, waitingFor };
}

function forPerson(state: RunState, asked: readonly OpenStep[]): Waiting {
  const times = asked.flatMap(([node, { attempt, unknown, since }]) =>
    unknown.length === 0 ? [since] : unknown.map((call) => state.operations.get(operationId(node, attempt, call))?.settledAt ?? since),
  );
  const ids = asked.flatMap(([node, { attempt, unknown }]) =>
    unknown.length === 0 ? [`${node}:${attempt}`] : unknown.map((call) => operationId(node, attempt, call)),
  );
  return {
    ...{ cause: "needs_resolution", since: iso(Math.min(...times)), steps: named(asked), operations: ids.slice(0, WAITING_STEPS) },
    ...{ moves: MOVES.needs_resolution, actions: ["resolveUnknown", "cancelRun"] },
  };
}

function forOperations(state: RunState, cause: "operation" | "stopping", steps: readonly OpenStep[]): Waiting {
  const pending = pendingOf(state, steps);
  const since = Math.min(...pending.map(({ firstAt }) => firstAt), state.at);
  const asks = pending.flatMap(({ doubt }) => doubt?.askAt ?? []);
  const until = asks.length > 0 && asks.length === pending.length ? { until: iso(Math.min(...asks)) } : {};
  const operations = pending.slice(0, WAITING_STEPS).map(({ node, attempt, call }) => operationId(node, attempt, call));
  return { cause, since: iso(since), ...until, steps: named(steps), operations, moves: MOVES[cause], actions: ["cancelRun"] };
}

function waiting(cause: "script" | "backoff", steps: readonly OpenStep[]): Waiting {
  const since = Math.min(...steps.map(([, step]) => step.since));
  return { cause, since: iso(since), steps: named(steps), moves: MOVES[cause], actions: ["cancelRun"] };
}

const MOVES = {
  script: "The outcome of the script, or the run's time-out.",
  backoff: "The next attempt when it is due.",
  operation: "The outcome of an operation, or the run's time-out.",
  needs_resolution: "A person who looks what was done, and says so (woml runs resolve); or its cancel.",
  stopping: "The outcomes of its operations; nothing else begins.",
} as const;

function named(steps: readonly OpenStep[]): readonly string[] {
  return steps.slice(0, WAITING_STEPS).map(([id]) => id);
}

function isOpen({ status }: OperationState): boolean {
  return status === "open";
}
