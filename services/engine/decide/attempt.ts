import type { Retry, StepNode } from "@woml/model";
import type { Failure, StepState } from "@woml/run";
import type { ReportAttempt, ResumeAttempt } from "./command.ts";
import type { Draft } from "./draft.ts";
import { fail } from "./finish.ts";
import { goOn } from "./flow.ts";
import { failGroup } from "./parallel.ts";

/** How often an attempt is run again after what ran it was lost: engine and supervisor together, its worker. */
export const RESUMES: { readonly host: number; readonly worker: number } = { host: 5, worker: 2 };

export function reportAttempt(draft: Draft, { node, attempt, outcome }: ReportAttempt): void {
  if (running(draft, node, attempt) === null) return;
  const { cpuMs } = outcome;
  if (outcome.status === "failed") failAttempt(draft, { node, attempt, cpuMs, failure: { ...outcome.failure, step: node } });
  else {
    draft.emit({ type: "step_succeeded", data: { node, attempt, output: outcome.output, cpuMs } });
    goOn(draft, node);
  }
}

export function resumeAttempt(draft: Draft, { node, attempt, lost }: ResumeAttempt): void {
  const step = running(draft, node, attempt);
  if (step === null) return;
  const counter = lost === "worker" ? "worker" : "host";
  const resume = step.resumes[counter] + 1;
  if (resume > RESUMES[counter]) failAttempt(draft, { node, attempt, cpuMs: 0, failure: tooOften(node, counter, resume) });
  else draft.emit({ type: "attempt_resumed", data: { node, attempt, reason: "no_effect_possible", lost, resume } });
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

/** Only what a script threw is known to be its own doing, and worth another attempt. */
function failAttempt(draft: Draft, failed: Failed): void {
  const { node, attempt, failure } = failed;
  draft.emit({ type: "step_failed", data: failed });
  const retry = failure.kind === "script_threw" ? stepOf(draft, node).retry : undefined;
  if (retry === undefined) failStep(draft, node, failure);
  else if (attempt >= retry.maxAttempts) failStep(draft, node, exhausted(node, attempt, failure));
  else scheduleRetry(draft, node, attempt + 1, retry);
}

function scheduleRetry(draft: Draft, node: string, attempt: number, retry: Retry): void {
  draft.emit({ type: "step_retry_scheduled", data: { node, attempt, dueAt: draft.at + retryDelayMs(retry, attempt) } });
}

/** A step that has failed for good fails its group, and the run. */
function failStep(draft: Draft, node: string, failure: Failure): void {
  const parallel = draft.graph.parallelOf(node);
  if (parallel !== null) failGroup(draft, parallel, node);
  fail(draft, failure);
}

function running(draft: Draft, node: string, attempt: number): StepState | null {
  const step = draft.state.steps.get(node);
  return step?.status === "running" && step.attempt === attempt ? step : null;
}

function stepOf(draft: Draft, id: string): StepNode {
  const node = draft.graph.node(id);
  if (node.kind !== "step") throw new Error(`${id} is no step`);
  return node;
}

function exhausted(step: string, attempts: number, cause: Failure): Failure {
  const message = `Step ${step} failed in all of its ${attempts} attempts; the last one: ${cause.message}`;
  return { code: "WOML_STEP_RETRIES_EXHAUSTED", kind: "retries_exhausted", message, step, cause };
}

function tooOften(step: string, counter: "host" | "worker", times: number): Failure {
  const lost = counter === "worker" ? "The worker" : "What";
  const message = `${lost} that ran the script was lost ${times} times, and it is not run again.`;
  return counter === "worker"
    ? { code: "WOML_SCRIPT_WORKER_CRASHED", kind: "worker_crashed", message, step }
    : { code: "WOML_SCRIPT_HOST_CRASHED", kind: "host_unavailable", message, step };
}
