import type { Json } from "@woml/model";

/** Why something failed, as people and programs read it. `kind` carries the meaning for retries; `stack` names lines of the `.woml`. */
export interface Failure {
  readonly code: string;
  readonly kind: string;
  readonly message: string;
  readonly step?: string;
  readonly stack?: string;
  readonly cause?: Failure;
}
export type Outcome =
  | { readonly status: "succeeded"; readonly result: Json }
  | { readonly status: "failed"; readonly failure: Failure }
  | { readonly status: "cancelled" };

interface Attempted {
  readonly node: string;
  readonly attempt: number;
}
/** What took an attempt away before it had an outcome. `host` is the supervisor, or a worker killed for a neighbour's sake. */
export type Lost = "engine" | "host" | "worker";

/** Every event of a run and what it carries. One table: adding a type without folding and viewing it does not compile. */
export interface RunEvents {
  /** `version` is the definition's hash, `sha256:` and 64 hex digits. The seed is secret: no view shows it. */
  run_admitted: {
    readonly workflow: string;
    readonly version: string;
    readonly trigger: { readonly kind: string; readonly id: string };
    readonly payload: Json;
    readonly seed: string;
    readonly labels: readonly string[];
  };
  run_started: { readonly deadlineAt: number | null };
  cancel_requested: { readonly request: string };
  deadline_reached: { readonly deadlineAt: number };
  outcome_decided: Outcome;
  run_succeeded: { readonly result: Json };
  run_failed: { readonly failure: Failure };
  run_cancelled: Record<never, never>;
  step_started: Attempted;
  /** `resume` counts the attempt's resumes of this kind, from 1: engine and host share one count, worker has its own. */
  attempt_resumed: Attempted & { readonly reason: "no_effect_possible"; readonly lost: Lost; readonly resume: number };
  step_succeeded: Attempted & { readonly output: Json; readonly cpuMs: number };
  step_failed: Attempted & { readonly failure: Failure; readonly cpuMs: number };
  step_cancelled: Attempted & { readonly reason: "fail_fast" | "run_failed" | "cancelled" | "timed_out" };
  /** Directly after the step_failed of `attempt − 1`; `attempt` is the one that will start at `dueAt`. */
  step_retry_scheduled: Attempted & { readonly dueAt: number };
  parallel_opened: { readonly node: string };
  parallel_settled: {
    readonly node: string;
    readonly status: "succeeded" | "failed";
    readonly failed: readonly string[];
    readonly cancelled: readonly string[];
  };
  choice_selected: { readonly node: string; readonly arm: string };
  choice_settled: { readonly node: string; readonly output: Json };
}
export type RunEventType = keyof RunEvents;
/** `at` is PostgreSQL's time in epoch milliseconds, never before the previous event's; `seq` counts from 1 without gaps. */
export type RunEvent<K extends RunEventType = RunEventType> = {
  [P in K]: { readonly seq: number; readonly at: number; readonly type: P; readonly data: RunEvents[P] };
}[K];
/** What decide answers: seq and at are given by the append. */
export type NewEvent<K extends RunEventType = RunEventType> = { [P in K]: { readonly type: P; readonly data: RunEvents[P] } }[K];
