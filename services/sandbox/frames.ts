/** Every frame there is: 4 bytes length, big endian, then this as JSON. `parse.ts` refuses whatever is not exactly one of these. */
export const PROTOCOL = 1;

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
/** What both the engine's `invoke` and the supervisor's `run` carry. */
export interface Work {
  readonly invocation: string;
  readonly script: Script;
  readonly context: string;
  readonly attempt: string;
  readonly limits: Limits;
  /** The operations its script may call; absent, the script has no way to call any. */
  readonly operations?: readonly string[];
}

/** Engine to supervisor. */
export type ToSupervisor = Hello | Invoke | Cancel | Answer;
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
  readonly text: string;
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
  | "cancelled";
export interface ScriptFailure {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}
export interface Outcome {
  readonly outcome: OutcomeName;
  /** JSON text; present exactly when `ok`. */
  readonly result?: string;
  readonly failure?: ScriptFailure;
  readonly retryAfterMs?: number;
  /** JSON path of what made the result invalid, or the limit that was met. */
  readonly detail?: string;
  /** The process that ran it; absent when none did. */
  readonly workerPid?: number;
  readonly cpuMs: number;
  readonly ms: number;
}

/** Supervisor to engine. */
export type FromSupervisor = Welcome | Ended | Line | Call;
export interface Welcome extends Hello {
  readonly layers: readonly string[];
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
  readonly call: number;
  readonly operation: string;
  readonly input: string;
}

/** Supervisor to worker. A worker runs what it gets strictly in order, one at a time. */
export type ToWorker = Run | Answer;
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
