import type { Called, Failure, OperationOutcome, RunEvents, Seen } from "../event.ts";
import { type OperationState, operationId, type RunState, type StepState } from "../state.ts";
import { windowFrom } from "../window.ts";
import { demand, demandWork, scripted } from "./demand.ts";
import { demandRepeat, staysDoubtful } from "./repeat.ts";

type Started = RunEvents["operation_started"];
type Calling = Pick<Started, "node" | "attempt" | "call">;

/** Refusals after which the attempt can only fail, and the kind of that failure. */
const ENDING: Readonly<Record<string, string>> = { WOML_OPERATION_CONFLICT: "operation_conflict", WOML_CALL_LIMIT: "call_limit" };

export function operation_started(state: RunState, data: Started): RunState {
  demandWork(state, data.node);
  return data.called === null ? again(state, data) : begun(state, data, data.called);
}

export function operation_refused(state: RunState, data: RunEvents["operation_refused"]): RunState {
  demandWork(state, data.node);
  const step = calling(state, data);
  const { node, attempt, call, capability, operation, name, inputDigest, seen, failure } = data;
  const refused: OperationState = {
    ...opened(state, { node, attempt, call, seen }),
    ...{ capability, operation, name, inputDigest, failure, key: "", called: null, reused: null },
    ...{ status: "refused", try: 0, settledAt: state.at, answered: { seq: state.head, at: state.at } },
  };
  return kept(state, refused, { ...step, calls: counted(step), doomed: doom(data) });
}

export function operation_doubted(state: RunState, data: RunEvents["operation_doubted"]): RunState {
  const { operation, step } = pending(state, data);
  demand(state, "WOML_LOG_SETTLEMENT", mayBeDoubted(operation, data));
  const { reason, detail, askAt, runsUntil = 0 } = data;
  const cannotTell = reason === "cannot_tell" ? (operation.doubt?.cannotTell ?? 0) + 1 : 0;
  const doubt = { since: operation.doubt?.since ?? state.at, saidAt: state.at, reason, detail, askAt, cannotTell };
  const latest = Math.max(operation.runsUntil ?? 0, runsUntil);
  const { count, since } = operation.unsent;
  const unsent = reason === "unsent" ? { count: count + 1, since: since ?? state.at } : { count, since: null };
  return kept(state, { ...operation, status: "doubted", doubt, unsent, runsUntil: latest === 0 ? null : latest }, step);
}

/**
 * F20. `unsent` is the first thing that is said of a try, and only of one that was to go to a host by its id. That its host is out of reach is
 * said of any class: what follows in the same append settles it or performs it again.
 */
function mayBeDoubted({ called, status, host, reused }: OperationState, { reason, runsUntil }: RunEvents["operation_doubted"]): boolean {
  if (reason === "unsent") return status === "open" && host !== null && reused === null && runsUntil === undefined;
  if (runsUntil !== undefined && (reason !== "lost" || host === null)) return false;
  return called?.effect.class === "reattachable" || (runsUntil !== undefined && status === "open");
}

export function operation_settled(state: RunState, data: RunEvents["operation_settled"]): RunState {
  const { operation, step } = pending(state, data);
  const { outcome, evidence } = data;
  demand(state, "WOML_LOG_SETTLEMENT", operation.reused === null || outcome.status === "succeeded");
  const left = step.pending.filter((call) => call !== data.call);
  const isAsked = outcome.status === "unknown" && !outcome.told;
  const settled: OperationState = {
    ...operation,
    ...{ status: outcome.status, evidence, settledAt: state.at, doubt: null, resolution: null },
    unsent: { ...operation.unsent, since: null },
    ...answerOf(outcome),
    answered: isAsked ? null : { seq: state.head, at: state.at },
  };
  if (!isAsked) return kept(state, settled, { ...step, pending: left });
  return kept(state, settled, { ...step, pending: left, unknown: [...step.unknown, data.call], parked: true });
}

/** F17–F19. */
function begun(state: RunState, data: Started, called: Called): RunState {
  const step = calling(state, data);
  const { node, attempt, call, key, seen, reused, by } = data;
  demand(state, "WOML_LOG_TRY", data.try === 1 && by === "script");
  const before = (state.byKey.get(key) ?? []).flatMap((id) => state.operations.get(id) ?? []);
  demand(state, "WOML_LOG_KEY", key !== "" && before.every((other) => other.node === node && other.attempt < attempt));
  const standing = before.filter(
    ({ status, called: of }) => status === "unknown" || (status === "succeeded" && of?.effect.class !== "pure"),
  );
  if (reused === null) demand(state, "WOML_LOG_KEY", standing.length === 0);
  else
    demand(
      state,
      "WOML_LOG_KEY",
      standing.some((other) => isReusable(other, reused, called)),
    );
  demand(state, "WOML_LOG_KEY", isTrueOfWindow(state, data, called));
  const { capability, operation, name, inputDigest } = called;
  const started: OperationState = {
    ...opened(state, { node, attempt, call, seen }),
    ...{ key, called, capability, operation, name, inputDigest, reused, host: data.host ?? null },
    windowFrom: data.windowFrom ?? state.at,
  };
  const ids = [...(state.byKey.get(key) ?? []), operationId(node, attempt, call)];
  const moved = kept(state, started, { ...step, calls: counted(step), pending: [...step.pending, call] });
  return { ...moved, byKey: state.byKey.with(key, ids) };
}

