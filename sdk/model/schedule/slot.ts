import type { IntervalTrigger, ScheduleTrigger, Trigger } from "../trigger.ts";
import type { TriggerSetting } from "../trigger-setting.ts";
import { MINUTE_MS, nextWall } from "./calendar.ts";
import { readCron } from "./cron.ts";
import { type Stretch, stretches } from "./offset.ts";

/** A nominal time at which something is to start, epoch ms. `key` names it whenever it is worked out again: once a key it starts. */
export interface Slot {
  readonly at: number;
  /**
   * UTC to the minute (`2026-03-08T07:30Z`), of an interval to the millisecond; where repeated hours count once, the nominal wall time and its zone
   * (`2026-03-08T02:30[America/New_York]`).
   */
  readonly key: string;
}
/** What comes at times of its own. `since` is what an interval is counted from, epoch ms. */
export interface Timed {
  readonly trigger: ScheduleTrigger | IntervalTrigger;
  readonly setting: TriggerSetting | null;
  readonly since: number;
}

/** How far ahead a slot is looked for: five years, of which one is a leap year. */
const HORIZON_MS = 5 * 366 * 86_400_000;

export const isTimed = (trigger: Trigger): trigger is ScheduleTrigger | IntervalTrigger =>
  trigger.kind === "schedule" || trigger.kind === "interval";

/** The first slot strictly after `after`, epoch ms; null where none comes within five years. */
export function nextSlot(timed: Timed, after: number): number | null {
  return slotsAfter(timed, after).next().value?.at ?? null;
}

/** The next `count` slots strictly after `after`, epoch ms; fewer where the next one is more than five years away. */
export function nextSlots(timed: Timed, after: number, count: number): readonly number[] {
  const found: number[] = [];
  for (let next = nextSlot(timed, after); next !== null && found.length < count; next = nextSlot(timed, next)) found.push(next);
  return found;
}

/** The first `most` slots after `from` and not after `to`, in order. */
export function slotsBetween(timed: Timed, from: number, to: number, most: number): readonly Slot[] {
  const found: Slot[] = [];
  for (const slot of slotsAfter(timed, from)) {
    if (slot.at > to || found.length >= most) break;
    found.push(slot);
  }
  return found;
}

/** Slots strictly after `after`, in order, of five years. */
function slotsAfter({ trigger, setting, since }: Timed, after: number): Generator<Slot> {
  if (trigger.kind === "interval") return ofInterval(trigger.everyMs, since, after);
  return setting?.repeatedHour === "once" ? ofWallTimes(trigger, after) : ofMinutes(trigger, after);
}

/** The grid of an interval never shifts: it is counted from one time, and not from the slot before. */
function* ofInterval(everyMs: number, since: number, after: number): Generator<Slot> {
  const until = Math.max(after, since) + HORIZON_MS;
  for (let n = Math.max(1, Math.floor((after - since) / everyMs) + 1); since + n * everyMs <= until; n += 1) {
    const at = since + n * everyMs;
    yield { at, key: new Date(at).toISOString() };
  }
}

/** Each minute of UTC at whose wall time the cron text says so: a wall time that is skipped never comes, one that is repeated comes twice. */
function* ofMinutes({ cron, timezone }: ScheduleTrigger, after: number): Generator<Slot> {
  const read = readCron(cron);
  const first = minuteAfter(after);
  for (const { from, to, offset } of stretches(timezone, first, after + HORIZON_MS)) {
    let wall = nextWall(read, Math.max(from, first) + offset, to + offset);
    for (; wall !== null; wall = nextWall(read, wall + MINUTE_MS, to + offset)) yield { at: wall - offset, key: utc(wall - offset) };
  }
}

/**
 * Each wall time once, when the zone's clocks first reach it: at the first of two, and of those that are skipped at the first minute after
 * the gap. What comes to the same minute is one slot, under the last of its wall times.
 */
function* ofWallTimes({ cron, timezone }: ScheduleTrigger, after: number): Generator<Slot> {
  const read = readCron(cron);
  const first = minuteAfter(after);
  const slot = (at: number, wall: number): Slot => ({ at, key: `${minute(wall)}[${timezone}]` });
  for (const { from, to, offset, reached } of stretches(timezone, first, after + HORIZON_MS)) {
    const skipped = first <= from ? lastWall(read, reached, from + offset) : null;
    if (skipped !== null) yield slot(from, skipped);
    const next = Math.max(skipped === null ? from : from + MINUTE_MS, first) + offset;
    let wall = nextWall(read, Math.max(next, reached), to + offset);
    for (; wall !== null; wall = nextWall(read, wall + MINUTE_MS, to + offset)) yield slot(wall - offset, wall);
  }
}

/** The last wall time of a cron text from `from` to `to`, both taken in. */
function lastWall(cron: ReturnType<typeof readCron>, from: Stretch["reached"], to: number): number | null {
  let last: number | null = null;
  for (let wall = nextWall(cron, from, to + 1); wall !== null; wall = nextWall(cron, wall + MINUTE_MS, to + 1)) last = wall;
  return last;
}

const minuteAfter = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
const minute = (at: number): string => new Date(at).toISOString().slice(0, 16);
const utc = (at: number): string => `${minute(at)}Z`;
