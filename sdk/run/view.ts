import type { Json } from "@woml/model";
import type { Failure, RunEventType } from "./event.ts";
import type { RunStatus, Waiting } from "./projection.ts";

/** What an API may show of a run. Times are ISO 8601 in UTC. */
export interface RunView {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly status: RunStatus;
  readonly labels: readonly string[];
  readonly payload: Json;
  readonly result: Json;
  readonly failure: Failure | null;
  readonly waiting: Waiting | null;
  readonly steps: readonly StepView[];
  readonly events: readonly EventView[];
}
export interface StepView {
  readonly id: string;
  readonly status: "running" | "backoff" | "succeeded" | "failed" | "cancelled";
  readonly output: Json;
  readonly attempts: readonly AttemptView[];
}
export interface AttemptView {
  readonly number: number;
  readonly outcome: "succeeded" | "failed" | "cancelled" | null;
  readonly failure: Failure | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly cpuMs: number | null;
}
/** `data` without what is secret (the seed). */
export interface EventView {
  readonly seq: number;
  readonly type: RunEventType;
  readonly at: string;
  readonly data: Json;
}
