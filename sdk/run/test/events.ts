import type { Failure, NewEvent, RunEvents } from "../event.ts";

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
export const chosen = (node: string, output: RunEvents["choice_settled"]["output"]): NewEvent => ({
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
