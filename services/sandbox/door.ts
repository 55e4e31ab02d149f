import type { Limits, Outcome } from "./frames.ts";

/** One script to run once. Texts are JSON; `script.file`, `line` and `column` (1-based) say where the body's first character stands. */
export interface Invocation {
  readonly invocation: string;
  readonly tenant: string;
  readonly script: {
    readonly digest: string;
    readonly text: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
  };
  readonly context: string;
  readonly attempt: string;
  readonly limits: Limits;
}
export interface Listener {
  /** A console line. */
  readonly line?: (level: string, text: string) => void;
  /** An operation the script calls: the answer's text. Nothing but the hostile runner offers any yet; absent, calls are refused. */
  readonly call?: (operation: string, input: string) => Promise<string>;
}

/** The engine's side of the sandbox. */
export interface Sandbox {
  /** Always resolves. `host_unavailable`: the supervisor went away, or the worker was killed for a neighbour's sake. */
  invoke(invocation: Invocation, listener?: Listener): Promise<Outcome>;
  cancel(invocation: string): void;
  /** Hardening in force, as the supervisor said it. */
  readonly layers: readonly string[];
  close(): Promise<void>;
}
