import { awaitedUntil, awaitsChild } from "./child.ts";
import { dueAt, mayRun, type OpenStep, openSteps, pendingOf } from "./open.ts";
import { type OperationState, operationId, type RunState } from "./state.ts";
import { iso } from "./time.ts";

/** Lower case in the house and in the run view; the GraphQL enum is the same words in capitals. */
export type RunStatus = "queued" | "running" | "waiting" | "needs_resolution" | "cancelling" | "succeeded" | "failed" | "cancelled";

/**
 * Why a run that has not ended does not move just now. Times are ISO 8601 in UTC. `needs_resolution`: a person has to say how an effect ended;
 * `approval`: a person has to decide. Both though other things may go on. `operation`: scripts are parked on operations; `child`: on runs of
 * other workflows alone. `stopping`: it ends when its operations have settled. `lifecycle`: its outcome is decided, and hooks have yet to end.
 * `start_at`: it was asked for a time that has yet to come.
 * `nothing`: nobody moves it, which decide leaves no run in.
 */
export interface Waiting {
  readonly cause: Cause | "queued" | "start_at" | "held";
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
 * or only a person moves it. `holds`: whether it takes up a place in its lanes (holdsPlace).
 */
export interface Projection {
  readonly status: RunStatus;
  readonly waitingFor: Waiting | null;
  readonly nextDue: number | null;
  readonly holds: boolean;
}

type Cause = "script" | "operation" | "child" | "backoff" | "approval" | "needs_resolution" | "stopping" | "lifecycle" | "nothing";

/** What a run that waits shows at most of its steps and operations: it may have thousands, and every append writes this. */
export const WAITING_STEPS = 32;

export function project(state: RunState): Projection {
  if (state.ended !== null) return { status: state.ended, waitingFor: null, nextDue: null, holds: false };
  if (state.startedAt === null && state.stop === null) {
    return { status: "queued", waitingFor: waitingQueued(state.at), nextDue: state.at, holds: false };
  }
  return { ...standing(state), nextDue: dueAt(state), holds: holdsPlace(state) };
}

/**
 * A script runs, or an operation of its own is in flight. What only waits holds no place: for a delay, a person, another run, an answer of whoever is asked
 * again. Nor does a run that is ending: that is never kept waiting for a place, so that it must not need one.
 */
function holdsPlace(state: RunState): boolean {
  if (state.cancelRequested || state.stop !== null || state.outcome !== null) return false;
  const running = openSteps(state, "running");
  return running.some(([, step]) => mayRun(step)) || pendingOf(state, running).some((one) => isOpen(one) && !awaitsChild(one));
}

/** For a run whose start no engine has taken yet. */
export function waitingQueued(since: number): Waiting {
  return { cause: "queued", since: iso(since), moves: "An engine admits it.", actions: ["cancelRun"] };
}

/** For a run that stands in line for a place, to go on. */
export function waitingInLine(since: number): Waiting {
  return { ...waitingQueued(since), moves: "A place in its lane, or its time-out." };
}

/** For a run that was asked for, and is not to start before a time. */
export function waitingStartAt(since: number, until: number): Waiting {
  return { cause: "start_at", since: iso(since), until: iso(until), moves: "Its time comes.", actions: ["cancelRun"] };
}

/** For a run that no engine drives until somebody has looked at it. */
export function waitingHeld(reason: string, since: number): Waiting {
  const moves = "Its cancel, or an operator who mends the cause and frees it (docs/operating.md, held runs).";
  return { cause: "held", since: iso(since), reason, moves, actions: ["cancelRun"] };
}

type Standing = Omit<Projection, "nextDue" | "holds">;

/** What a person has to do comes first: the run shows it while other things go on. */
function standing(state: RunState): Standing {
  const running = openSteps(state, "running");
  if (state.stop !== null) return stopping(state, running);
  const asked = running.filter(([, { unknown, diverged, isStopping }]) => !isStopping && (unknown.length > 0 || diverged !== null));
  if (asked.length > 0) return { status: "needs_resolution", waitingFor: forPerson(state, asked) };
  const scripts = running.filter(([, step]) => mayRun(step));
  const status = scripts.length > 0 ? "running" : "waiting";
  if (state.outcome !== null) return { status: state.outcome.status === "cancelled" ? "cancelling" : status, waitingFor: forHooks(state) };
  if (state.waiting.length > 0) return { status, waitingFor: forDecision(state) };
  if (scripts.length > 0) return { status, waitingFor: waiting("script", scripts) };
  if (running.length > 0) return { status, waitingFor: forOperations(state, causeOf(state, running), running) };
  const backoff = openSteps(state, "backoff");
  if (backoff.length === 0) return { status: "running", waitingFor: about("nothing", { since: state.at }) };
  return { status, waitingFor: { ...waiting("backoff", backoff), ...until(backoff.flatMap(([, { dueAt: due }]) => due ?? [])) } };
}

/** Of an outcome that is decided only what observes goes on, and nobody stops that. */
function forHooks(state: RunState): Waiting {
  const open = [...openSteps(state, "running"), ...openSteps(state, "backoff")];
  const since = Math.min(state.at, ...open.map(([, step]) => step.since));
  return { ...about("lifecycle", { since, steps: named(open) }), actions: [] };
}

/** As many may decide at once as approvals wait; the first time-out is the next thing that happens of itself. */
function forDecision(state: RunState): Waiting {
  const approvals = state.waiting.flatMap((site) => state.approvals.get(site) ?? []);
  const since = Math.min(state.at, ...approvals.map(({ requestedAt }) => requestedAt));
  const waits = about("approval", { since, steps: state.waiting.slice(0, WAITING_STEPS) });
  return { ...waits, ...until(approvals.flatMap(({ deadlineAt }) => deadlineAt ?? [])), actions: ["resolveApproval", "cancelRun"] };
}

function causeOf(state: RunState, parked: readonly OpenStep[]): "operation" | "child" {
  const pending = pendingOf(state, parked);
  return pending.length > 0 && pending.every(awaitsChild) ? "child" : "operation";
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

function forOperations(state: RunState, cause: "operation" | "child" | "stopping", steps: readonly OpenStep[]): Waiting {
  const pending = pendingOf(state, steps);
  const since = Math.min(...pending.map(({ firstAt }) => firstAt), state.at);
  const times = pending.flatMap((one) => (awaitsChild(one) ? awaitedUntil(one) : (one.doubt?.askAt ?? [])));
  const operations = pending.slice(0, WAITING_STEPS).map(({ node, attempt, call }) => operationId(node, attempt, call));
  const isTimed = times.length === pending.length;
  return { ...about(cause, { since, steps: named(steps) }), ...(isTimed ? until(times) : {}), operations };
}

function about(cause: Cause, { since, steps }: { readonly since: number; readonly steps?: readonly string[] }): Waiting {
  return { cause, since: iso(since), ...(steps === undefined ? {} : { steps }), moves: MOVES[cause], actions: ["cancelRun"] };
}

const until = (times: readonly number[]): { readonly until?: string } => (times.length === 0 ? {} : { until: iso(Math.min(...times)) });

function waiting(cause: "script" | "backoff", steps: readonly OpenStep[]): Waiting {
  const since = Math.min(...steps.map(([, step]) => step.since));
  return about(cause, { since, steps: named(steps) });
}

const MOVES: { readonly [K in Cause]: string } = {
  script: "The outcome of the script, or the run's time-out.",
  backoff: "The next attempt when it is due.",
  operation: "The outcome of an operation, or the run's time-out.",
  child: "The end of a run that it called, or the time of the call.",
  approval: "A person who decides (woml runs approve or reject), or the time-out of an approval; or its cancel.",
  needs_resolution: "A person who looks what was done, and says so (woml runs resolve); or its cancel.",
  stopping: "The outcomes of its operations; nothing else begins.",
  lifecycle: "The ends of the hooks of its outcome, which change it no more.",
  nothing: "Its cancel; no event can follow of itself (woml doctor).",
};

function named(steps: readonly OpenStep[]): readonly string[] {
  return steps.slice(0, WAITING_STEPS).map(([id]) => id);
}

function isOpen({ status }: OperationState): boolean {
  return status === "open";
}