/** F18, F23. */
function again(state: RunState, data: Started): RunState {
  const { operation, step } = current(state, data);
  demand(state, "WOML_LOG_TRY", data.try === operation.try + 1 && data.try > 1 && data.key === operation.key);
  demand(state, "WOML_LOG_TRY", data.by !== "script" && data.reused === null && data.seen.length === 0);
  demandRepeat(state, operation, data.by);
  const { call, host = null } = data;
  const isDoubtful = staysDoubtful(operation, data.by, state.at);
  // In place of a try that nobody was given, it is still asked for by whoever asked for that one.
  const isInPlace = operation.doubt?.reason === "unsent";
  const by = isInPlace && operation.by === "person" ? "person" : data.by;
  const unsent = isInPlace ? operation.unsent : { ...operation.unsent, since: null };
  const started: OperationState = {
    ...operation,
    unsent,
    ...{ status: "open", try: data.try, by, host, tryAt: state.at, doubt: null, isDoubtful, settledAt: null },
    ...{ failure: null, evidence: "", answered: null },
  };
  const others = step.pending.filter((other) => other !== call);
  return kept(state, started, { ...step, pending: [...others, call], unknown: step.unknown.filter((other) => other !== call) });
}

/** Logs from before windows counted from other attempts do not say it of these. */
function isTrueOfWindow(state: RunState, { node, key, reused, windowFrom: said }: Started, { effect }: Called): boolean {
  const earlier = state.windows.get(key);
  if (earlier !== undefined && earlier.node !== node) return false;
  const known = reused === null && effect.windowMs !== null ? windowFrom(state, key) : undefined;
  return said === known || (said === undefined && earlier === undefined);
}

/** What every operation has when its call is recorded. */
function opened(state: RunState, of: Calling & { readonly seen: Seen }) {
  return {
    ...{ ...of, status: "open", try: 1, by: "script", firstAt: state.at, tryAt: state.at, windowFrom: state.at },
    ...{ doubt: null, isDoubtful: false },
    ...{ result: undefined, failure: null, evidence: "", settledAt: null, told: false, resolution: null, answered: null },
    ...{ host: null, runsUntil: null, unsent: { count: 0, since: null }, head: state.head },
  } satisfies Partial<OperationState>;
}

/** F17. */
function calling(state: RunState, data: Calling & { readonly seen: Seen }): StepState {
  const step = scripted(state, data, "WOML_LOG_CALL");
  demand(state, "WOML_LOG_CALL", data.call === (step.calls.at(-1) ?? 0) + 1);
  const wasAnswered = (call: number): boolean => state.operations.get(operationId(data.node, data.attempt, call))?.answered != null;
  demand(
    state,
    "WOML_LOG_CALL",
    data.seen.every((one) => !("answer" in one) || wasAnswered(one.answer)),
  );
  return step;
}

/** F20: the current try of an operation that is open or doubted. */
function pending(state: RunState, data: Calling & { readonly try: number }): { operation: OperationState; step: StepState } {
  const found = current(state, data);
  const { status, try: last } = found.operation;
  demand(state, "WOML_LOG_SETTLEMENT", (status === "open" || status === "doubted") && data.try === last);
  return found;
}

function current(state: RunState, { node, attempt, call }: Calling): { operation: OperationState; step: StepState } {
  const operation = state.operations.get(operationId(node, attempt, call));
  const step = state.steps.get(node);
  demand(state, "WOML_LOG_CALL", operation !== undefined && step?.status === "running" && step.attempt === attempt);
  return { operation, step };
}

function kept(state: RunState, operation: OperationState, step: StepState): RunState {
  const { head } = state;
  const { node, attempt, call } = operation;
  const operations = state.operations.with(operationId(node, attempt, call), { ...operation, head });
  return { ...state, operations, steps: state.steps.with(node, { ...step, head }) };
}

function counted({ calls }: StepState): readonly number[] {
  return calls.with(-1, (calls.at(-1) ?? 0) + 1);
}

function isReusable(other: OperationState, reused: number, called: Called): boolean {
  return other.attempt === reused && other.status === "succeeded" && other.inputDigest === called.inputDigest;
}

function answerOf(outcome: OperationOutcome): Pick<OperationState, "result" | "failure" | "told"> {
  if (outcome.status === "succeeded") return { result: outcome.result, failure: null, told: false };
  return { result: undefined, failure: outcome.failure, told: outcome.status === "unknown" && outcome.told };
}

function doom({ node, failure: { code, message } }: RunEvents["operation_refused"]): Failure | null {
  const kind = Object.hasOwn(ENDING, code) ? ENDING[code] : undefined;
  return kind === undefined ? null : { code, kind, message, step: node };
}
