import type { Json } from "@woml/model";
import type { Failure, Lost } from "@woml/run";

interface Timed {
  /** PostgreSQL's time as the engine knows it, epoch ms. The append gives no earlier one to the events. */
  readonly now: number;
}
interface Admission extends Timed {
  readonly workflow: string;
  readonly version: string;
  readonly trigger: { readonly kind: string; readonly id: string };
  readonly payload: Json;
  readonly labels: readonly string[];
  readonly seed: string;
}
interface Attempted extends Timed {
  readonly node: string;
  readonly attempt: number;
}
type AttemptOutcome =
  | { readonly status: "succeeded"; readonly output: Json; readonly cpuMs: number }
  | { readonly status: "failed"; readonly failure: Failure; readonly cpuMs: number };

export type AdmitRun = Admission & { readonly kind: "admit_run" };
/** Admitted and failed at once: what it should run cannot be run. */
export type RefuseRun = Admission & { readonly kind: "refuse_run"; readonly failure: Failure };
export type ReportAttempt = Attempted & { readonly kind: "report_attempt"; readonly outcome: AttemptOutcome };
/** The attempt was taken away without an outcome; nothing can have left its sandbox. */
export type ResumeAttempt = Attempted & { readonly kind: "resume_attempt"; readonly lost: Lost };
type FireTimers = Timed & { readonly kind: "fire_timers" };
export type CancelRun = Timed & { readonly kind: "cancel_run"; readonly request: string };

export type Command = AdmitRun | RefuseRun | ReportAttempt | ResumeAttempt | FireTimers | CancelRun;
/** Commands that can be judged when the definition cannot be read. */
export type GraphlessCommand = RefuseRun | CancelRun;
