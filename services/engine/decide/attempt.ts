import type { Retry } from "@woml/model";
import { type Failure, isAction, mayRun, type NewEvent, operationId, type RunEvents, type StepState, taskAt } from "@woml/run";
import { divergeAction, settleAction } from "./action.ts";
import type { DivergeAttempt, ParkAttempt, ReportAttempt, ResumeAttempt } from "./command.ts";
import type { Draft } from "./draft.ts";
import { exhausted, holdsUnknown } from "./failure.ts";
import { windDown } from "./finish.ts";
import { childEnded, failAt, goOn } from "./flow.ts";
import { overflow } from "./limits.ts";
import { stepEnded } from "./observe.ts";
import { cancelChild } from "./parallel.ts";

/** How often an attempt is run again after what ran it was lost: engine and supervisor together, its worker. */
export const RESUMES: { readonly host: number; readonly worker: number } = { host: 5, worker: 2 };

/** The step, while the script of this attempt may run or be running. */
export function live({ state }: Draft, node: string, attempt: number): StepState | null {
  const step = state.steps.get(node);
  if (state.stop !== null || step?.status !== "running" || step.attempt !== attempt) return null;
  return mayRun(step) ? step : null;
}

/** Held back by whoever reports while operations of the attempt are pending: an outcome is written after theirs. */
export function reportAttempt(draft: Draft, { node, attempt, outcome }: ReportAttempt): void {
  if (live(draft, node, attempt)?.pending.length !== 0) return;
  const { cpuMs } = outcome;
  if (outcome.status === "succeeded") {
    succeedAttempt(draft, { node, attempt, cpuMs, output: outcome.output });
    return;
  }
  const failure = { ...outcome.failure, step: node };
  const thrown = outcome.call === undefined ? null : draft.state.operations.get(operationId(node, attempt, outcome.call))?.failure;
  if (!thrown || failure.kind !== "script_threw") failAttempt(draft, { node, attempt, cpuMs, failure }, failure.kind === "script_threw");
  else {
    const { code, message, retryable, ambiguous } = thrown;
    failAttempt(draft, { node, attempt, cpuMs, failure: { ...failure, kind: "service_failed", code, message } }, retryable && !ambiguous);
  }
}

function succeedAttempt(draft: Draft, succeeded: RunEvents["step_succeeded"]): void {
  const { node, attempt, cpuMs, output } = succeeded;
  if (isAction(node)) {
    settleAction(draft, succeeded);
    return;
  }
  const over = overflow(draft, node, output);
  if (over !== null) {
    failAttempt(draft, { node, attempt, cpuMs, failure: over }, false);
    return;
  }
  draft.emit({ type: "step_succeeded", data: succeeded });
  stepEnded(draft, succeeded.node, "succeeded");
  goOn(draft, succeeded.node);
}

/** Lost too often, it is not begun again while its operations are pending: what settles wakes it once more, and then it fails. */
export function resumeAttempt(draft: Draft, { node, attempt, lost }: ResumeAttempt): void {
  const step = live(draft, node, attempt);
  if (step === null) return;
  const counter = lost === "worker" ? "worker" : "host";
  const resume = step.resumes[counter] + 1;
  if (resume <= RESUMES[counter]) draft.emit({ type: "attempt_resumed", data: { node, attempt, reason: reasonOf(step), lost, resume } });
  else if (step.pending.length > 0) draft.emit({ type: "attempt_parked", data: { node, attempt } });
  else failAttempt(draft, { node, attempt, cpuMs: 0, failure: tooOften(node, counter, resume) }, false);
}

/** What it waited for may have settled in the meantime: then its script is begun again at once. */
export function parkAttempt(draft: Draft, { node, attempt }: ParkAttempt): void {
  const step = live(draft, node, attempt);
  if (step === null || reasonOf(step) !== "journal") return;
  if (step.pending.length > 0) draft.emit({ type: "attempt_parked", data: { node, attempt } });
  else draft.emit(resumed(node, attempt));
}

