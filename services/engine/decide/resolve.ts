import { type OperationState, operationId, type StepState } from "@woml/run";
import { carryOn, failAttempt, retryAtOnce } from "./attempt.ts";
import type { ResolveOutcome } from "./command.ts";
import type { Draft } from "./draft.ts";
import { holdsUnknown } from "./failure.ts";
import { goOn } from "./flow.ts";
import { overflow } from "./limits.ts";
import { stepEnded } from "./observe.ts";
import { againOf } from "./operation.ts";

/**
 * What a person says of an outcome that nobody else knows. Invariants:
 *
 *  D19 It counts only for what waits for a person, and only if whoever said it had seen the last event about it. What is told to end waits
 *      for nobody.
 *  D20 "Perform again" is granted if it was asked for conclusiveNotFoundAfterMs after the outcome became unknown or later; that, and "it was
 *      not done", only when no host that is out of reach may be performing it; a new attempt after one that diverged, only while the step holds no unknown.
 */
export function resolveOutcome(draft: Draft, command: ResolveOutcome): void {
  const { stop, head, steps } = draft.state;
  const step = steps.get(command.node);
  if (stop !== null || command.expectedHead > head || step?.status !== "running" || step.attempt !== command.attempt) return;
  if (step.isStopping) return;
  if (command.call === null) resolveAttempt(draft, command, step);
  else resolveOperation(draft, command, step, command.call);
}

function resolveOperation(draft: Draft, command: ResolveOutcome, step: StepState, call: number): void {
  const { node, attempt, verdict, expectedHead } = command;
  const operation = draft.state.operations.get(operationId(node, attempt, call));
  if (operation === undefined || !step.unknown.includes(call) || operation.head > expectedHead) return;
  const askedAt = Math.min(command.askedAt ?? draft.at, draft.at);
  if (verdict.status !== "succeeded" && askedAt < (operation.runsUntil ?? 0)) return;
  if (verdict.status === "retry" && askedAt < retryFrom(operation)) return;
  say(draft, command);
  if (verdict.status === "retry") draft.emit(againOf(operation, "person", command.host));
  else carryOn(draft, node);
}

/** A new attempt is not counted against the step's policy: a person asked for it. */
function resolveAttempt(draft: Draft, command: ResolveOutcome, step: StepState): void {
  const { node, attempt, verdict, expectedHead } = command;
  const isWaiting = step.diverged !== null && step.pending.length === 0 && step.unknown.length === 0;
  if (!isWaiting || step.head > expectedHead) return;
  if (verdict.status === "retry" && holdsUnknown(draft, step, node)) return;
  say(draft, command);
  const failure = { code: "WOML_REPLAY_DIVERGED", kind: "diverged", message: diverged(step, command), step: node };
  const over = verdict.status === "succeeded" ? overflow(draft, node, verdict.result) : null;
  if (over !== null) failAttempt(draft, { node, attempt, cpuMs: 0, failure: over }, false);
  else if (verdict.status === "succeeded") {
    draft.emit({ type: "step_succeeded", data: { node, attempt, output: verdict.result, cpuMs: 0 } });
    stepEnded(draft, node, "succeeded");
    goOn(draft, node);
  } else if (verdict.status === "failed") failAttempt(draft, { node, attempt, cpuMs: 0, failure }, false);
  else retryAtOnce(draft, { node, attempt, cpuMs: 0, failure });
}

function say(draft: Draft, { node, attempt, call, verdict, by, request }: ResolveOutcome): void {
  draft.emit({ type: "outcome_resolved", data: { node, attempt, call, verdict, by, request } });
}

function retryFrom({ settledAt, runsUntil, called }: OperationState): number {
  return Math.max(settledAt ?? 0, runsUntil ?? 0) + (called?.effect.conclusiveNotFoundAfterMs ?? 0);
}

function diverged(step: StepState, { verdict }: ResolveOutcome): string {
  const said = verdict.status === "failed" ? ` A person says: ${verdict.message}` : "";
  return `Run again, the script did not do what is recorded: ${step.diverged}.${said}`;
}
