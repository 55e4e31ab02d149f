import type { RunEvents } from "../event.ts";
import type { OperationState, RunState } from "../state.ts";
import { demand } from "./demand.ts";

/** F23: the log itself refuses a second effect that nothing allows. */
export function demandRepeat(state: RunState, operation: OperationState, by: RunEvents["operation_started"]["by"]): void {
  const { status, resolution } = operation;
  if (by === "person") demand(state, "WOML_LOG_REPEAT", status === "unknown" && resolution?.verdict === "retry");
  else {
    demand(state, "WOML_LOG_TRY", (status === "open" || status === "doubted") && operation.reused === null);
    demand(state, "WOML_LOG_REPEAT", mayRepeat(operation, state.at));
  }
}

/** "Not found" is proof: the provider was asked late enough for nothing of any dispatch to land after it. */
function isProven({ called, doubt, runsUntil }: OperationState): boolean {
  const afterMs = called?.effect.conclusiveNotFoundAfterMs ?? null;
  return doubt?.reason === "not_found" && afterMs !== null && doubt.saidAt >= Math.max(doubt.since, runsUntil ?? 0) + afterMs;
}

/** The share of a key's window in which a request surely comes in time for the provider to know it. */
const SURE = 0.9;

/**
 * Whether the dispatches before this one may have had their effect, so that its failure alone does not mean that nothing was done. A person who
 * has it performed again has looked; but where key or provider can still tell, that is believed, and not that the look was late enough.
 */
export function staysDoubtful(operation: OperationState, by: RunEvents["operation_started"]["by"], at: number): boolean {
  if (operation.doubt?.reason === "unsent") return operation.isDoubtful;
  if (by !== "person") return !isProven(operation);
  const { class: kind, windowMs = null } = operation.called?.effect ?? {};
  return windowMs === null ? kind === "reattachable" : kind !== "unsafe" && at < operation.windowFrom + windowMs * SURE;
}

/** After `unsent` what allowed that try allows the next; only a window may have closed in between. */
function mayRepeat(operation: OperationState, at: number): boolean {
  const { class: kind, windowMs = null } = operation.called?.effect ?? {};
  if (kind === "pure") return true;
  if (operation.doubt?.reason === "unsent") return !operation.isDoubtful || windowMs === null || isInWindow(operation, at);
  if (kind === "keyed") return isInWindow(operation, at);
  return kind === "reattachable" && operation.status === "doubted" && (isInWindow(operation, at) || isProven(operation));
}

/** Also what is still performed elsewhere has ended before the provider may forget the key. */
function isInWindow({ called, windowFrom, runsUntil }: OperationState, at: number): boolean {
  const windowMs = called?.effect.windowMs ?? null;
  return windowMs !== null && Math.max(at, runsUntil ?? 0) < windowFrom + windowMs;
}
