/** When the timers of a recorded run came. They come when an engine has the time: never sooner than they are due, and perhaps long after. */
import type { RunEvent } from "@woml/run";

/** Times in ms from when it was set. */
export interface Came {
  readonly dueMs: number;
  /** When it came; of one that never did, when something else had made it needless. */
  readonly cameMs: number;
  /** Of the first event that it wrote; infinite where it never came. */
  readonly seq: number;
}
/** `dueAt`: epoch ms. */
interface Set {
  readonly key: string;
  readonly dueAt: number;
}

/** A retry is one of its attempt. */
export function timerKey(kind: "retry" | "approval" | "deadline", subject: string, attempt = 0): string {
  return `${kind} ${subject}:${attempt}`;
}

/** The timer that an event sets; null: none. */
export function timerSetBy({ type, data }: RunEvent): Set | null {
  if (type === "step_retry_scheduled") return { key: timerKey("retry", data.node, data.attempt), dueAt: data.dueAt };
  if (type === "approval_requested" && data.deadlineAt !== null) return { key: timerKey("approval", data.node), dueAt: data.deadlineAt };
  if (type === "run_started" && data.deadlineAt !== null) return { key: timerKey("deadline", ""), dueAt: data.deadlineAt };
  return null;
}

/** By `timerKey`. Needs no legal log; a timer of which that does not say the end is not among them. */
export function timersIn(log: readonly RunEvent[]): ReadonlyMap<string, Came> {
  const going = new Map<string, { readonly dueAt: number; readonly setAt: number }>();
  const came = new Map<string, Came>();
  for (const event of log) {
    const set = timerSetBy(event);
    if (set !== null) going.set(set.key, { dueAt: set.dueAt, setAt: event.at });
    for (const [key, isFired] of endedBy(event, going)) {
      const timer = going.get(key);
      if (timer === undefined) continue;
      const { dueAt, setAt } = timer;
      came.set(key, { dueMs: dueAt - setAt, cameMs: event.at - setAt, seq: isFired ? event.seq : Number.POSITIVE_INFINITY });
      going.delete(key);
    }
  }
  return came;
}

/** Timers that came, or will not any more, with this event. */
function endedBy({ type, data }: RunEvent, going: ReadonlyMap<string, unknown>): readonly (readonly [key: string, isFired: boolean])[] {
  if (type === "step_started" || type === "step_cancelled") return [[timerKey("retry", data.node, data.attempt), type === "step_started"]];
  if (type === "approval_resolved") return [[timerKey("approval", data.node), data.source === "timeout"]];
  if (type === "approval_failed") return [[timerKey("approval", data.node), data.reason === "timeout"]];
  if (type === "deadline_reached") return [[timerKey("deadline", ""), true]];
  return type === "outcome_decided" ? [...going.keys()].map((key) => [key, false] as const) : [];
}
