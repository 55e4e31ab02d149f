import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "./log.ts";

/** What was started, so that it can be stopped: last started, first stopped. */
export interface Stops {
  add(name: string, undo: () => Promise<void> | void): void;
  /** Each undo runs once, gets `undoMs` (usually 45 s), and its failure does not keep the others from running. Never rejects. */
  stop(): Promise<void>;
}
const UNDO_MS = 45_000;
interface Undoing {
  readonly name: string;
  readonly undo: () => Promise<void> | void;
}

export function openStops(log: Log, undoMs: number = UNDO_MS): Stops {
  const started: Undoing[] = [];
  let stopping: Promise<void> | undefined;
  const all = async (): Promise<void> => {
    for (let next = started.pop(); next; next = started.pop()) await undone(next, undoMs, log);
  };
  return {
    add: (name, undo) => void started.push({ name, undo }),
    stop: () => {
      stopping ??= all();
      return stopping;
    },
  };
}

async function undone({ name, undo }: Undoing, undoMs: number, log: Log): Promise<void> {
  const limit = new AbortController();
  const late = sleep(undoMs, "late" as const, { signal: limit.signal }).catch(() => undefined);
  try {
    if ((await Promise.race([undo(), late])) === "late") log.error({ part: name }, "did not stop in time");
  } catch (error) {
    log.error({ part: name, error: error instanceof Error ? error.message : String(error) }, "did not stop cleanly");
  } finally {
    limit.abort();
  }
}

/** Ctrl-C under npm arrives twice: from the terminal, and once more from npm, which passes it on. */
const SAME_MS = 1_000;

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP. One that comes a second or more later ends the process at once with 130. Listening goes on
 * until the process ends, so that a signal during the stop does not cut it short by accident.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  let first = Number.POSITIVE_INFINITY;
  const heard = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (now - first >= SAME_MS && signal !== "SIGHUP") process.exit(130);
    first = Math.min(first, now);
    controller.abort(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, heard);
  return controller.signal;
}
