import {
  besideOf,
  type Called,
  type NewEvent,
  type OperationFailure,
  type OperationState,
  operationId,
  type RunState,
  type StepState,
  windowFrom,
} from "@woml/run";
import { isBuiltin } from "../builtin/contract.ts";
import { carryOn, divergeAttempt, live } from "./attempt.ts";
import type { CallOperation } from "./command.ts";
import type { Draft } from "./draft.ts";
import { inheritedBy, performerOf } from "./inherited.ts";
import { performOwn } from "./own.ts";
import { letGo } from "./wait.ts";

/** Of one attempt: calls in all, and operations without an outcome at once. The sandbox holds these too; this does not believe it. */
export const CALLS = { all: 1_000, pending: 32 };

/**
 * Makes a call of a running script durable, before anything of it is dispatched. Invariants (fold holds the second and third too, as F19):
 *
 *  D16 A call is recorded once, in the order of its number. A script that says it saw an answer nobody gave it has diverged.
 *  D17 What an earlier attempt of the step achieved, and was not pure, is answered from the log and not dispatched; also what an earlier run of
 *      the same origin did for it.
 *  D18 Where a later attempt asks for something else in its place (another input under the same name; or without a name, while an unnamed
 *      success of the same operation is not asked for yet), the attempt can only fail. What was asked for in one breath with that
 *      success, before it, and has failed, is no such thing: it comes before it again.
 */
export function callOperation(draft: Draft, command: CallOperation): void {
  const { node, attempt, call, seen, asked } = command;
  const step = live(draft, node, attempt);
  if (step === null || call !== callsOf(step) + 1) return;
  if (!seen.every((one) => !("answer" in one) || isAnswered(draft.state, command, one.answer))) {
    divergeAttempt(draft, { node, attempt, detail: `call ${call} says that it saw an answer that was not given` });
    return;
  }
  const refusal = isOver(step) ? LIMIT : "refused" in asked ? asked.refused : refusalOf(draft.state, command, asked.called);
  if (refusal !== null) draft.emit(refused(command, refusal));
  else if ("called" in asked) start(draft, command, asked.called);
  if (draft.state.steps.get(node)?.doomed != null) letGo(draft, node);
  carryOn(draft, node);
}

function start(draft: Draft, command: CallOperation, called: Called): void {
  const { node, attempt, call, key, seen, host } = command;
  const before = achieved(draft.state, command);
  const reused = before?.attempt ?? null;
  const to = host === undefined || reused !== null ? {} : { host };
  const from = reused === null ? windowFrom(draft.state, key) : undefined;
  const since = from === undefined || called.effect.windowMs === null ? {} : { windowFrom: from };
  draft.emit({
    type: "operation_started",
    data: { node, attempt, call, key, try: 1, by: "script", called, seen, reused, ...to, ...since },
  });
  if (before === undefined) {
    if (isBuiltin(called.release)) performOwn(draft, command);
    return;
  }
  const outcome = { status: "succeeded", result: before.result ?? null } as const;
  const evidence = before.inherited === undefined ? `attempt ${before.attempt} had performed it` : before.evidence;
  draft.emit({ type: "operation_settled", data: { node, attempt, call, try: 1, outcome, evidence } });
}

/** Why this must not become an operation of this attempt. */
function refusalOf(state: RunState, command: CallOperation, called: Called): OperationFailure | null {
  const { node, attempt, key } = command;
  if (called.name !== null && underKey(state, key).some((other) => other.attempt === attempt)) return reusedName(called.name);
  const before = achieved(state, command);
  if (before !== undefined) return before.inputDigest === called.inputDigest ? null : otherInput(before);
  if (called.name !== null || called.effect.class === "pure") return null;
  const isUnmatched = (other: OperationState): boolean =>
    isSuch(other, called) && !isAskedFor(state, other, attempt) && !hasFailedBeside(state, other, key);
  const unmatched = earlier(state, node, attempt).find(isUnmatched);
  return unmatched === undefined ? null : otherCall(unmatched);
}

/** D17: the first that performed it, not one that was answered from it. */
function achieved(state: RunState, { key, attempt }: CallOperation): OperationState | undefined {
  return underKey(state, key).find((other) => other.attempt < attempt && isAchieved(other));
}

function isSuch(other: OperationState, { capability, operation }: Called): boolean {
  return isAchieved(other) && other.name === null && other.capability === capability && other.operation === operation;
}

function isAskedFor(state: RunState, { key }: OperationState, attempt: number): boolean {
  return underKey(state, key).some((other) => other.attempt === attempt);
}

function isAchieved({ status, called }: OperationState): boolean {
  return status === "succeeded" && called !== null && called.effect.class !== "pure";
}

/** D18. */
function hasFailedBeside(state: RunState, success: OperationState, key: string): boolean {
  return besideOf(state, success).includes(key);
}

function underKey(state: RunState, key: string): readonly OperationState[] {
  return (state.byKey.get(key) ?? []).flatMap((id) => state.operations.get(id) ?? []);
}

function earlier(state: RunState, node: string, attempt: number): readonly OperationState[] {
  const counts = state.steps.get(node)?.calls.slice(0, attempt - 1) ?? [];
  const own = counts.flatMap((count, i) =>
    Array.from({ length: count }, (_, k) => state.operations.get(operationId(node, i + 1, k + 1))).flatMap((one) => one ?? []),
  );
  return [...inheritedBy(state, node), ...own];
}

function isAnswered(state: RunState, { node, attempt }: CallOperation, call: number): boolean {
  const operation = state.operations.get(operationId(node, attempt, call));
  return operation !== undefined && operation.answered !== null;
}

function callsOf({ calls }: StepState): number {
  return calls.at(-1) ?? 0;
}

function isOver(step: StepState): boolean {
  return callsOf(step) >= CALLS.all || step.pending.length >= CALLS.pending;
}

function refused({ node, attempt, call, seen, asked }: CallOperation, failure: OperationFailure): NewEvent {
  const { capability, operation, name, inputDigest } = "called" in asked ? asked.called : asked;
  return { type: "operation_refused", data: { node, attempt, call, capability, operation, name, inputDigest, seen, failure } };
}

const LIMIT: OperationFailure = {
  code: "WOML_CALL_LIMIT",
  message: `A script may call ${CALLS.all} operations in an attempt, and wait for ${CALLS.pending} of them at once.`,
  ...{ retryable: false, ambiguous: false },
};

function reusedName(name: string): OperationFailure {
  const message = `The name ${JSON.stringify(name)} stands for another call of this operation in this attempt.`;
  return { code: "WOML_OPERATION_NAME_REUSED", message, retryable: false, ambiguous: false };
}

function otherInput(done: OperationState): OperationFailure {
  const message = `${performerOf(done)} has performed ${done.capability}.${done.operation} already, with another input.`;
  return { code: "WOML_OPERATION_CONFLICT", message, retryable: false, ambiguous: false };
}

function otherCall(done: OperationState): OperationFailure {
  const said = `${performerOf(done)} has performed ${done.capability}.${done.operation} already`;
  const message = `${said}, and is not asked for yet: this call may stand in its place. Give such calls names.`;
  return { code: "WOML_OPERATION_CONFLICT", message, retryable: false, ambiguous: false };
}
