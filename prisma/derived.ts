import { isDeepStrictEqual } from "node:util";
import { project, type RunState, type Timer, timers } from "@woml/run";

/** What is stored of a run beside its log. */
export interface StoredRun {
  readonly workflow: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly status: string;
  readonly head: number;
  readonly at: number;
  readonly waitingFor: unknown;
  readonly nextDue: number | null;
  readonly held: string | null;
  readonly holds: boolean;
  readonly timers: readonly Timer[];
}

/** Of a run that is held its place was given to others: it takes one again when it moves. */
export const placeOf = (held: string | null, state: RunState): boolean => held === null && project(state).holds;

/** In words, one a column, where what is stored is not what the log comes to. */
export function differences(row: StoredRun | null, state: RunState): readonly string[] {
  if (row === null) return ["run: there is a log, and no row"];
  const { workflow, version, labels } = state.admitted ?? {};
  const { head, at } = state;
  const said = { workflow, version, labels, head, at, ...project(state), holds: placeOf(row.held, state), timers: sorted(timers(state)) };
  const stored: Readonly<Record<string, unknown>> = { ...row, timers: sorted(row.timers) };
  return Object.entries(said).flatMap(([name, value]) => {
    const [there, here] = [plain(stored[name]), plain(value)];
    return isDeepStrictEqual(there, here) ? [] : [`${name}: stored ${JSON.stringify(there)}, the log says ${JSON.stringify(here)}`];
  });
}

function sorted(alarms: readonly Timer[]): readonly string[] {
  return alarms.map(({ kind, subject, dueAt }) => `${kind} ${subject} ${dueAt}`).sort();
}

/** As after a trip through JSON, where an absent member and an undefined one are the same. */
function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
