import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, TriggerSetting } from "@woml/model";
import type { DueTrigger, Firing } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { fire } from "../triggers/fire.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string): number => Date.parse(`2026-06-01T${text}Z`);
const iso = (time: number): string => new Date(time).toISOString();

interface Given {
  readonly cron?: string;
  readonly everyMs?: number;
  readonly onMissed?: "skip" | "run-once";
  readonly setting?: TriggerSetting | null;
  readonly nextAt: number;
  readonly onAmbiguous?: "fail" | null;
  readonly room?: number;
}
function due({ cron = "* * * * *", everyMs, onMissed = "skip", setting = null, ...given }: Given): DueTrigger {
  const { nextAt, onAmbiguous = null, room = null } = given;
  const timed: Json =
    everyMs === undefined
      ? { id: "t", kind: "schedule", cron, timezone: "UTC", onMissed }
      : { id: "t", kind: "interval", everyMs, onMissed };
  return {
    ...{
      tenant: asTenantId("00000000-0000-7000-8000-00000000000a"),
      workflow: "flow",
      trigger: "t",
      version: "v1",
      route: null,
      secrets: [],
    },
    ...{
      kind: everyMs === undefined ? "schedule" : "interval",
      spec: timed,
      setting: setting as Json,
      since: at("00:00:00"),
      nextAt,
      onAmbiguous,
      room,
    },
  };
}
let drawn = 0;
const draws = {
  mint: () => `00000000-0000-7000-8000-${String(drawn++).padStart(12, "0")}`,
  digest: (text: string) => `of ${text}`,
};
function firingOf(due: DueTrigger, now: number): Firing {
  const firing = fire(due, now, draws);
  assert.ok(firing, "there is room");
  return firing;
}
const fired = (given: Given, now: number): Firing => firingOf(due(given), now);
const keys = ({ occurrences }: Firing): readonly string[] => occurrences.map(({ key }) => key);
const told = ({ deliveries }: Firing) => deliveries.map(({ outcome, count, source, detail }) => ({ outcome, count, source, detail }));

test("a slot that has come is started under its own name, with both times; then the next one is waited for", () => {
  const firing = fired({ nextAt: at("09:00:00"), onAmbiguous: "fail" }, at("09:00:00.250"));
  const [only, ...others] = firing.occurrences;
  assert.ok(only);
  const { run, ...rest } = only;
  assert.match(run, /^00000000-/);
  assert.deepEqual(rest, {
    scope: "trigger:flow:t",
    key: "2026-06-01T09:00Z",
    digest: "of 2026-06-01T09:00Z",
    body: {
      ...{ kind: "start", workflow: "flow", version: "v1", trigger: { kind: "schedule", id: "t" }, labels: [], onAmbiguous: "fail" },
      payload: { scheduledAt: "2026-06-01T09:00:00.000Z", triggeredAt: "2026-06-01T09:00:00.250Z" },
    },
  });
  assert.deepEqual([others, firing.deliveries, firing.next], [[], [], at("09:01:00")]);
});

test("slots that are late by no more than a minute are started, each by itself", () => {
  assert.deepEqual(keys(fired({ everyMs: 20_000, nextAt: at("09:00:00") }, at("09:01:00"))), [
    ...["2026-06-01T09:00:00.000Z", "2026-06-01T09:00:20.000Z", "2026-06-01T09:00:40.000Z", "2026-06-01T09:01:00.000Z"],
  ]);
  const late = fired({ nextAt: at("09:00:00") }, at("09:01:00.001"));
  assert.deepEqual([keys(late), late.deliveries[0]?.count], [["2026-06-01T09:01Z"], 1]);
});

const DOWN = { nextAt: at("09:01:00") };
const BACK = at("12:00:30");

test("PC-15 nobody was there for three hours: 179 of 180 minutes are missed, written down as one row, and one run starts", () => {
  const firing = fired(DOWN, BACK);
  assert.deepEqual(keys(firing), ["2026-06-01T12:00Z"]);
  const detail = { first: iso(at("09:01:00")), last: iso(at("11:59:00")), policy: "skip" };
  assert.deepEqual(told(firing), [{ outcome: "missed", count: 179, source: "2026-06-01T11:59Z", detail }]);
  assert.equal(firing.deliveries[0]?.code, "WOML_TRIGGER_SLOTS_MISSED");
  assert.equal(firing.next, at("12:01:00"));
});

test("PC-15 run-once: the latest of all stands for those that were missed, and the row names its run", () => {
  const firing = fired({ ...DOWN, onMissed: "run-once" }, BACK);
  assert.deepEqual(keys(firing), ["2026-06-01T12:00Z"]);
  assert.deepEqual([firing.deliveries[0]?.count, firing.deliveries[0]?.run], [179, firing.occurrences[0]?.run]);
  const daily = fired({ cron: "0 9 * * *", onMissed: "run-once", nextAt: at("09:00:00") }, at("09:00:00") + 49 * HOUR);
  assert.deepEqual(keys(daily), ["2026-06-03T09:00Z"]);
  assert.deepEqual(daily.deliveries[0]?.count, 2);
  assert.equal(daily.next, at("09:00:00") + 72 * HOUR);
  const once = fired({ cron: "0 9 * * *", onMissed: "run-once", nextAt: at("09:00:00") }, at("15:00:00"));
  assert.deepEqual([keys(once), once.deliveries], [["2026-06-01T09:00Z"], []]);
});

