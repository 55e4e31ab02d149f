/**
 * What follows when the answer of a dispatch is lost, late or denied: the one table by which anything is performed again. Invariants
 * (tests quote the numbers; fold holds them a second time, as F19, F20 and F23):
 *
 *  D10 An unsafe operation is dispatched once: without an answer its outcome is unknown.
 *  D11 A keyed one is performed again only with the same key, before the first nine tenths of its window are over, and only if by then
 *      nothing of it is performed any more by a host that is out of reach. The window began with the first dispatch under the key, also that
 *      of an earlier attempt or run: a provider that refused it may count from there, and forget the key so much sooner.
 *  D12 A reattachable one is asked about before anything else. "Not found" is believed only from conclusiveNotFoundAfterMs after the
 *      dispatch ended, and after every host that is out of reach has stopped (runsUntil); before that the key has to be in its window, or a
 *      person decides.
 *  D13 Pure ones are performed again freely, up to a bound, and their loss is a known failure.
 *  D14 A failure says that nothing was done only when no dispatch before it is in doubt, or the provider keeps failures under the key and
 *      itself said no. Where it tries anew, its no, also when it is asked, speaks for one dispatch, and an earlier one may still arrive; or,
 *      where an earlier attempt was refused under the key, it speaks of that, and this one may still arrive.
 *  D15 In a run that stops nothing is performed again: what would have been is unknown, and only what is proven not to be done has failed.
 *  D21 A try that was not sent (its host was gone before it was given anything) says nothing about what was done: another one takes its
 *      place at once, whatever the class, while the operation's time and its tries last; then it could not be begun.
 */
import type { Called, OperationFailure, OperationOutcome, OperationState, RunEvents } from "@woml/run";
import type { Said } from "./command.ts";

/** Dispatches while hosts live; in all, when engines or hosts are lost in between; and how often in a row a provider may not be able to tell. */
export const TRIES = { live: 3, all: 10, asks: 3 };
/** Between two questions to a provider; the first is also the pause after it could not tell, doubled each time. */
export const ASK_MS = { least: 1_000, most: 600_000 };
/** How long "pending" is believed where the manifest does not say. */
export const PENDING_MAX_MS = 86_400_000;
/** The share of a key's window in which a request still comes in time for the provider to know it. */
const WINDOW_SHARE = 0.9;

type Reason = RunEvents["operation_doubted"]["reason"];
export type Next =
  | { readonly kind: "settle"; readonly outcome: Settled; readonly evidence: string }
  /** `because`: why the last dispatch is no second effect. Null: its class allows it. */
  | { readonly kind: "again"; readonly because: { readonly reason: "not_found" | "unsent"; readonly detail: string } | null }
  | { readonly kind: "ask"; readonly reason: Reason; readonly detail: string; readonly askAt: number };
/** Whether an unknown is told to the script is not this table's to say. */
type Settled =
  | Exclude<OperationOutcome, { readonly status: "unknown" }>
  | { readonly status: "unknown"; readonly failure: OperationFailure };
export interface Case {
  /** With what has just been said of hosts that are out of reach. */
  readonly operation: OperationState;
  readonly called: Called;
  readonly at: number;
  readonly isStopping: boolean;
  /** An earlier attempt, or an earlier run whose keys these are, may have been refused under the key. */
  readonly isRepeated: boolean;
}

/** null: what is said does not fit where the operation stands, so it is stale. */
export function next(of: Case, said: Said): Next | null {
  const isDoubted = of.operation.status === "doubted";
  switch (said.status) {
    case "succeeded":
      return { kind: "settle", outcome: { status: "succeeded", result: said.result }, evidence: said.evidence };
    case "failed":
      return denied(of, said.failure, said.evidence);
    case "ambiguous":
      return isDoubted ? null : undecided(of, "ambiguous", said.failure, TRIES.live);
    case "lost":
      return isDoubted ? null : undecided(of, "lost", failure("WOML_OPERATION_LOST", said.detail), TRIES.all);
    case "unsent":
      return isDoubted || of.operation.host === null ? null : unsent(of, said.detail);
    case "pending":
      return isDoubted ? pending(of, said.askAgainMs) : null;
    case "not_found":
      return isDoubted ? notFound(of, Math.min(said.askedAt ?? of.at, of.at)) : null;
    case "cannot_tell":
      return isDoubted ? cannotTell(of, said.detail) : null;
    default:
      return said satisfies never;
  }
}

/** D14. */
function denied(of: Case, why: OperationFailure, evidence: string): Next {
  if (isConclusive(of, why)) return failed(why, evidence);
  return of.operation.status === "doubted" ? deniedOnce(of) : undecided(of, "ambiguous", why, TRIES.live);
}

/** D10–D13: the dispatch is over, and nobody knows whether it had its effect. */
function undecided(of: Case, reason: "ambiguous" | "lost", why: OperationFailure, most: number): Next {
  const mayRepeat = !of.isStopping && of.operation.try < TRIES.all && dispatches(of) < most;
  switch (of.called.effect.class) {
    case "pure":
      if (mayRepeat) return AGAIN;
      return failed({ ...why, retryable: true, ambiguous: false }, "it has no effect, and no dispatch of it was answered");
    case "keyed":
      return mayRepeat && isInWindow(of)
        ? AGAIN
        : unknown(why, "no answer says what was done, and it is not sent again under its key: its tries or its window are over");
    case "reattachable":
      return { kind: "ask", reason, detail: why.message, askAt: of.at };
    case "unsafe":
      return unknown(why, "no answer says what was done, and it is unsafe to send again");
    default:
      return of.called.effect.class satisfies never;
  }
}

