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
  /** A site (site.ts), here and in every event. */
  readonly node: string;
  readonly attempt: number;
}
/** `call` counts the calls of an attempt's script from 1, refused ones included. */
interface Calling extends Attempted {
  readonly call: number;
}
/** What the platform may do after a crash, evaluated for one input from the manifest of its release. Times in ms. */
export interface EffectTerms {
  readonly class: "pure" | "keyed" | "reattachable" | "unsafe";
  /** How long after the first dispatch the provider still knows the key; null where it keeps none. Also of a reattachable operation. */
  readonly windowMs: number | null;
  /** For reattachable: from when after the end of a dispatch "not found" is proof; null: never. */
  readonly conclusiveNotFoundAfterMs: number | null;
  readonly pendingMaxMs: number | null;
  /** The provider keeps a failure under the key: then its no to a later dispatch speaks for the earlier ones too. Absent: it may try anew. */
  readonly sticky?: boolean;
}
/** An operation as a script asked for it. `input` is as it is stored: secrets are handles in it (engine/perform/handle.ts). */
export interface Called {
  readonly capability: string;
  readonly operation: string;
  /** The release's digest. */
  readonly release: string;
  readonly name: string | null;
  /** Over the canonical text of `input`. */
  readonly inputDigest: string;
  readonly input: Json;
  readonly effect: EffectTerms;
  readonly timeoutMs: number;
  /** The run that a call or start of another workflow asks for, and its version. */
  readonly child?: { readonly run: string; readonly version: string };
}
/** What had been given to the script since its previous call, in order: answers by the number of their call, timers by theirs. */
export type Seen = readonly ({ readonly answer: number } | { readonly timer: number })[];
/** Why an operation has no result, as its script is told. */
export interface OperationFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** The effect may have happened: never retried by a policy. */
  readonly ambiguous: boolean;
}
export type OperationOutcome =
  | { readonly status: "succeeded"; readonly result: Json }
  | { readonly status: "failed"; readonly failure: OperationFailure }
  /** `told`: the script is given an ambiguous failure instead of waiting for a person. */
  | { readonly status: "unknown"; readonly failure: OperationFailure; readonly told: boolean };
/** What a person says of an operation (or, with `call: null`, of an attempt that diverged). `retry`: perform again, or a new attempt. */
export type Verdict =
  | { readonly status: "succeeded"; readonly result: Json }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "retry" };

/** What took an attempt away before it had an outcome. `host` is the supervisor, or a worker killed for a neighbour's sake. */
export type Lost = "engine" | "host" | "worker";

