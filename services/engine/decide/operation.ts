import { type NewEvent, type OperationOutcome, type OperationState, operationId } from "@woml/run";
import { carryOn } from "./attempt.ts";
import type { ReportOperation } from "./command.ts";
import type { Draft } from "./draft.ts";
import { windDown } from "./finish.ts";
import { type Next, next } from "./recovery.ts";

/** What is said of a dispatch counts while it is the operation's last and has no outcome. */
export function reportOperation(draft: Draft, { node, attempt, call, try: tried, said }: ReportOperation): void {
  const operation = draft.state.operations.get(operationId(node, attempt, call));
  const called = operation?.called;
  if (!operation || !called || operation.try !== tried || !isPending(operation)) return;
  const isStopping = draft.state.stop !== null;
  const decided = next({ operation, called, at: draft.at, isStopping }, said);
  if (decided !== null) follow(draft, operation, decided);
}

function follow(draft: Draft, operation: OperationState, decided: Next): void {
  const { node, attempt, call, try: tried } = operation;
  switch (decided.kind) {
    case "settle": {
      const { outcome, evidence } = decided;
      const told: OperationOutcome = outcome.status === "unknown" ? { ...outcome, told: tellsUnknown(draft) } : outcome;
      draft.emit({ type: "operation_settled", data: { node, attempt, call, try: tried, outcome: told, evidence } });
      carryOn(draft, node);
      break;
    }
    case "ask": {
      const { reason, detail, askAt } = decided;
      draft.emit({ type: "operation_doubted", data: { node, attempt, call, try: tried, reason, detail, askAt } });
      break;
    }
    case "again":
      if (decided.isProven) draft.emit(proof(operation, draft.at));
      draft.emit(againOf(operation, "recovery"));
      break;
    default:
      decided satisfies never;
  }
}

/** Nobody will hear of what is pending: it is unknown what was done. */
export function abandon(draft: Draft): void {
  const { open, steps } = draft.state;
  for (const node of open)
    for (const call of steps.get(node)?.pending ?? []) {
      const { attempt, try: tried } = find(draft, node, call);
      draft.emit({ type: "operation_settled", data: { node, attempt, call, try: tried, ...ABANDONED } });
    }
  if (draft.state.stop !== null) windDown(draft, draft.state.stop);
}

const ABANDONED: { readonly outcome: OperationOutcome; readonly evidence: string } = {
  outcome: {
    status: "unknown",
    failure: { code: "WOML_OUTCOME_UNKNOWN", message: "The run ended while nobody drove it.", retryable: false, ambiguous: true },
    told: false,
  },
  evidence: "the run was held when it was cancelled",
};

/** The start of the next dispatch of an operation. */
export function againOf({ node, attempt, call, key, try: tried }: OperationState, by: "recovery" | "person"): NewEvent {
  return { type: "operation_started", data: { node, attempt, call, key, try: tried + 1, by, called: null, seen: [], reused: null } };
}

/** Why the next dispatch is no second effect stands in the log before it. */
function proof({ node, attempt, call, try: tried }: OperationState, at: number): NewEvent {
  const detail = "its provider does not know it, and nothing of it can arrive any more";
  return { type: "operation_doubted", data: { node, attempt, call, try: tried, reason: "not_found", detail, askAt: at } };
}

/** The version or the tenant wants scripts to be told, rather than a person to be asked. In a run that stops no script is left to tell. */
function tellsUnknown({ state, graph }: Draft): boolean {
  if (state.stop !== null) return false;
  return state.admitted?.onAmbiguous === "fail" || graph.definition.policy?.onAmbiguous === "fail";
}

function find({ state }: Draft, node: string, call: number): OperationState {
  const attempt = state.steps.get(node)?.attempt ?? 0;
  const operation = state.operations.get(operationId(node, attempt, call));
  if (operation === undefined) throw new Error(`${node} waits for call ${call}, which is not recorded`);
  return operation;
}

function isPending({ status }: OperationState): boolean {
  return status === "open" || status === "doubted";
}
