/** Every frame there is: 4 bytes length, big endian, then this as JSON. `parse.ts` refuses whatever is not exactly one of these. */
export const PROTOCOL = 5;

export interface Limits {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly heapMb: number;
  readonly resultBytes: number;
  readonly consoleBytes: number;
}
/** A script's text and where its body's first character stands, both 1-based. */
export interface Script {
  readonly digest: string;
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
/** A recorded moment of an earlier run of the same attempt: the script made that call, or was given that answer, or that timer fired. */
export type JournalEntry = { readonly call: number } | { readonly answer: number } | { readonly timer: number };
/** What had been given to the script since its previous call, in order. */
export type Given = Exclude<JournalEntry, { readonly call: number }>;
/** What a script calls as `services.<alias>.<function>(…)`: the bundle of that digest. */
export interface Import {
  readonly alias: string;
  readonly digest: string;
}
/** What both the engine's `invoke` and the supervisor's `run` carry. */
export interface Work {
  readonly invocation: string;
  readonly script: Script;
  readonly context: string;
  readonly attempt: string;
  /**
   * Objects as JSON text, each a binding of its name that is frozen all the way down and has no prototype; what is absent has no binding. A script with
   * props has no `secrets`, though what they hold may be handles of `secrets`.
   */
  readonly props?: string;
  readonly lifecycle?: string;
  readonly notification?: string;
  readonly limits: Limits;
  /** `alias.operation`, called as `services.alias.operation(input, { name })`; a name without a dot is called as `host(name, input)`. */
  readonly operations?: readonly string[];
  /** Each alias once. Two aliases of one digest mean one module, which is run once, before the script. */
  readonly modules?: readonly Import[];
  /** Handles by the name of their secret: what `secrets.NAME` is. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Epoch ms at which `Date` starts; it moves with answers and timers only. */
  readonly startedAt: number;
  /** 64 hex digits each: what `Math.random` and `crypto` draw from. */
  readonly chance: { readonly math: string; readonly crypto: string };
  /** What has to happen first, in this order, before anything new; anything else ends in `diverged`. */
  readonly journal?: readonly JournalEntry[];
  /** A script that so long only waits for answers ends in `waiting`. */
  readonly parkAfterMs?: number;
}

/** The text of a module, ahead of what names its digest and once for as long as the other side keeps it (shelf.ts). */
export interface Module {
  readonly frame: "module";
  readonly digest: string;
  readonly text: string;
}

/** Engine to supervisor. */
export type ToSupervisor = Hello | Module | Invoke | Cancel | Answer | Draining;
export interface Hello {
  readonly frame: "hello";
  readonly protocol: number;
}
export interface Invoke extends Work {
  readonly frame: "invoke";
  readonly tenant: string;
}
export interface Cancel {
  readonly frame: "cancel";
  readonly invocation: string;
}
export interface Answer {
  readonly frame: "answer";
  readonly invocation: string;
  readonly call: number;
  /** `{"ok":true,"value":…}`, or `{"ok":false,"code","message","retryable","ambiguous"}`. */
  readonly text: string;
  /** The answer's recorded time, epoch ms. */
  readonly at: number;
}

export type OutcomeName =
  | "ok"
  | "script_threw"
  | "script_syntax"
  | "invalid_result"
  | "result_too_large"
  | "cpu_exceeded"
  | "wall_exceeded"
  | "memory_exceeded"
  | "worker_crashed"
  | "protocol_violation"
  | "overloaded"
  | "host_unavailable"
  | "cancelled"
  /** Dropped because it only waited for answers. */
  | "waiting"
  /** It did not do what its journal says. */
  | "diverged";
export interface ScriptFailure {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** The call whose failure was thrown on as it was given. */
  readonly call?: number;
}
export interface Outcome {
  readonly outcome: OutcomeName;
  /** JSON text; present exactly when `ok`. */
  readonly result?: string;
  readonly failure?: ScriptFailure;
  readonly retryAfterMs?: number;
  /** JSON path of what made the result invalid, or the limit that was met. */
  readonly detail?: string;
  /** Calls without an answer when it ended by time. */
  readonly open?: readonly number[];
  /** The process that ran it; absent when none did. */
  readonly workerPid?: number;
  readonly cpuMs: number;
  readonly ms: number;
}

/** Supervisor to engine. */
export type FromSupervisor = Welcome | Draining | Begun | Ended | Line | Call;
export interface Welcome extends Hello {
  readonly layers: readonly string[];
}
/** A supervisor is about to end: what it has comes to its end, and it takes nothing new. The engine says it too, once it sends nothing new. */
export interface Draining {
  readonly frame: "draining";
}
/**
 * It is handed to a worker as the live one: sent once, before any line or call of it. One that ends without was never begun, as far as anybody can
 * tell: a worker may run some steps of what it holds before this is heard, but a call of it comes only after this, on the same line.
 */
export interface Begun {
  readonly frame: "begun";
  readonly invocation: string;
}
export interface Ended {
  readonly frame: "outcome";
  readonly invocation: string;
  readonly outcome: Outcome;
}
export interface Line {
  readonly frame: "line";
  readonly invocation: string;
  readonly level: string;
  readonly text: string;
}
export interface Call {
  readonly frame: "call";
  readonly invocation: string;
  /** From 1, without gaps. */
  readonly call: number;
  readonly operation: string;
  readonly name: string | null;
  readonly input: string;
  readonly seen: readonly Given[];
}

/** Supervisor to worker. A worker runs what it gets strictly in order, one at a time. */
export type ToWorker = Module | Run | Answer;
export interface Run extends Work {
  readonly frame: "run";
}
/** Worker to supervisor: strangers' code runs there, so nothing in these is believed. */
export type FromWorker = Ready | Returned | Ended | Line | Call;
export interface Ready {
  readonly frame: "ready";
}
/** Not begun, because the one before it takes long: give it to another worker. */
export interface Returned {
  readonly frame: "returned";
  readonly invocation: string;
}
