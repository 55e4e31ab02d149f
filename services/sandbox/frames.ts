/** Both directions of the engine's connection to the supervisor. 4 bytes length, big endian, then this as JSON. */
export const PROTOCOL = 1;

export interface Limits {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly heapMb: number;
  readonly resultBytes: number;
  readonly consoleBytes: number;
}
export type ToSupervisor =
  | { readonly frame: "hello"; readonly protocol: number }
  | {
      readonly frame: "invoke";
      readonly invocation: string;
      readonly tenant: string;
      readonly script: {
        readonly digest: string;
        readonly text?: string;
        readonly file: string;
        readonly line: number;
        readonly column: number;
      };
      readonly context: string;
      readonly attempt: string;
      readonly limits: Limits;
    }
  | { readonly frame: "cancel"; readonly invocation: string }
  | { readonly frame: "answer"; readonly invocation: string; readonly call: number; readonly text: string };

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
export interface Outcome {
  readonly outcome: OutcomeName;
  readonly result?: string;
  readonly failure?: { readonly name: string; readonly message: string; readonly stack: string };
  readonly retryAfterMs?: number;
  /** JSON path of what made the result invalid, or the limit that was met. */
  readonly detail?: string;
  /** The process that ran it; absent when none did. */
  readonly workerPid?: number;
  readonly cpuMs: number;
  readonly ms: number;
}
export type FromSupervisor =
  | { readonly frame: "hello"; readonly protocol: number; readonly layers: readonly string[] }
  | { readonly frame: "outcome"; readonly invocation: string; readonly outcome: Outcome }
  | { readonly frame: "line"; readonly invocation: string; readonly level: string; readonly text: string }
  | { readonly frame: "call"; readonly invocation: string; readonly call: number; readonly operation: string; readonly input: string };
