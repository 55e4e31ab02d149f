import type { Log, Telemetry } from "@woml/boot";

/** What a role is started with besides its settings. */
export interface Around {
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Aborted when the process is told to end: a start that waits gives up. */
  readonly signal: AbortSignal;
  /** Says why it is not ready yet, while it starts. */
  readonly waits: (reason: string) => void;
}
/** The work of one role, once it has begun. */
export interface RolePart {
  /** Where it is asked; null for a role that nobody asks. */
  readonly listen: string | null;
  /** Why it cannot do its work at the moment, in one sentence; null when it can. */
  fault(): Promise<string | null> | string | null;
  /** Takes nothing new, lets what runs come to its end within `graceMs`, hands the rest over. */
  stop(graceMs: number): Promise<void>;
  /** Resolves, with the reason, when it has ended by itself for good. */
  readonly ended?: Promise<string>;
}
