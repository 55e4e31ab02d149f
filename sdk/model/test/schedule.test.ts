import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isTimed, nextSlot, nextSlots, slotsBetween, type Timed, type TriggerSetting } from "../index.ts";
import { eachOf, MINUTE, minutesOf, onceOf } from "./clocks.ts";

const HOUR = 60 * MINUTE;
const at = (text: string): number => Date.parse(text);
const iso = (times: readonly number[]): readonly string[] => times.map((time) => new Date(time).toISOString().slice(0, 16));
const schedule = (cron: string, timezone = "UTC", setting: TriggerSetting | null = null): Timed => ({
  trigger: { id: "t", kind: "schedule", cron, timezone, onMissed: "skip" },
  setting,
  since: 0,
});
const interval = (everyMs: number, since: string): Timed => ({
  trigger: { id: "t", kind: "interval", everyMs, onMissed: "skip" },
  setting: null,
  since: at(since),
});
const ONCE: TriggerSetting = { repeatedHour: "once" };
const NIGHTLY = "30 2 * * *";
const keys = (timed: Timed, from: string, to: string): readonly string[] =>
  slotsBetween(timed, at(from), at(to), 100).map((slot) => `${new Date(slot.at).toISOString().slice(0, 16)} ${slot.key}`);

test("PC-10 a time that clocks skip starts once, at the first minute after the gap; one that they repeat, at its first coming alone", () => {
  const york = schedule(NIGHTLY, "America/New_York", ONCE);
  assert.deepEqual(keys(york, "2026-03-07T12:00Z", "2026-03-09T12:00Z"), [
    "2026-03-08T07:00 2026-03-08T02:30[America/New_York]",
    "2026-03-09T06:30 2026-03-09T02:30[America/New_York]",
  ]);
  const early = schedule("30 1 * * *", "America/New_York", ONCE);
  assert.deepEqual(keys(early, "2026-10-31T12:00Z", "2026-11-02T12:00Z"), [
    "2026-11-01T05:30 2026-11-01T01:30[America/New_York]",
    "2026-11-02T06:30 2026-11-02T01:30[America/New_York]",
  ]);
});

test("PC-10 without that setting a skipped time never comes, and a repeated one comes twice, as the language says", () => {
  assert.deepEqual(keys(schedule(NIGHTLY, "America/New_York"), "2026-03-07T12:00Z", "2026-03-09T12:00Z"), [
    "2026-03-09T06:30 2026-03-09T06:30Z",
  ]);
  assert.deepEqual(keys(schedule("30 1 * * *", "America/New_York"), "2026-10-31T12:00Z", "2026-11-01T12:00Z"), [
    "2026-11-01T05:30 2026-11-01T05:30Z",
    "2026-11-01T06:30 2026-11-01T06:30Z",
  ]);
});

test("PC-10 several times of one gap, and the minute behind it, are one slot", () => {
  const quarters = keys(schedule("*/15 1-3 * * *", "America/New_York", ONCE), "2026-03-08T06:30Z", "2026-03-08T07:20Z");
  assert.deepEqual(quarters, [
    "2026-03-08T06:45 2026-03-08T01:45[America/New_York]",
    "2026-03-08T07:00 2026-03-08T03:00[America/New_York]",
    "2026-03-08T07:15 2026-03-08T03:15[America/New_York]",
  ]);
});

test("PC-13 every 13 hours is counted from one time, across midnight and across changed clocks", () => {
  const every = interval(13 * HOUR, "2026-03-07T00:00Z");
  assert.deepEqual(iso(nextSlots(every, at("2026-03-07T00:00Z"), 4)), [
    "2026-03-07T13:00",
    "2026-03-08T02:00",
    "2026-03-08T15:00",
    "2026-03-09T04:00",
  ]);
  assert.deepEqual(keys(every, "2026-03-08T01:59Z", "2026-03-08T02:00Z"), ["2026-03-08T02:00 2026-03-08T02:00:00.000Z"]);
});

