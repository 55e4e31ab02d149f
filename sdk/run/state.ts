import type { Json } from "@woml/model";
import type { Called, Failure, OperationFailure, Outcome, RunEvents, Seen } from "./event.ts";
import type { Ledger } from "./ledger.ts";

/** One step or action as its events left it. `attempt` is the current or the last one; in `backoff` it is the one that will start at `dueAt`. */
export interface StepState {
  readonly status: "running" | "backoff" | "succeeded" | "failed" | "cancelled";
  readonly attempt: number;
  readonly dueAt: number | null;
  /** When it came into this status: the start of the attempt, the time the retry was scheduled, the end. Epoch ms. */
  readonly since: number;
  /** Resumes of the current attempt by what was lost: engine and host together, worker. */
  readonly resumes: { readonly host: number; readonly worker: number };
  /** All attempt_resumed of the current attempt: its script has been begun so often and once more. */
  readonly resumed: number;
  readonly failure: Failure | null;
  /** Calls recorded in each attempt, the current one last: operations of attempt a are `operationId(node, a, 1 … calls[a − 1])`. */
  readonly calls: readonly number[];
  /** Calls of the current attempt that are open or doubted, and those whose outcome is unknown and waits for a person. */
  readonly pending: readonly number[];
  readonly unknown: readonly number[];
  /** No script runs until the attempt is resumed: it only waited for operations, or an outcome is unknown. */
  readonly parked: boolean;
  /** Why the attempt can only fail, once its operations have settled. */
  readonly doomed: Failure | null;
  /** What a replay did otherwise; the attempt waits for a person. */
  readonly diverged: string | null;
  /** Nothing of it begins any more, though the run goes on: it is cancelled when its operations have settled. */
  readonly isStopping: boolean;
  /** seq of the last event about the step or an operation of it: a resolution of the attempt must have seen it. */
  readonly head: number;
}
interface Doubted {
  readonly since: number;
  /** When it was doubted last. */
  readonly saidAt: number;
  readonly cannotTell: number;
}
/** One operation of one attempt. Times are epoch ms of the events. */
export interface OperationState {
  readonly node: string;
  readonly attempt: number;
  readonly call: number;
  readonly key: string;
  readonly called: Called | null;
  /** For a refused call, what it asked for. */
  readonly capability: string;
  readonly operation: string;
  readonly name: string | null;
  readonly inputDigest: string;
  readonly seen: Seen;
  readonly status: "open" | "doubted" | "succeeded" | "failed" | "unknown" | "refused";
  /** The current or last dispatch, from 1, when it was started, and by whom; 0 for a refused call. */
  readonly try: number;
  readonly by: "script" | "recovery" | "person";
  readonly firstAt: number;
  readonly tryAt: number;
  /** When something was first dispatched under its key, by whatever attempt or run: from then on its provider may know the key. */
  readonly windowFrom: number;
  /** Of a doubted one: since when, why, when to ask next, and how often in a row its provider could not tell. */
  readonly doubt: (Pick<RunEvents["operation_doubted"], "reason" | "detail" | "askAt"> & Doubted) | null;
  /** The plugin host of the current or last dispatch; "" where none was there; null where there is but one. */
  readonly host: string | null;
  /** Until when a dispatch of it may still be performed by a host that is out of reach: the latest of all its tries. */
  readonly runsUntil: number | null;
  /** Tries that no host was given, and when the first of those in a row was said to be one. */
  readonly unsent: { readonly count: number; readonly since: number | null };
  /** A dispatch before this one may have had its effect: that this one failed does not mean that nothing was done. */
  readonly isDoubtful: boolean;
  /** The result as it was recorded; also of what a person said. */
  readonly result: Json | undefined;
  readonly failure: OperationFailure | null;
  readonly evidence: string;
  /** When it settled, also as unknown; null while it is open or doubted. */
  readonly settledAt: number | null;
  /** Of an unknown one: the script was told, and nobody is asked. */
  readonly told: boolean;
  /** What a person said last, and whose key it was; null once it settles again. */
  readonly resolution: { readonly verdict: "succeeded" | "failed" | "retry"; readonly by: string } | null;
  /** The attempt that had performed it; 0: an earlier run. */
  readonly reused: number | null;
  /** Of what an earlier run performed (attempt 0): that run, its id there, and `beside` of the event. Absent: it is of this run. */
  readonly inherited?: Pick<RunEvents["effect_inherited"], "run" | "performed" | "beside">;
  /** seq and time of the event that gave the answer the script is told; null while there is none to tell. Answers are given in this order. */
  readonly answered: { readonly seq: number; readonly at: number } | null;
  /** seq of the last event about it: a resolution must have seen it. */
  readonly head: number;
}
/** `failing`: a child has failed, and others of the group have yet to end. */
export interface ParallelState {
  readonly status: "open" | "failing" | "succeeded" | "failed";
  readonly waitsForAll: boolean;
}
/** By the id of the join. */
export interface ForkState {
  readonly branches: Ledger<"open" | "succeeded" | "failed">;
  readonly joined: readonly string[];
  readonly join: "pending" | "succeeded" | "failed";
}
export interface LoopState {
  readonly status: "open" | "succeeded" | "failed";
  readonly total: number;
  readonly concurrency: number;
  readonly collects: boolean;
  readonly nodes: readonly string[];
  /** The iteration that would be started next; all before it have been. */
  readonly next: number;
  readonly active: readonly number[];
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  /** What the first iteration that failed did so for. */
  readonly failure: Failure | null;
  /** By index as text; empty again when it has settled. */
  readonly results: Ledger<Json>;
}
export interface ApprovalState {
  readonly status: "waiting" | "approved" | "rejected" | "failed";
  readonly requestedAt: number;
  readonly deadlineAt: number | null;
  readonly onTimeout: "fail" | "reject";
  /** seq of the last event about it. */
  readonly head: number;
}
/** What observes, by `hook` as in site.ts. `outputs` are those that were there when it was requested: its scripts see these. */
export interface HookState {
  readonly status: "open" | "settled";
  readonly actions: readonly string[];
  readonly failed: number;
  readonly outputs: Ledger<Json>;
  /** Of the step that it is about, as it was then: its attempts so far, and its failure. */
  readonly attempts: number;
  readonly failure: Failure | null;
}
export interface ChoiceState {
  readonly arm: string;
  readonly settled: boolean;
}

