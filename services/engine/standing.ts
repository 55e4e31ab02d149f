import type { LoadedRun } from "@woml/prisma";
import { foldAll, genesis, type RunState } from "@woml/run";

/** A clock may have been set back since; no mishap of a clock is a day. */
const AHEAD_MS = 86_400_000;

/**
 * What a loaded log says; `now` is PostgreSQL's time. Throws where the log is illegal, and where log and row do not belong together: the
 * same statements wrote both, so that one which differs was changed by somebody else, or comes out of another backup.
 */
export function standing({ head, at, version, events }: LoadedRun, now: number, from: RunState = genesis): RunState {
  if (events.length === 0) throw new Error("the run has no log");
  const state = foldAll(events, from);
  agree("head", head, state.head);
  agree("at", at, state.at);
  agree("version", version, state.admitted?.version);
  if (at > now + AHEAD_MS) throw new Error("store_changed: the log is more than a day ahead of the clock");
  return state;
}

/** Only a person's word moves it: an outcome is unknown, or a replay did something else. */
export function waitsForPerson({ open, steps, waiting }: RunState): boolean {
  if (waiting.length > 0) return true;
  return open.some((node) => {
    const step = steps.get(node);
    return step !== undefined && (step.unknown.length > 0 || step.diverged !== null);
  });
}

function agree<T>(what: string, stored: T, said: T | undefined): void {
  if (stored !== said) throw new Error(`store_changed: ${what}: stored ${stored}, the log says ${said}`);
}
