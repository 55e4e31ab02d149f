import type { NewEvent, RunEvent } from "./event.ts";

/** New events as the log holds them once an append that found `head` has given them its time. */
export function stamp(events: readonly NewEvent[], head: number, at: number): readonly RunEvent[] {
  return events.map((event, i) => ({ ...event, seq: head + 1 + i, at }));
}
