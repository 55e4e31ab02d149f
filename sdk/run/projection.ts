/** Lower case in the house and in the run view; the GraphQL enum is the same words in capitals. */
export type RunStatus = "queued" | "running" | "waiting" | "needs_resolution" | "cancelling" | "succeeded" | "failed" | "cancelled";

/** Why a run that has not ended does not move just now. Times are ISO 8601 in UTC. */
export interface Waiting {
  readonly cause: "queued" | "script" | "backoff" | "held" | "cancelling";
  readonly since: string;
  readonly until?: string;
  readonly steps?: readonly string[];
  /** For `held`: why, in words. */
  readonly reason?: string;
  /** What would move it, in words; and the mutations that are allowed now. */
  readonly moves: string;
  readonly actions: readonly string[];
}

/** The stored, rebuildable part of a run's view. `nextDue`: epoch ms from which an engine has something to do for it; null when ended. */
export interface Projection {
  readonly status: RunStatus;
  readonly waitingFor: Waiting | null;
  readonly nextDue: number | null;
}
/** Durable alarms of a run: `retry` of a step (subject = node id), `deadline` of the run (subject = ""). */
export interface TimerKey {
  readonly subject: string;
  readonly kind: "retry" | "deadline";
}
export interface Timer extends TimerKey {
  readonly dueAt: number;
}
