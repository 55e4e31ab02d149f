/**
 * What follows from a slot that has come. Pure: the time is PostgreSQL's, and ids are drawn by whoever asks.
 *
 *  S1  The key of a start is its slot's, whenever and by whomever it is worked out: nothing here is told by comparing clocks.
 *  S2  Slots that are late by no more than the grace are started, each. Where older ones are among them, nobody was there: what is done about these is
 *      the trigger's to say, what is not started is written down, and the trigger goes on from now.
 *  S3  Of what is started no more begins than there is room for: the trigger stands at the first slot that is left, or, where there is none, where it stood.
 */
import { type Json, nextSlot, type Slot, slotsBetween, type Timed, type Trigger, type TriggerSetting } from "@woml/model";
import type { DueTrigger, Firing, NewDelivery, Occurrence } from "@woml/prisma";
import { asRunId } from "@woml/run";
import { SLOT_GRACE_MS, SLOTS_COUNTED } from "../bounds.ts";

/** A new UUIDv7 each time; sha256 as `sha256:` and hex. */
export interface Draws {
  readonly mint: () => string;
  readonly digest: (text: string) => string;
}
/** What of the slots that have come is started, and how many are not. */
interface Told {
  readonly started: readonly Slot[];
  readonly missed: readonly Slot[];
  /** What was done instead of starting those: the latest stands for all of them, some of the latest were started, or nothing. */
  readonly policy: "skip" | "run-once" | "catch-up";
  /** There were more than anybody counts. */
  readonly isMore: boolean;
}

/** null: there is room for none of what is to be started. */
export function fire(due: DueTrigger, now: number, draws: Draws): Firing | null {
  const timed = timedOf(due);
  if (timed === null) return { due, next: null, occurrences: [], deliveries: [] };
  const told = tell(timed, due.nextAt, now);
  const room = due.room ?? told.started.length;
  const [left] = told.started.slice(room);
  if (left !== undefined && room === 0) return null;
  const occurrences = told.started.slice(0, room).map((slot) => occurrence(due, slot, now, draws));
  const deliveries = told.missed.length === 0 ? [] : [missed(due, told, draws.mint(), occurrences)];
  return { due, next: left?.at ?? nextSlot(timed, now), occurrences, deliveries };
}

/** The store holds triggers of definitions that were accepted; null: one that has no times. */
function timedOf({ spec, setting, since }: DueTrigger): Timed | null {
  const trigger = spec as unknown as Trigger;
  const isTimed = trigger.kind === "schedule" || trigger.kind === "interval";
  return isTimed ? { trigger, setting: setting as TriggerSetting | null, since } : null;
}

function tell(timed: Timed, nextAt: number, now: number): Told {
  const late = now - SLOT_GRACE_MS - 1;
  const old = slotsBetween(timed, nextAt - 1, late, SLOTS_COUNTED);
  const fresh = slotsBetween(timed, Math.max(nextAt - 1, late), now, SLOTS_COUNTED);
  const isMore = old.length >= SLOTS_COUNTED;
  const catchUp = timed.setting?.catchUp;
  if (catchUp !== undefined) {
    const started = isMore ? latest(timed, late, catchUp) : old.slice(-catchUp);
    return { started: [...started, ...fresh], missed: old.slice(0, -started.length), policy: "catch-up", isMore };
  }
  if (old.length === 0 || timed.trigger.onMissed === "skip") return { started: fresh, missed: old, policy: "skip", isMore };
  const last = fresh.at(-1) ?? latest(timed, late, 1)[0];
  return { started: last ? [last] : [], missed: [...old, ...fresh].filter(({ key }) => key !== last?.key), policy: "run-once", isMore };
}

/** The last `count` slots up to `to`, where there are more before it than anybody counts. */
function latest(timed: Timed, to: number, count: number): readonly Slot[] {
  for (let back = SLOT_GRACE_MS; ; back *= 2) {
    const found = slotsBetween(timed, to - back, to, SLOTS_COUNTED);
    if (found.length >= count || back > to) return found.slice(-count);
  }
}

function occurrence(
  { workflow, trigger, kind, version, onAmbiguous }: DueTrigger,
  slot: Slot,
  now: number,
  { mint, digest }: Draws,
): Occurrence {
  const payload = { scheduledAt: iso(slot.at), triggeredAt: iso(now) };
  const asks = { kind: "start", workflow, version, trigger: { kind, id: trigger }, payload, labels: [] } as const;
  return {
    run: asRunId(mint()),
    scope: `trigger:${workflow}:${trigger}`,
    key: slot.key,
    digest: digest(slot.key),
    body: { ...asks, ...(onAmbiguous !== null && { onAmbiguous }) },
  };
}

/** One row, however many slots: which they were from the first to the last, and what was done about them. */
function missed(due: DueTrigger, { missed: slots, policy, isMore }: Told, id: string, occurrences: readonly Occurrence[]): NewDelivery {
  const { workflow, trigger, kind } = due;
  const [first, last, run] = [slots[0], isMore ? undefined : slots.at(-1), policy === "run-once" ? occurrences.at(-1)?.run : undefined];
  const detail: Json = {
    first: first ? iso(first.at) : null,
    last: last ? iso(last.at) : null,
    policy,
    ...(isMore && { isMore }),
  };
  const told = { id, workflow, trigger, kind, outcome: "missed", code: "WOML_TRIGGER_SLOTS_MISSED", count: slots.length, detail } as const;
  return { ...told, ...(last && { source: last.key }), ...(run !== undefined && { run }) };
}

const iso = (at: number): string => new Date(at).toISOString();
