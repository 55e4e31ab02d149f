import type { RunEvent } from "./event.ts";
import { flowViews } from "./flow-view.ts";
import { stepViews } from "./step-view.ts";
import { type EventView, effectsOf, type RunView } from "./view.ts";

/** What a list says of a run; it may be older or newer than the log that was read beside it. */
type Listed = Pick<RunView, "id" | "workflow" | "version" | "status" | "labels" | "waiting">;

/**
 * The view of a run for whoever read its log through an API, from what a list says of it and all its events as shown. Needs no legal log.
 * A log that has ended decides over what the list said.
 */
export function viewOfShown(listed: Listed, shown: readonly EventView[]): RunView {
  const events = shown.map(eventOf);
  const [first, last] = [events[0], events.at(-1)];
  const { id, workflow, version, labels } = listed;
  const ended = last ? endOf(last) : null;
  return {
    ...{ id, workflow, version, status: ended ?? listed.status, labels },
    payload: first?.type === "run_admitted" ? (first.data.payload ?? null) : null,
    result: last?.type === "run_succeeded" ? (last.data.result ?? null) : null,
    failure: last?.type === "run_failed" ? (last.data.failure ?? null) : null,
    waiting: ended ? null : listed.waiting,
    steps: stepViews(events),
    ...flowViews(events),
    ...effectsOf(events),
    head: last?.seq ?? 0,
    events: shown,
  };
}

function endOf({ type }: RunEvent): "succeeded" | "failed" | "cancelled" | null {
  if (type === "run_succeeded") return "succeeded";
  if (type === "run_failed") return "failed";
  return type === "run_cancelled" ? "cancelled" : null;
}

/** Without the seed, which no view needs. What is no record carries nothing. */
function eventOf({ seq, type, at, data }: EventView): RunEvent {
  return { seq, type, at: Date.parse(at), data: typeof data === "object" ? (data ?? {}) : {} } as unknown as RunEvent;
}
