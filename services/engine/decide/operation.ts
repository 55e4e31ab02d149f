import { type Called, isAction, type NewEvent, type OperationOutcome, type OperationState, operationId, type RunEvents } from "@woml/run";
import { carryOn } from "./attempt.ts";
import type { ReportOperation, Said } from "./command.ts";
import type { Draft } from "./draft.ts";
import { windDown } from "./finish.ts";
import { type Next, next } from "./recovery.ts";

/** What is said of a dispatch counts while it is the operation's last and has no outcome. */
export function reportOperation(draft: Draft, { node, attempt, call, try: tried, said, host }: ReportOperation): void {
  const operation = draft.state.operations.get(operationId(node, attempt, call));
  const called = operation?.called;
  if (!operation || !called || operation.try !== tried || !isPending(operation)) return;
  const isStopping = draft.state.stop !== null || draft.state.steps.get(node)?.isStopping === true;
  const reach = outOfReach(operation, called, said);
  const runsUntil = Math.max(operation.runsUntil ?? 0, reach.runsUntil ?? 0);
  const judged = runsUntil === 0 ? operation : { ...operation, runsUntil };
  const decided = next({ operation: judged, called, at: draft.at, isStopping, isRepeated: isRepeated(draft, operation) }, said);
  if (decided === null) return;
  if (reach.runsUntil !== undefined && decided.kind !== "ask")
    draft.emit(doubted(operation, { reason: "lost", detail: reach.detail, askAt: draft.at, runsUntil: reach.runsUntil }));
  follow(draft, operation, decided, { host, runsUntil: reach.runsUntil });
}

/** Of what earlier runs were refused only keys with a window are known here. */
function isRepeated({ state }: Draft, { node, key }: OperationState): boolean {
  const hasKeysOfOthers = state.admitted?.origin !== undefined && !isAction(node);
  return hasKeysOfOthers || (state.byKey.get(key) ?? []).length > 1;
}

/** Its host may perform it until then; of what has no effect nobody asks. */
function outOfReach({ host }: OperationState, called: Called, said: Said): { readonly detail: string; readonly runsUntil?: number } {
  if (said.status !== "lost" || said.runsUntil === undefined) return { detail: "" };
  return called.effect.class === "pure" || host === null ? { detail: "" } : { detail: said.detail, runsUntil: said.runsUntil };
}

interface Reach {
  readonly host: string | undefined;
  readonly runsUntil: number | undefined;
}

function follow(draft: Draft, operation: OperationState, decided: Next, { host, runsUntil }: Reach): void {
  const { node, attempt, call, try: tried } = operation;
  switch (decided.kind) {
    case "settle": {
      const { outcome, evidence } = decided;
      const told: OperationOutcome = outcome.status === "unknown" ? { ...outcome, told: tellsUnknown(draft, operation) } : outcome;
      draft.emit({ type: "operation_settled", data: { node, attempt, call, try: tried, outcome: told, evidence } });
      carryOn(draft, node);
      break;
    }
    case "ask": {
      const { reason, detail, askAt } = decided;
      draft.emit(doubted(operation, { reason, detail, askAt, ...(runsUntil === undefined ? {} : { runsUntil }) }));
      break;
    }
    case "again":
      // Why the next dispatch is no second effect stands in the log before it.
      if (decided.because !== null) draft.emit(doubted(operation, { ...decided.because, askAt: draft.at }));
      draft.emit(againOf(operation, "recovery", host));
      break;
    default:
      decided satisfies never;
  }
}

/** Why what is pending is not waited for, in words. */
interface Abandoned {
  readonly message: string;
  readonly evidence: string;
}
const UNDRIVEN: Abandoned = {
  message: "The run ended while nobody drove it.",
  evidence: "the run was held when it was cancelled",
};

/** Nobody will hear of what is pending: it is unknown what was done. */
export function abandon(draft: Draft, { message, evidence }: Abandoned = UNDRIVEN): void {
  const failure = { code: "WOML_OUTCOME_UNKNOWN", message, retryable: false, ambiguous: true };
  const outcome: OperationOutcome = { status: "unknown", failure, told: false };
  const { open, steps } = draft.state;
  for (const node of open)
    for (const call of steps.get(node)?.pending ?? []) {
      const { attempt, try: tried } = find(draft, node, call);
      draft.emit({ type: "operation_settled", data: { node, attempt, call, try: tried, outcome, evidence } });
    }
  if (draft.state.stop !== null) windDown(draft, draft.state.stop);
}

/** The start of the next dispatch of an operation; `host` is the one it goes to. */
export function againOf(
  { node, attempt, call, key, try: tried }: OperationState,
  by: "recovery" | "person",
  host: string | undefined,
): NewEvent {
  const to = host === undefined ? {} : { host };
  return { type: "operation_started", data: { node, attempt, call, key, try: tried + 1, by, called: null, seen: [], reused: null, ...to } };
}

type Doubt = Pick<RunEvents["operation_doubted"], "reason" | "detail" | "askAt" | "runsUntil">;
function doubted({ node, attempt, call, try: tried }: OperationState, doubt: Doubt): NewEvent {
  return { type: "operation_doubted", data: { node, attempt, call, try: tried, ...doubt } };
}

/** The version or the tenant wants scripts to be told, rather than a person to be asked. In a run that stops no script is left to tell; for what observes no person is asked. */
function tellsUnknown({ state, graph }: Draft, operation: OperationState): boolean {
  if (state.stop !== null || state.steps.get(operation.node)?.isStopping) return false;
  if (isAction(operation.node)) return true;
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
