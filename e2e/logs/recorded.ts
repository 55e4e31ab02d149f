/** Logs as they are stored, each with the definition that it was written under and what it came to. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Definition } from "@woml/model";
import { asRunId, foldAll, type RunEvent, view } from "@woml/run";
import { plainState } from "@woml/run/spec";

export const RECORDED = join(import.meta.dirname, "recorded");
/** `first-…` were written before there were forks, loops, approvals and hooks. */
export const FIRST = "first-";

export interface Recorded {
  readonly name: string;
  readonly definition: Definition;
  readonly events: readonly RunEvent[];
  readonly folded: Folded;
}
/** What a log folds to, as JSON: what an API shows of it (its events aside, which are the log), and the state. */
export interface Folded {
  readonly view: object;
  readonly state: object;
}

export const names = (): readonly string[] => readdirSync(RECORDED).toSorted();

export function recorded(name: string): Recorded {
  const read = (file: string): string => readFileSync(join(RECORDED, name, file), "utf8");
  const lines = read("events.jsonl").trimEnd().split("\n");
  const events = lines.map((line): RunEvent => JSON.parse(line));
  return { name, definition: JSON.parse(read("definition.json")), events, folded: JSON.parse(read("folded.json")) };
}

/** Lengths of the log at which a run can be found: what one append has written is there whole, or not at all. */
export function standings({ events }: Recorded): readonly number[] {
  return events.flatMap(({ at }, index) => (events[index + 1]?.at === at ? [] : [index + 1]));
}

export function folded(events: readonly RunEvent[]): Folded {
  const { events: _, ...shown } = view({ run: asRunId("00000000-0000-7000-8000-000000000001"), held: null }, events);
  return JSON.parse(JSON.stringify({ view: shown, state: plainState(foldAll(events)) }));
}
