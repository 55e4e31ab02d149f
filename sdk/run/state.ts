import type { Json } from "@woml/model";
import type { Failure, Outcome, RunEvents } from "./event.ts";
import type { Ledger } from "./ledger.ts";

/** One step as its events left it. `attempt` is the current or the last one; in `backoff` it is the one that will start at `dueAt`. */
export interface StepState {
  readonly status: "running" | "backoff" | "succeeded" | "failed" | "cancelled";
  readonly attempt: number;
  readonly dueAt: number | null;
  /** When it came into this status: the start of the attempt, the time the retry was scheduled, the end. Epoch ms. */
  readonly since: number;
  /** Resumes of the current attempt by what was lost: engine and host together, worker. */
  readonly resumes: { readonly host: number; readonly worker: number };
  readonly failure: Failure | null;
}
export interface ParallelState {
  readonly status: "open" | "succeeded" | "failed";
}
export interface ChoiceState {
  readonly arm: string;
  readonly settled: boolean;
}

/** What the log of one run says. Derived by fold alone, private to the house: an API shows a view. */
export interface RunState {
  /** seq and time of the last event; 0 and 0 before the first. */
  readonly head: number;
  readonly at: number;
  readonly admitted: RunEvents["run_admitted"] | null;
  readonly admittedAt: number | null;
  readonly startedAt: number | null;
  readonly deadlineAt: number | null;
  readonly cancelRequested: boolean;
  readonly deadlineReached: boolean;
  readonly outcome: Outcome | null;
  readonly ended: "succeeded" | "failed" | "cancelled" | null;
  readonly steps: Ledger<StepState>;
  readonly parallels: Ledger<ParallelState>;
  readonly choices: Ledger<ChoiceState>;
  /** Outputs of succeeded steps and settled choices, by node id. */
  readonly outputs: Ledger<Json>;
  /** Steps whose status is running or backoff, by their last start or schedule: what decide and due look at, never all steps. */
  readonly open: readonly string[];
  /** The last step_failed: its retry may only be scheduled by the very next event. */
  readonly lastFailed: { readonly node: string; readonly seq: number } | null;
}