/** D21. What cannot be begun any more is judged like any other no of the platform's own. */
function unsent(of: Case, detail: string): Next {
  const { operation, called, at, isStopping } = of;
  if (isStopping) return notBegun(of, "WOML_OPERATION_CANCELLED", "The run ends, and this operation was not begun.");
  const isOver = operation.try >= TRIES.all || at >= (operation.unsent.since ?? at) + Math.max(1, called.timeoutMs);
  const isAllowed = !operation.isDoubtful || called.effect.windowMs === null || isInWindow(of);
  if (!isOver && isAllowed) return { kind: "again", because: { reason: "unsent", detail } };
  return notBegun(of, "WOML_OPERATION_UNAVAILABLE", detail);
}

function pending(of: Case, askAgainMs: number): Next {
  const { by, tryAt, firstAt } = of.operation;
  const limit = (by === "person" ? tryAt : firstAt) + (of.called.effect.pendingMaxMs ?? PENDING_MAX_MS);
  if (of.at >= limit) return unsure(of, "pending", "The provider says for too long that it is pending.");
  const pauseMs = Math.min(Math.max(askAgainMs, ASK_MS.least), ASK_MS.most);
  return { kind: "ask", reason: "pending", detail: "its provider has not finished it", askAt: Math.min(of.at + pauseMs, limit) };
}

/** D12, D15. What was asked before it would be proof, and answered after, is none. */
function notFound(of: Case, askedAt: number): Next {
  const { doubt, try: tries } = of.operation;
  const afterMs = of.called.effect.conclusiveNotFoundAfterMs;
  const mayRepeat = !of.isStopping && tries < TRIES.all;
  if (mayRepeat && isInWindow(of)) return AGAIN;
  if (afterMs === null || doubt === null) return unsure(of, "not_found", "The provider does not know it, which proves nothing.");
  const provenAt = Math.max(doubt.since, of.operation.runsUntil ?? 0) + afterMs;
  if (askedAt < provenAt) {
    return { kind: "ask", reason: "not_found", detail: "its provider does not know it yet", askAt: Math.max(of.at, provenAt) };
  }
  if (mayRepeat) return { kind: "again", because: { reason: "not_found", detail: PROVEN } };
  const why = failure("WOML_OPERATION_NOT_PERFORMED", "The provider does not know it, and nothing of it can arrive any more.");
  return failed({ ...why, retryable: true }, "its provider does not know it, asked late enough for that to be proof");
}

/** Under the key it may be asked again to do it; what it says then is about all of them or, in the end, a person's to find out. */
function deniedOnce(of: Case): Next {
  if (!of.isStopping && dispatches(of) < TRIES.live && isInWindow(of)) return AGAIN;
  return uncertain("The provider refused one dispatch under the key, and may still do another.");
}

function cannotTell(of: Case, detail: string): Next {
  const asked = (of.operation.doubt?.cannotTell ?? 0) + 1;
  if (asked >= TRIES.asks) return unsure(of, "cannot_tell", `Nobody can tell what was done: ${detail}`);
  return { kind: "ask", reason: "cannot_tell", detail, askAt: of.at + ASK_MS.least * 2 ** (asked - 1) };
}

/** D14. A code of the platform's own is no word of the provider. */
function isConclusive({ operation, called, isRepeated }: Case, { code, retryable }: OperationFailure): boolean {
  const { class: kind, sticky } = called.effect;
  const wasAsked = operation.status === "doubted";
  if (kind === "pure" || !(operation.isDoubtful || (wasAsked && isRepeated))) return true;
  const isItsWord = kind === "keyed" || wasAsked;
  return isItsWord && sticky === true && !retryable && !code.startsWith("WOML_");
}

/** D11. */
function isInWindow({ operation, called, at }: Case): boolean {
  const { windowMs } = called.effect;
  return windowMs !== null && Math.max(at, operation.runsUntil ?? 0) < operation.windowFrom + windowMs * WINDOW_SHARE;
}

/** Tries that a host may have been given. */
function dispatches({ operation }: Case): number {
  return operation.try - operation.unsent.count;
}

const AGAIN: Next = { kind: "again", because: null };
const PROVEN = "its provider does not know it, and nothing of it can arrive any more";

function failed(why: OperationFailure, evidence: string): Next {
  return { kind: "settle", outcome: { status: "failed", failure: why }, evidence };
}

function unknown(why: OperationFailure, evidence: string): Next {
  return { kind: "settle", outcome: { status: "unknown", failure: { ...why, retryable: false, ambiguous: true } }, evidence };
}

/** While it may still be performed, what its provider does not know is no reason to ask a person. */
function unsure({ operation: { runsUntil }, at }: Case, reason: Reason, message: string): Next {
  if (runsUntil === null || at >= runsUntil) return uncertain(message);
  return { kind: "ask", reason, detail: "a host that is out of reach may still perform it", askAt: runsUntil };
}

function notBegun(of: Case, code: string, message: string): Next {
  return denied(of, { ...failure(code, message), retryable: !of.isStopping }, "Nothing was dispatched in this try.");
}

function uncertain(message: string): Next {
  return unknown(failure("WOML_OUTCOME_UNKNOWN", message), "its provider was asked, and what it says decides nothing");
}

function failure(code: string, message: string): OperationFailure {
  return { code, message, retryable: false, ambiguous: false };
}
