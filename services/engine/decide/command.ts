import type { Json } from "@woml/model";
import type { StateEntry, StoredChild } from "@woml/prisma";
import type {
  Called,
  Failure,
  Inheritance,
  Lost,
  OperationFailure,
  ParentCall,
  ResumedFrom,
  RunId,
  Seen,
  SignalFrom,
  Verdict,
} from "@woml/run";
import type { Audience } from "../builtin/events.ts";
import type { Wanted } from "../builtin/workflows.ts";

interface Timed {
  /** PostgreSQL's time as the engine knows it, epoch ms. The append gives no earlier one to the events. */
  readonly now: number;
}
/**
 * Where a dispatch goes that may follow from the command: the id of a plugin host that was there just now; "" where none was; absent where there
 * is but one. What follows is recorded with it.
 */
interface Hosted {
  readonly host?: string;
}
interface Admission extends Timed {
  readonly workflow: string;
  readonly version: string;
  readonly trigger: { readonly kind: string; readonly id: string };
  readonly payload: Json;
  readonly labels: readonly string[];
  readonly seed: string;
  readonly onAmbiguous?: "fail";
  readonly trace?: string;
  readonly parent?: ParentCall;
  readonly signal?: SignalFrom;
  /** What a resumed run begins with, and of which run its operations have their keys; without one they have their own, and it inherits none. */
  readonly resumed?: ResumedFrom & Pick<Inheritance, "outputs" | "operations" | "keys"> & { readonly origin?: string };
  readonly rerunOf?: string;
}
interface Attempted extends Timed {
  readonly node: string;
  readonly attempt: number;
}
type AttemptOutcome =
  | { readonly status: "succeeded"; readonly output: Json; readonly cpuMs: number }
  /** `call`: the script threw on the failure of that call as it was given. */
  | { readonly status: "failed"; readonly failure: Failure; readonly cpuMs: number; readonly call?: number };

/** What became of one dispatch, or what its provider says of it. */
export type Said =
  | { readonly status: "succeeded"; readonly result: Json; readonly evidence: string }
  | { readonly status: "failed"; readonly failure: OperationFailure; readonly evidence: string }
  /** The answer was lost while its host lives: the dispatch is over. */
  | { readonly status: "ambiguous"; readonly failure: OperationFailure }
  /**
   * No host that could know the dispatch knows it, and whoever made it can make it no more. `runsUntil`: its host is out of reach and may perform
   * it until then, PostgreSQL's time; absent: the host's process is known to be gone.
   */
  | { readonly status: "lost"; readonly detail: string; readonly runsUntil?: number }
  /** Its host was gone before this engine, which alone could have, had given it the dispatch. */
  | { readonly status: "unsent"; readonly detail: string }
  | { readonly status: "pending"; readonly askAgainMs: number }
  /** `askedAt`: when the question was sent, PostgreSQL's time; an older answer proves nothing about later. Absent: just now. */
  | { readonly status: "not_found"; readonly askedAt?: number }
  | { readonly status: "cannot_tell"; readonly detail: string };

export type AdmitRun = Admission & { readonly kind: "admit_run" };
/** Admitted and failed at once: what it should run cannot be run. */
export type RefuseRun = Admission & { readonly kind: "refuse_run"; readonly failure: Failure };
export type ReportAttempt = Attempted & { readonly kind: "report_attempt"; readonly outcome: AttemptOutcome };
/** The attempt was taken away without an outcome. What its script had called is in the log. */
export type ResumeAttempt = Attempted & { readonly kind: "resume_attempt"; readonly lost: Lost };
/** The script has called: `called` is an operation, or `refused` says why it cannot be one. */
export type CallOperation = Attempted &
  Hosted & {
    readonly kind: "call_operation";
    readonly call: number;
    readonly key: string;
    readonly seen: Seen;
    readonly asked: /** `drawn`: what an operation of the platform's own is judged by. */
      | { readonly called: Called; readonly drawn?: Drawn }
      | {
          readonly refused: OperationFailure;
          readonly capability: string;
          readonly operation: string;
          readonly name: string | null;
          readonly inputDigest: string;
        };
  };
export type Drawn =
  | { readonly of: "state"; readonly entry: StateEntry }
  | ({ readonly of: "events" } & Audience)
  | ({ readonly of: "workflows" } & Wanted);
/** A run that this one called may have ended: what it came to, null while it goes on. */
export type ReportChild = Timed & { readonly kind: "report_child"; readonly child: RunId; readonly ended: StoredChild["ended"] };
export type ReportOperation = Attempted &
  Hosted & {
    readonly kind: "report_operation";
    readonly call: number;
    readonly try: number;
    readonly said: Said;
  };
/** Its script only waits for operations and was dropped. */
export type ParkAttempt = Attempted & { readonly kind: "park_attempt" };
export type DivergeAttempt = Attempted & { readonly kind: "diverge_attempt"; readonly detail: string };
export type ResolveOutcome = Attempted &
  Hosted & {
    readonly kind: "resolve_outcome";
    readonly call: number | null;
    readonly expectedHead: number;
    readonly verdict: Verdict;
    readonly by: string;
    readonly request: string;
    /** When it was said, PostgreSQL's time: what had been looked at by then proves nothing about later. Absent: just now. */
    readonly askedAt?: number;
  };
/** What a person says of an approval. `by` is the key's id, or `token`; `askedAt` when it was said, PostgreSQL's time. */
export type ResolveApproval = Timed & {
  readonly kind: "resolve_approval";
  readonly node: string;
  readonly decision: "approved" | "rejected";
  readonly by: string;
  readonly askedAt: number;
};
type FireTimers = Timed & { readonly kind: "fire_timers" };
/** Judged without the definition (it cannot be read, or the run is held), what is pending becomes unknown: nobody hears of it any more. */
export type CancelRun = Timed & { readonly kind: "cancel_run"; readonly request: string };

export type Command =
  | AdmitRun
  | RefuseRun
  | ReportAttempt
  | ResumeAttempt
  | CallOperation
  | ReportOperation
  | ReportChild
  | ParkAttempt
  | DivergeAttempt
  | ResolveOutcome
  | ResolveApproval
  | FireTimers
  | CancelRun;
/** Commands that can be judged when the definition cannot be read. */
export type GraphlessCommand = RefuseRun | CancelRun;
