import type { Called, EffectTerms, Failure, NewEvent, OperationFailure, OperationOutcome, RunEvents, Seen, Verdict } from "../event.ts";

/** Short spellings of events, so that a log reads like a sentence. */
export const failure: Failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no" };
export const started = (deadlineAt: number | null = null): NewEvent => ({ type: "run_started", data: { deadlineAt } });
export const begin = (node: string, attempt = 1): NewEvent => ({ type: "step_started", data: { node, attempt } });
export const done = (node: string, attempt = 1, output: RunEvents["step_succeeded"]["output"] = 1): NewEvent => ({
  type: "step_succeeded",
  data: { node, attempt, output, cpuMs: 2 },
});
export const broke = (node: string, attempt = 1): NewEvent => ({ type: "step_failed", data: { node, attempt, failure, cpuMs: 2 } });
export const retry = (node: string, attempt: number, dueAt: number): NewEvent => ({
  type: "step_retry_scheduled",
  data: { node, attempt, dueAt },
});
export const dropped = (node: string, attempt: number, reason: RunEvents["step_cancelled"]["reason"]): NewEvent => ({
  type: "step_cancelled",
  data: { node, attempt, reason },
});
export const resumed = (node: string, attempt: number, lost: "engine" | "host" | "worker", resume: number): NewEvent => ({
  type: "attempt_resumed",
  data: { node, attempt, reason: "no_effect_possible", lost, resume },
});
export const open = (node: string): NewEvent => ({ type: "parallel_opened", data: { node } });
export const settled = (node: string, failed: readonly string[] = [], cancelled: readonly string[] = []): NewEvent => ({
  type: "parallel_settled",
  data: { node, status: failed.length === 0 ? "succeeded" : "failed", failed, cancelled },
});
export const select = (node: string, arm: string): NewEvent => ({ type: "choice_selected", data: { node, arm } });
export const chosen = (node: string, output: RunEvents["step_succeeded"]["output"]): NewEvent => ({
  type: "choice_settled",
  data: { node, output },
});
export const cancel: NewEvent = { type: "cancel_requested", data: { request: "r" } };
export const deadline = (deadlineAt: number): NewEvent => ({ type: "deadline_reached", data: { deadlineAt } });
export const decidedOk: NewEvent = { type: "outcome_decided", data: { status: "succeeded", result: 1 } };
export const decidedFailed: NewEvent = { type: "outcome_decided", data: { status: "failed", failure } };
export const decidedCancelled: NewEvent = { type: "outcome_decided", data: { status: "cancelled" } };
export const succeeded: NewEvent = { type: "run_succeeded", data: { result: 1 } };
export const failed: NewEvent = { type: "run_failed", data: { failure } };
export const cancelled: NewEvent = { type: "run_cancelled", data: {} };
export const terms = (kind: EffectTerms["class"], some: Partial<EffectTerms> = {}): EffectTerms => ({
  class: kind,
  ...{ windowMs: null, conclusiveNotFoundAfterMs: null, pendingMaxMs: null },
  ...some,
});
export const called = (effect: EffectTerms, some: Partial<Called> = {}): Called => ({
  ...{ capability: "acme.payments", operation: "charge", release: `sha256:${"1".repeat(64)}`, name: null, inputDigest: "i" },
  ...{ input: { cents: 5 }, effect, timeoutMs: 1_000 },
  ...some,
});
export const denied: OperationFailure = { code: "CARD_DECLINED", message: "no", retryable: false, ambiguous: false };
export const lostAnswer: OperationFailure = { code: "WOML_OPERATION_LOST", message: "lost", retryable: false, ambiguous: true };
type Start = RunEvents["operation_started"];
/** Call `n` of attempt 1 of step `a`, unless said otherwise. */
export const call = (n: number, kind: EffectTerms["class"] | Called = "unsafe", some: Partial<Start> = {}): NewEvent => ({
  type: "operation_started",
  data: {
    ...{ node: "a", attempt: 1, call: n, key: `k${n}`, try: 1, by: "script", seen: [], reused: null },
    called: typeof kind === "string" ? called(terms(kind)) : kind,
    ...some,
  },
});
export const again = (n: number, tried: number, by: Start["by"] = "recovery", some: Partial<Start> = {}): NewEvent => ({
  type: "operation_started",
  data: { node: "a", attempt: 1, call: n, key: `k${n}`, try: tried, by, called: null, seen: [], reused: null, ...some },
});
export const refuse = (n: number, code = "WOML_OPERATION_NAME_REUSED", seen: Seen = []): NewEvent => ({
  type: "operation_refused",
  data: {
    ...{ node: "a", attempt: 1, call: n, capability: "acme.payments", operation: "charge", name: "x", inputDigest: "i", seen },
    failure: { code, message: "no", retryable: false, ambiguous: false },
  },
});
export const doubt = (n: number, tried: number, reason: RunEvents["operation_doubted"]["reason"], askAt: number): NewEvent => ({
  type: "operation_doubted",
  data: { node: "a", attempt: 1, call: n, try: tried, reason, detail: "why", askAt },
});
export const settle = (n: number, tried: number, outcome: OperationOutcome, attempt = 1): NewEvent => ({
  type: "operation_settled",
  data: { node: "a", attempt, call: n, try: tried, outcome, evidence: "how" },
});
export const gave = (n: number, result: RunEvents["run_succeeded"]["result"] = "r", tried = 1): NewEvent =>
  settle(n, tried, { status: "succeeded", result });
export const refusedBy = (n: number, tried = 1): NewEvent => settle(n, tried, { status: "failed", failure: denied });
export const unknown = (n: number, told = false, tried = 1): NewEvent => settle(n, tried, { status: "unknown", failure: lostAnswer, told });
export const resolve = (n: number | null, verdict: Verdict): NewEvent => ({
  type: "outcome_resolved",
  data: { node: "a", attempt: 1, call: n, verdict, by: "key_1", request: "q" },
});
export const park: NewEvent = { type: "attempt_parked", data: { node: "a", attempt: 1 } };
export const wake: NewEvent = {
  type: "attempt_resumed",
  data: { node: "a", attempt: 1, reason: "journal", lost: null, resume: 0 },
};
export const rerun = (resume: number): NewEvent => ({
  type: "attempt_resumed",
  data: { node: "a", attempt: 1, reason: "journal", lost: "engine", resume },
});
export const diverge: NewEvent = { type: "attempt_diverged", data: { node: "a", attempt: 1, detail: "another call" } };
export const stop = (reason: RunEvents["stop_decided"]["reason"]): NewEvent => ({
  type: "stop_decided",
  data: { reason, failure: reason === "cancelled" ? null : failure },
});