/** `node:attempt:call`, as the API names an operation; without a call it names the attempt. */
export const operationId = (node: string, attempt: number, call: number): string => `${node}:${attempt}:${call}`;

type WindowState = Pick<RunEvents["key_inherited"], "node" | "windowFrom">;

/** What the log of one run says. Derived by fold alone, private to the house: an API shows a view. */
export interface RunState {
  /** Operations of iterations that have settled are kept too: for whoever reads a log to take it over. Absent: nobody needs them. */
  readonly remembers?: true;
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
  /** What the run is ending with while operations settle; null again once the outcome is decided. */
  readonly stop: RunEvents["stop_decided"] | null;
  readonly stoppedAt: number | null;
  readonly steps: Ledger<StepState>;
  /** By operationId. */
  readonly operations: Ledger<OperationState>;
  /** operationIds by key, in order: one an attempt. Refused calls have none. */
  readonly byKey: Ledger<readonly string[]>;
  /** By key, what earlier runs had dispatched under it in vain: nothing was done, but its provider may know the key. */
  readonly windows: Ledger<WindowState>;
  readonly parallels: Ledger<ParallelState>;
  readonly choices: Ledger<ChoiceState>;
  readonly forks: Ledger<ForkState>;
  readonly loops: Ledger<LoopState>;
  readonly approvals: Ledger<ApprovalState>;
  readonly hooks: Ledger<HookState>;
  /** Approvals that wait, loops that are open, hooks that have not settled: looked at instead of all there ever were. */
  readonly waiting: readonly string[];
  readonly looping: readonly string[];
  readonly observing: readonly string[];
  /** Outputs of succeeded steps, settled choices, approvals and loops, by site. Those of an iteration are gone when it has settled. */
  readonly outputs: Ledger<Json>;
  /** Bytes of all outputs and results there were, as JSON. */
  readonly outputBytes: number;
  readonly warned: readonly ("events" | "outputs")[];
  /** What the run will fail with once what still goes on has settled: the first failure of a branch or of the main route. */
  readonly failing: Failure | null;
  /** Steps and actions whose status is running or backoff, by their last start or schedule: what decide and due look at, never all. */
  readonly open: readonly string[];
  /** The last step_failed: its retry may only be scheduled by the very next event. */
  readonly lastFailed: { readonly node: string; readonly seq: number } | null;
}
