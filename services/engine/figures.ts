import type { Telemetry } from "@woml/boot";
import { operationId, type RunEvent, type RunState } from "@woml/run";
import { STUCK_MS } from "./bounds.ts";
import type { Clock } from "./clock.ts";
import type { World } from "./engine.ts";
import type { Inbox } from "./inbox.ts";
import type { Tenure } from "./lease.ts";
import type { Roster } from "./roster.ts";

/** For the engine's store: what it says of its appends, in figures. */
export function appendFigures(telemetry: Telemetry): (runs: number, ms: number) => void {
  return (runs, ms) => {
    telemetry.observe("woml_append_batch_runs", runs);
    telemetry.observe("woml_append_ms", ms);
  };
}

interface Parts {
  readonly clock: Clock;
  readonly tenure: Tenure;
  readonly roster: Roster;
  readonly inbox: Inbox;
}

/** Of the engine that this process has now: a later one takes their place. */
export function openGauges(telemetry: Telemetry, { clock, tenure, roster, inbox }: Parts): void {
  telemetry.gauge("woml_inbox_age_ms", () => inbox.age);
  telemetry.gauge("woml_runs_driven", () => roster.size);
  telemetry.gauge("woml_lease_left_ms", () => (tenure.alive() ? Math.max(0, tenure.notAfter() - clock.now()) : 0));
}

/** Counts what nobody moves, now and then of the times that it is told of; an answer that does not come leaves the last one. */
export function openStuck({ store, telemetry, monotonic }: World): () => void {
  let count = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  telemetry.gauge("woml_runs_stuck", () => count);
  return () => {
    if (monotonic() - countedAt < STUCK_MS) return;
    countedAt = monotonic();
    store.stuck().then(
      (now) => {
        count = now;
      },
      () => undefined,
    );
  };
}

/** A run in a line of the log, and the state that what is measured follows. */
interface Measured {
  readonly who: object;
  readonly before: RunState;
}

/** What events that were just stored say in figures. */
export function measure(
  { telemetry, log }: Pick<World, "telemetry" | "log">,
  { who, before }: Measured,
  events: readonly RunEvent[],
): void {
  for (const event of events) {
    if (event.type === "limit_warned") {
      telemetry.count("woml_limit_warnings_total", 1, { limit: event.data.limit });
      log.warn({ ...who, ...event.data }, "a run comes near a limit");
    }
    if (event.type === "step_succeeded" || event.type === "step_failed") {
      const step = before.steps.get(event.data.node);
      if (step?.status === "running")
        telemetry.observe("woml_step_ms", event.at - step.since, { outcome: event.type.slice("step_".length) });
    } else if (event.type === "operation_settled") {
      const { node, attempt, call, outcome } = event.data;
      const operation = before.operations.get(operationId(node, attempt, call));
      if (operation === undefined) continue;
      telemetry.observe("woml_operation_ms", event.at - operation.tryAt, { capability: operation.capability, outcome: outcome.status });
    }
  }
}