test("a slot is strictly after the time that is asked about", () => {
  assert.equal(nextSlot(schedule("0 9 * * *"), at("2026-06-01T09:00Z")), at("2026-06-02T09:00Z"));
  assert.equal(nextSlot(schedule("0 9 * * *"), at("2026-06-01T09:00Z") - 1), at("2026-06-01T09:00Z"));
  assert.equal(nextSlot(interval(1_000, "2026-06-01T09:00Z"), at("2026-06-01T09:00Z")), at("2026-06-01T09:00:01Z"));
  assert.equal(nextSlot(interval(1_000, "2026-06-01T09:00Z"), 0), at("2026-06-01T09:00:01Z"), "nothing before it is counted from");
});

test("a day that never comes has no slot, and one of leap years has the next", () => {
  assert.equal(nextSlot(schedule("0 0 30 2 *"), at("2026-01-01T00:00Z")), null);
  assert.equal(nextSlot(schedule("0 0 31 2,4,6,9,11 *", "Europe/London", ONCE), at("2026-01-01T00:00Z")), null);
  assert.equal(nextSlot(schedule("0 0 29 2 *"), at("2026-01-01T00:00Z")), at("2028-02-29T00:00Z"));
});

test("the next slots of many schedules are found at once", () => {
  const started = process.cpuUsage();
  for (let minute = 0; minute < 60; minute++) {
    for (const zone of ["UTC", "Europe/London", "America/New_York"])
      nextSlots(schedule(`${minute} 0 29 2 *`, zone, ONCE), at("2026-01-01T00:00Z"), 2);
  }
  // Seen: 0.1 s. Minute by minute it would be minutes.
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});

test("slots come in order, each once, as many as are wanted", () => {
  assert.deepEqual(
    slotsBetween(schedule("* * * * *"), at("2026-06-01T09:00Z"), at("2026-06-01T10:00Z"), 2).map((slot) => slot.key),
    ["2026-06-01T09:01Z", "2026-06-01T09:02Z"],
  );
  assert.equal(slotsBetween(schedule("* * * * *"), at("2026-06-01T09:00Z"), at("2026-06-01T10:00Z"), 100).length, 60);
});

test("what comes at times of its own", () => {
  assert.ok(isTimed(schedule("* * * * *").trigger) && isTimed(interval(1_000, "2026-01-01T00:00Z").trigger));
  assert.ok(!isTimed({ id: "t", kind: "manual" }));
});

const field = (from: number, to: number) => {
  const range = fc
    .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
    .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const one = fc.oneof(fc.constant("*"), fc.integer({ min: from, max: to }).map(String), range);
  const part = fc
    .tuple(one, fc.option(fc.integer({ min: 1, max: to + 2 })))
    .map(([head, step]) => (step === null ? head : `${head}/${step}`));
  return fc.oneof(
    { arbitrary: fc.constant("*"), weight: 2 },
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(",")),
  );
};

test("any cron text says the same as minute by minute, around changes of clocks", () => {
  const around = [
    ["America/New_York", "2026-03-07T00:00Z"],
    ["America/New_York", "2026-10-31T00:00Z"],
    ["Australia/Lord_Howe", "2026-04-03T00:00Z"],
    ["Australia/Lord_Howe", "2026-10-02T00:00Z"],
    ["Africa/Cairo", "2026-04-22T00:00Z"],
    ["Pacific/Apia", "2011-12-29T00:00Z"],
    ["Pacific/Apia", "2011-12-31T12:00Z"],
  ] as const;
  const times = around.map(([zone, day]) => ({ zone, minutes: minutesOf(zone, at(day), at(day) + 72 * HOUR) }));
  const cron = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7)).map((fields) => fields.join(" "));
  fc.assert(
    fc.property(cron, fc.constantFrom(...times), (text, { zone, minutes }) => {
      const until = minutes.from + (minutes.walls.length - 1) * MINUTE;
      const slots = (setting: TriggerSetting | null) =>
        slotsBetween(schedule(text, zone, setting), minutes.from - MINUTE, until, Number.POSITIVE_INFINITY).map((slot) => slot.at);
      assert.deepEqual(slots(null), eachOf(minutes, text));
      assert.deepEqual(
        slots(ONCE),
        onceOf(minutes, text).map(([time]) => time),
      );
    }),
    { numRuns: 150 },
  );
});