test("PC-15 catching up: so many of the latest are started, each under its own name, and the rest is written down", () => {
  const firing = fired({ ...DOWN, onMissed: "run-once", setting: { catchUp: 3 } }, BACK);
  assert.deepEqual(keys(firing), ["2026-06-01T11:57Z", "2026-06-01T11:58Z", "2026-06-01T11:59Z", "2026-06-01T12:00Z"]);
  const detail = { first: iso(at("09:01:00")), last: iso(at("11:56:00")), policy: "catch-up" };
  assert.deepEqual(told(firing), [{ outcome: "missed", count: 176, source: "2026-06-01T11:56Z", detail }]);
  const all = fired({ ...DOWN, setting: { catchUp: 1_000 } }, BACK);
  assert.deepEqual([all.occurrences.length, all.deliveries], [180, []]);
});

test("more slots than anybody counts: it is said that there were more, and the latest are found all the same", () => {
  const year = { everyMs: 1_000, nextAt: at("00:00:01") };
  const now = at("00:00:00") + 365 * 24 * HOUR;
  const skipped = fired(year, now);
  assert.deepEqual([skipped.occurrences.length, skipped.deliveries[0]?.count], [61, 10_000]);
  assert.deepEqual(skipped.deliveries[0]?.detail, { first: iso(at("00:00:01")), last: null, policy: "skip", isMore: true });
  assert.deepEqual(keys(fired({ ...year, onMissed: "run-once" }, now)), ["2027-06-01T00:00:00.000Z"]);
  const caught = fired({ ...year, setting: { catchUp: 2 } }, now);
  assert.deepEqual(keys(caught).slice(0, 3), ["2027-05-31T23:58:58.000Z", "2027-05-31T23:58:59.000Z", "2027-05-31T23:59:00.000Z"]);
  assert.deepEqual([caught.deliveries[0]?.count, caught.deliveries[0]?.source], [9_998, undefined]);
});

test("under the rule of wall times the name of a start is its wall time, and another clock's view of it asks for the same", () => {
  const york = { spec: { id: "t", kind: "schedule", cron: "30 2 * * *", timezone: "America/New_York", onMissed: "skip" } };
  const gap = Date.parse("2026-03-08T07:00Z");
  const given = { ...due({ nextAt: gap, setting: { repeatedHour: "once" } }), ...york };
  const [first, again] = [firingOf(given, gap + 5), firingOf(given, gap + 40_000)];
  assert.deepEqual(keys(first), ["2026-03-08T02:30[America/New_York]"]);
  assert.deepEqual(keys(again), keys(first));
  assert.equal(first.next, Date.parse("2026-03-09T06:30Z"));
});

test("the last slot there is leaves nothing to wait for", () => {
  const leap = { cron: "0 0 30 2 *", nextAt: at("09:00:00") };
  assert.deepEqual([fired(leap, at("09:00:01")).next, keys(fired(leap, at("09:00:01")))], [null, []]);
});

test("S3: of several slots as many are started as there is room for, and the trigger stands at the first that is left", () => {
  const given = { everyMs: 10_000, nextAt: at("09:00:00") };
  const now = at("09:00:35");
  const some = fired({ ...given, room: 3 }, now);
  assert.deepEqual(keys(some), ["2026-06-01T09:00:00.000Z", "2026-06-01T09:00:10.000Z", "2026-06-01T09:00:20.000Z"]);
  assert.equal(some.next, at("09:00:30"));
  const rest = fired({ ...given, nextAt: at("09:00:30"), room: 9 }, now + 1_000);
  assert.deepEqual([keys(rest), rest.next], [["2026-06-01T09:00:30.000Z"], at("09:00:40")]);
});

test("S3: without room a slot stays due, and what nobody would start any more is written down all the same", () => {
  const now = at("09:02:30");
  assert.equal(fire(due({ nextAt: at("09:02:00"), room: 0 }), now, draws), null);
  assert.equal(fire(due({ nextAt: at("09:00:00"), onMissed: "run-once", room: 0 }), now, draws), null);
  const hourly = fired({ cron: "0 * * * *", nextAt: at("09:00:00"), room: 0 }, now);
  assert.deepEqual([hourly.occurrences, told(hourly)[0]?.count, hourly.next], [[], 1, at("10:00:00")]);
});

test("S3: slots that are caught up with are counted as missed once, however often the trigger comes back to those that are left", () => {
  const given = { everyMs: 10_000, setting: { catchUp: 4 } as TriggerSetting, nextAt: at("09:00:00") };
  const now = at("10:00:05");
  const first = fired({ ...given, room: 2 }, now);
  // Of 361 slots 6 are of the last minute, and of the others the latest 4 are caught up with.
  assert.deepEqual([keys(first).length, first.deliveries[0]?.count], [2, 351]);
  const second = fired({ ...given, nextAt: first.next ?? 0, room: 99 }, now);
  assert.deepEqual([keys(second).length, second.deliveries], [8, []]);
  assert.equal(second.next, at("10:00:10"));
});