export function divergeAttempt(draft: Draft, { node, attempt, detail }: Pick<DivergeAttempt, "node" | "attempt" | "detail">): void {
  if (live(draft, node, attempt) === null) return;
  if (isAction(node)) divergeAction(draft, { node, attempt, detail });
  else draft.emit({ type: "attempt_diverged", data: { node, attempt, detail } });
}

/**
 * An operation of the step has an answer, or is refused for good: what waits for that goes on. While another outcome is unknown nothing
 * does; an attempt that can only fail does so when none is pending.
 */
export function carryOn(draft: Draft, node: string): void {
  const { stop, steps } = draft.state;
  const step = steps.get(node);
  if (stop !== null) windDown(draft, stop);
  else if (step?.isStopping) endStopped(draft, node, step);
  else if (step?.status !== "running" || step.unknown.length > 0 || step.diverged !== null) return;
  else if (step.doomed === null) {
    if (step.parked) draft.emit(resumed(node, step.attempt));
  } else if (step.pending.length === 0) failAttempt(draft, { node, attempt: step.attempt, cpuMs: 0, failure: step.doomed }, false);
}

/** What was told to end does so with the last of its operations. */
function endStopped(draft: Draft, node: string, { pending }: StepState): void {
  if (pending.length > 0) return;
  cancelChild(draft, node);
  childEnded(draft, node);
}

/** The delay before attempt `attempt` (2 or more), in milliseconds. */
export function retryDelayMs({ backoff }: Retry, attempt: number): number {
  return backoff.kind === "fixed" ? backoff.delayMs : Math.min(backoff.delayMs * 2 ** (attempt - 2), backoff.maxDelayMs);
}

interface Failed {
  readonly node: string;
  readonly attempt: number;
  readonly failure: Failure;
  readonly cpuMs: number;
}

/** D6: `mayRetry` says whether the failure is known to be one that another attempt may cure. */
export function failAttempt(draft: Draft, failed: Failed, mayRetry: boolean): void {
  const { node, attempt, failure } = failed;
  const step = draft.state.steps.get(node);
  const isCurable = mayRetry && step !== undefined && !holdsUnknown(draft, step, node);
  if (isAction(node)) {
    settleAction(draft, failed, isCurable);
    return;
  }
  const retry = isCurable ? taskAt(draft.graph, node).retry : null;
  draft.emit({ type: "step_failed", data: failed });
  if (retry === null) failStep(draft, node, failure);
  else if (attempt >= retry.maxAttempts) failStep(draft, node, exhausted(node, attempt, failure));
  else scheduleRetry(draft, node, attempt + 1, retryDelayMs(retry, attempt + 1));
}

function failStep(draft: Draft, node: string, failure: Failure): void {
  stepEnded(draft, node, "failed");
  failAt(draft, node, failure);
}

/** Whatever the step's policy says. */
export function retryAtOnce(draft: Draft, failed: Failed): void {
  const { node, attempt } = failed;
  draft.emit({ type: "step_failed", data: failed });
  scheduleRetry(draft, node, attempt + 1, 0);
  draft.emit({ type: "step_started", data: { node, attempt: attempt + 1 } });
}

function scheduleRetry(draft: Draft, node: string, attempt: number, delayMs: number): void {
  draft.emit({ type: "step_retry_scheduled", data: { node, attempt, dueAt: draft.at + delayMs } });
}

function reasonOf({ calls }: StepState): "journal" | "no_effect_possible" {
  return (calls.at(-1) ?? 0) > 0 ? "journal" : "no_effect_possible";
}

function resumed(node: string, attempt: number): NewEvent {
  return { type: "attempt_resumed", data: { node, attempt, reason: "journal", lost: null, resume: 0 } };
}

function tooOften(step: string, counter: "host" | "worker", times: number): Failure {
  const lost = counter === "worker" ? "The worker" : "What";
  const message = `${lost} that ran the script was lost ${times} times, and it is not run again.`;
  return counter === "worker"
    ? { code: "WOML_SCRIPT_WORKER_CRASHED", kind: "worker_crashed", message, step }
    : { code: "WOML_SCRIPT_HOST_CRASHED", kind: "host_unavailable", message, step };
}
