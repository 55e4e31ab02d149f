import { isDeepStrictEqual } from "node:util";
import type { RunRow } from "@woml/prisma";
import { project, type RunState, type Timer, timers } from "@woml/run";

/** One run as it was read: its row before and after its log and alarms, which were not read in one instant. */
export interface Seen {
  readonly row: RunRow;
  readonly now: RunRow | null;
  readonly alarms: readonly Timer[];
  readonly log: RunState | string;
  /** Its version is stored as the bytes that its hash names. */
  readonly isIntact: boolean;
}
/** What an engine would not drive either (engine/standing.ts): a clock may have been set back since, but not by a day. */
const AHEAD_MS = 86_400_000;
export const ROWLESS = "run: there is a log, and no row";

/** In words, one a field; null when the run moved while it was read, so that nothing can be compared. */
export function differences({ row, now, alarms, log, isIntact }: Seen): readonly string[] | null {
  if (!isDeepStrictEqual(row, now)) return null;
  const faults = isIntact ? [] : ["definition: stored bytes that the version's hash does not name"];
  if (row.at > Date.now() + AHEAD_MS) faults.push("at: more than a day ahead of the clock");
  return [...faults, ...(typeof log === "string" ? [log] : compared(row, alarms, log))];
}

function compared(row: RunRow, alarms: readonly Timer[], log: RunState): readonly string[] {
  const stored = { ...shownOf(row), timers: sorted(alarms) };
  const folded = { ...projected(log), timers: sorted(timers(log)) };
  return Object.entries(folded).flatMap(([name, value]) => {
    const [there, here] = [plain(stored[name as keyof typeof stored]), plain(value)];
    return isDeepStrictEqual(there, here) ? [] : [`${name}: stored ${JSON.stringify(there)}, the log says ${JSON.stringify(here)}`];
  });
}

/** A held run keeps the status and the due time that its last append gave it. */
function shownOf({ workflow, version, labels, status, at, waitingFor, nextDue }: RunRow) {
  return { workflow, version, labels, status, at, waitingFor, nextDue };
}

function projected(state: RunState) {
  const { workflow, version, labels } = state.admitted ?? {};
  const { status, waitingFor, nextDue } = project(state);
  return { workflow, version, labels, status, at: state.at, waitingFor, nextDue };
}

function sorted(alarms: readonly Timer[]): readonly string[] {
  return alarms.map(({ kind, subject, dueAt }) => `${kind} ${subject} ${dueAt}`).sort();
}

/** As after a trip through JSON, where an absent member and an undefined one are the same. */
function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
