import type { Failure, OperationState, StepState } from "@woml/run";
import { operationId, taskAt } from "@woml/run";
import type { Draft } from "./draft.ts";

/** What the step there, which has failed for good, failed for in the end: its last failure, or that its attempts are used up. */
export function finalFailure(draft: Draft, node: string): Failure {
  const step = draft.state.steps.get(node);
  if (step?.status !== "failed" || step.failure === null) throw new Error(`${node} has not failed`);
  const { retry } = taskAt(draft.graph, node);
  const isUsedUp = retry !== null && step.attempt >= retry.maxAttempts && wasRetryable(draft, step, node, step.failure);
  return isUsedUp ? exhausted(node, step.attempt, step.failure) : step.failure;
}

export function exhausted(step: string, attempts: number, cause: Failure): Failure {
  const message = `Step ${step} failed in all of its ${attempts} attempts; the last one: ${cause.message}`;
  return { code: "WOML_STEP_RETRIES_EXHAUSTED", kind: "retries_exhausted", message, step, cause };
}

/** Whether an operation of the current attempt is unknown, its script told or not. */
export const holdsUnknown = (draft: Draft, step: StepState, node: string): boolean =>
  operationsOf(draft, step, node).some(({ status }) => status === "unknown");

/** D6, of a failure that is in the log. One of an operation is known by its words there. */
function wasRetryable(draft: Draft, step: StepState, node: string, { kind, code, message }: Failure): boolean {
  if (kind !== "script_threw" && kind !== "service_failed") return false;
  const operations = operationsOf(draft, step, node);
  if (operations.some(({ status }) => status === "unknown")) return false;
  const isIt = ({ failure }: OperationState): boolean =>
    failure?.code === code && failure.message === message && failure.retryable && !failure.ambiguous;
  return kind === "script_threw" || operations.some(isIt);
}

function operationsOf({ state }: Draft, { attempt, calls }: StepState, node: string): readonly OperationState[] {
  const numbers = Array.from({ length: calls.at(-1) ?? 0 }, (_, i) => i + 1);
  return numbers.flatMap((call) => state.operations.get(operationId(node, attempt, call)) ?? []);
}
