import { type OperationState, operationId, type RunState } from "@woml/run";
import { ApiError } from "./errors.ts";

/** What a person is asked about. `operation` is null for an attempt as a whole, whose replay did something else. */
export interface Unknown {
  readonly node: string;
  readonly attempt: number;
  readonly call: number | null;
  /** Of the last event about it. */
  readonly head: number;
  readonly operation: OperationState | null;
}
interface Named {
  readonly node: string;
  readonly attempt: number;
  readonly call: number | null;
}

/** Refuses what is not there, what nobody is asked about, and whoever has not seen the last of it. */
export function findUnknown(state: RunState, named: Named, expectedHead: number): Unknown {
  const found = named.call === null ? attemptOf(state, named) : operationOf(state, named, named.call);
  if (isStopping(state)) throw notUnknown("the run is ending, and nobody is asked any more");
  if (expectedHead < found.head || expectedHead > state.head) {
    const message = "something has happened to it since: look again, and pass the run's `head` as you see it then";
    throw new ApiError("WOML_RESOLUTION_STALE", message, { expectedHead, head: state.head });
  }
  return found;
}

function attemptOf(state: RunState, { node, attempt }: Named): Unknown {
  const step = state.steps.get(node);
  if (step === undefined || attempt > step.attempt) throw notFound();
  const isAsked = step.status === "running" && step.attempt === attempt && step.diverged !== null;
  if (!isAsked) throw notUnknown("that attempt's replay did nothing else");
  if (step.pending.length + step.unknown.length > 0) throw notUnknown("operations of that attempt come first");
  return { node, attempt, call: null, head: step.head, operation: null };
}

function operationOf(state: RunState, { node, attempt }: Named, call: number): Unknown {
  const operation = state.operations.get(operationId(node, attempt, call));
  if (operation === undefined) throw notFound();
  const step = state.steps.get(node);
  const isAsked = operation.status === "unknown" && step?.attempt === attempt && step.unknown.includes(call);
  if (!isAsked) throw notUnknown(operation.told ? "its script was told that nobody knows" : `it is ${operation.status}`);
  return { node, attempt, call, head: operation.head, operation };
}

function isStopping({ cancelRequested, deadlineReached, stop, outcome }: RunState): boolean {
  return cancelRequested || deadlineReached || stop !== null || outcome !== null;
}

function notFound(): ApiError {
  return new ApiError("WOML_OPERATION_NOT_FOUND", "the run has no such operation or attempt");
}

function notUnknown(why: string): ApiError {
  return new ApiError("WOML_OPERATION_NOT_UNKNOWN", `it does not wait for a person: ${why}`);
}
