import { type OperationState, operationId, type RunState } from "@woml/run";
import type { JournalEntry } from "@woml/sandbox";

/** Calls recorded of the current attempt of a node. */
export function recorded(state: RunState, node: string, attempt: number): number {
  return state.steps.get(node)?.calls[attempt - 1] ?? 0;
}

/** The operations of one attempt, in the order of their calls. */
export function operationsOf(state: RunState, node: string, attempt: number): readonly OperationState[] {
  return Array.from({ length: recorded(state, node, attempt) }, (_, index) => {
    const operation = state.operations.get(operationId(node, attempt, index + 1));
    if (operation === undefined) throw new Error(`${operationId(node, attempt, index + 1)} is counted and not there`);
    return operation;
  });
}

/** What a replay must see, moment by moment: what each call had seen, then the call. Nothing after the last call. */
export function journalOf(operations: readonly OperationState[]): readonly JournalEntry[] {
  return operations.flatMap(({ seen, call }) => [...seen, { call }]);
}

/** An answer as a script is given it: the text of the sandbox's frame, and the recorded time to which its clock moves. */
export interface Answer {
  readonly call: number;
  readonly text: string;
  readonly at: number;
}

/** Those that have one, in the order in which scripts are told. */
export function answersOf(operations: readonly OperationState[]): readonly Answer[] {
  return operations
    .filter(({ answered }) => answered !== null)
    .toSorted((a, b) => (a.answered?.seq ?? 0) - (b.answered?.seq ?? 0))
    .flatMap((operation) => answerOf(operation) ?? []);
}

export function answerOf({ call, answered, failure, result }: OperationState): Answer | null {
  if (answered === null) return null;
  if (failure === null) return { call, text: JSON.stringify({ ok: true, value: result ?? null }), at: answered.at };
  const { code, message, retryable, ambiguous } = failure;
  return { call, text: JSON.stringify({ ok: false, code, message, retryable, ambiguous }), at: answered.at };
}