/** The operation of another run that called this one: `operationId(node, attempt, call)` of `run`, and all workflows above, outermost first. */
export interface ParentCall {
  readonly run: string;
  readonly node: string;
  readonly attempt: number;
  readonly call: number;
  readonly lineage: readonly string[];
  /** The caller waits for what this run comes to. */
  readonly isAwaited: boolean;
}
/** The signal that a run was started with: the id of its publication, and the workflows that stand above it, outermost first. */
export interface SignalFrom {
  readonly id: string;
  readonly name: string;
  readonly lineage: readonly string[];
}
/** The run (its bare UUID) whose outputs this one takes over up to the node `from`, which it begins with. */
export interface ResumedFrom {
  readonly run: string;
  readonly from: string;
}

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
    /** The tenant's setting when the run was asked for; a version may set it too. */
    readonly onAmbiguous?: "fail";
    /** W3C `traceparent` of the span that admitted it: what every later span of the run follows from, whoever drives it by then. */
    readonly trace?: string;
    /** Another run called it. */
    readonly parent?: ParentCall;
    /** A signal started it. */
    readonly signal?: SignalFrom;
    readonly resumed?: ResumedFrom;
    /** The run that identities of operations are taken from, where it is not this one: the first of a chain of resumed runs. */
    readonly origin?: string;
    /** The run that this one repeats from the beginning. */
    readonly rerunOf?: string;
  };
  run_started: { readonly deadlineAt: number | null };
  cancel_requested: { readonly request: string };
  deadline_reached: { readonly deadlineAt: number };
  /** The run ends so, but an operation of it has yet to settle: nothing begins any more. `failure` is null for a cancel. */
  stop_decided: { readonly reason: "run_failed" | "cancelled" | "timed_out"; readonly failure: Failure | null };
  /** The main route has failed while something else goes on, or has failed before: when all has settled the run fails with what was first. */
  main_failed: { readonly failure: Failure };
  /** So many events, or bytes of outputs, are 80 % of what a run may have. */
  limit_warned: { readonly limit: "events" | "outputs"; readonly used: number; readonly most: number };
  /** What is open and only observes has its end after this, then hooks of the outcome run, then the terminal event comes. */
  outcome_decided: Outcome;
  run_succeeded: { readonly result: Json };
  run_failed: { readonly failure: Failure };
  run_cancelled: Record<never, never>;
  step_started: Attempted;
  /** Its script only waits for operations: slot and isolate are free until one of them settles. */
  attempt_parked: Attempted;
  /**
   * The script is run again against its journal. `lost` says what took it away, and `resume` counts the resumes of this kind from 1: engine and
   * host share one count, worker has its own. After a park or a resolution nothing was lost: null and 0. `no_effect_possible`: it had made
   * no call; `journal`: it had.
   */
  attempt_resumed: Attempted & {
    readonly reason: "no_effect_possible" | "journal";
    readonly lost: Lost | null;
    readonly resume: number;
  };
  /** A replay did something else than what is recorded: a person has to say how the attempt ended. */
  attempt_diverged: Attempted & { readonly detail: string };
  /**
   * Durable before its dispatch; each dispatch has its own (`try`, from 1). `called` and `seen` stand in the first, `called: null` in the others.
   * `key` is the same in all tries and attempts. A `reused` one is not dispatched: the attempt named had performed it.
   */
  operation_started: Calling & {
    readonly key: string;
    readonly try: number;
    readonly by: "script" | "recovery" | "person";
    readonly called: Called | null;
    readonly seen: Seen;
    readonly reused: number | null;
    /** The plugin host that this dispatch goes to, and no other; "" where none was there. Absent: there is but one, whichever process that is. */
    readonly host?: string;
    /** Of a first try: when its key was first dispatched, by an earlier attempt or run; its window counts from there. Absent: from this. Epoch ms. */
    readonly windowFrom?: number;
  };
  /** A call that never became an operation; the script is given the failure. WOML_OPERATION_CONFLICT and WOML_CALL_LIMIT end the attempt. */
  operation_refused: Calling & {
    readonly capability: string;
    readonly operation: string;
    readonly name: string | null;
    readonly inputDigest: string;
    readonly seen: Seen;
    readonly failure: OperationFailure;
  };
  /**
   * The dispatch is over without an answer, and its class lets us ask: at `askAt`. `lost`: engine or host are gone. `unsent`: the host was gone
   * before it was given it, so nothing was done; the next try follows in the same append.
   */
  operation_doubted: Calling & {
    readonly try: number;
    readonly reason: "lost" | "ambiguous" | "pending" | "not_found" | "cannot_tell" | "unsent";
    readonly detail: string;
    readonly askAt: number;
    /** Its host is out of reach, and may perform it until then: what its provider does not know before is no proof. */
    readonly runsUntil?: number;
  };
  /** `evidence` says in words how we know. */
  operation_settled: Calling & { readonly try: number; readonly outcome: OperationOutcome; readonly evidence: string };
  /** `by` names the key of whoever asked; `call: null` is about a diverged attempt. */
  outcome_resolved: Attempted & {
    readonly call: number | null;
    readonly verdict: Verdict;
    readonly by: string;
    readonly request: string;
  };
  step_succeeded: Attempted & { readonly output: Json; readonly cpuMs: number };
  step_failed: Attempted & { readonly failure: Failure; readonly cpuMs: number };
  step_cancelled: Attempted & { readonly reason: "fail_fast" | "run_failed" | "cancelled" | "timed_out" };
  /** Directly after the step_failed of `attempt − 1`; `attempt` is the one that will start at `dueAt`. */
  step_retry_scheduled: Attempted & { readonly dueAt: number };
  /**
   * An output of the run that this one resumes: as if the step (choice, approval, loop) had succeeded here. Only before run_started. `isStep` is there and
   * true where it is a step; logs from before there was such a word do not say.
   */
  output_inherited: { readonly node: string; readonly output: Json; readonly isStep?: boolean };
  /**
   * An operation that an earlier run of the same origin performed for the step at `node`, or may have: it is not performed again. `performed` is
   * its operationId in `run`, `nth` counts the inherited ones of a node from 1. `beside`: keys of those that its script had asked for in one breath with it,
   * before it, and that had failed. Only before run_started.
   */
  effect_inherited: {
    readonly node: string;
    readonly nth: number;
    readonly key: string;
    readonly run: string;
    readonly performed: string;
    readonly called: Called;
    readonly outcome: Exclude<OperationOutcome, { readonly status: "failed" }>;
    readonly beside: readonly string[];
  };
  /**
   * An operation of the step at `node` was dispatched under `key` by an earlier run of the same origin, and nothing was done: its provider may know
   * the key since `windowFrom`. Only before run_started.
   */
  key_inherited: { readonly node: string; readonly key: string; readonly windowFrom: number };
  parallel_opened: { readonly node: string; readonly onError?: "wait-all" };
  /** A child has failed for good and the group fails fast; nothing begins any more in these, which end when their operations have settled. */
  parallel_failing: { readonly node: string; readonly failed: string; readonly stopped: readonly string[] };
  parallel_settled: {
    readonly node: string;
    readonly status: "succeeded" | "failed";
    readonly failed: readonly string[];
    readonly cancelled: readonly string[];
  };
  choice_selected: { readonly node: string; readonly arm: string };
  /** `output` is absent where the choice has no results. */
  choice_settled: { readonly node: string; readonly output?: Json };
  /** `node` is the fork's join, here and in the two that follow. `joined` says for which branches that waits. */
  fork_opened: { readonly node: string; readonly branches: readonly string[]; readonly joined: readonly string[] };
  branch_settled: {
    readonly node: string;
    readonly branch: string;
    readonly status: "succeeded" | "failed";
    readonly failure: Failure | null;
  };
  /** `blocking` is the branch that failed. */
  join_settled: { readonly node: string; readonly status: "succeeded" | "failed"; readonly blocking: string | null };
  /** `collects`: its output holds the results of its iterations. `nodes` are those of its body. */
  loop_opened: {
    readonly node: string;
    readonly total: number;
    readonly concurrency: number;
    readonly collects: boolean;
    readonly nodes: readonly string[];
  };
  iteration_started: { readonly node: string; readonly index: number };
  /** `node` is the loop. `result` stands where the loop collects and the iteration succeeded. */
  iteration_settled: {
    readonly node: string;
    readonly index: number;
    readonly status: "succeeded" | "failed";
    readonly result?: Json;
    readonly failure: Failure | null;
  };
  /** Those that will not be started, because one failed: all from `from` on. */
  iterations_skipped: { readonly node: string; readonly from: number; readonly count: number };
  loop_settled: { readonly node: string; readonly status: "succeeded" | "failed"; readonly failed: number };
  approval_requested: { readonly node: string; readonly deadlineAt: number | null; readonly onTimeout: "fail" | "reject" };
  /** The first decision, and the only one. `by` names the key of whoever decided, or the token (`token`); null for the time-out. */
  approval_resolved: {
    readonly node: string;
    readonly decision: "approved" | "rejected";
    readonly source: "human" | "timeout";
    readonly by: string | null;
  };
  /** It ends without a decision, and its flow fails. */
  approval_failed: { readonly node: string; readonly reason: "timeout" | "undelivered" };
  /** What observes has something to do: these actions, one after the other; notices of an approval all at once. `hook` as in site.ts. */
  hook_requested: { readonly hook: string; readonly actions: readonly string[] };
  action_started: Attempted;
  /** An action observes: what it came to changes nothing. `result` is what a provider answered; `dueAt`: when it is tried again. */
  action_settled: Attempted & {
    readonly status: "succeeded" | "failed" | "cancelled";
    readonly result?: Json;
    readonly failure: Failure | null;
    readonly cpuMs: number;
    readonly dueAt: number | null;
  };
  hook_settled: { readonly hook: string; readonly failed: number };
}
export type RunEventType = keyof RunEvents;
/** `at` is PostgreSQL's time in epoch milliseconds, never before the previous event's; `seq` counts from 1 without gaps. */
export type RunEvent<K extends RunEventType = RunEventType> = {
  [P in K]: { readonly seq: number; readonly at: number; readonly type: P; readonly data: RunEvents[P] };
}[K];
/** What decide answers: seq and at are given by the append. */
export type NewEvent<K extends RunEventType = RunEventType> = { [P in K]: { readonly type: P; readonly data: RunEvents[P] } }[K];
