import assert from "node:assert/strict";
import { test } from "node:test";
import { type Slot, slotsBetween, type Timed, type TriggerSetting } from "../../index.ts";
import { eachOf, MINUTE, minutesOf, onceOf } from "../clocks.ts";

/** In a year in which each has its changes: by an hour, by half of one, at midnight, none at all, and a day that was left out. */
const ZONES = [
  ["America/New_York", 2026],
  ["Europe/London", 2026],
  ["Australia/Lord_Howe", 2026],
  ["Asia/Kolkata", 2026],
  ["Africa/Cairo", 2026],
  ["America/Sao_Paulo", 2018],
  ["Pacific/Apia", 2011],
] as const;
const CRONS = [
  ...["*/15 * * * *", "7-59/13 * * * *", "30 2 * * *", "30 1 * * *", "15,45 0-3 * * *", "0 0 * * *", "59 23 * * *"],
  ...["0 9 * * 1-5", "30 2 8 3 *", "0 12 1,15 * 5", "0 0 31 * *", "0 0 29 2 *", "0 0 30 2 *", "20/20 */6 * 3-4,10-11 7", "5 4 * * 0,3-5/2"],
];

/** Half a million slots are more than can be shown where they differ. */
function same(found: readonly string[], expected: readonly string[], what: string): void {
  const at = expected.findIndex((one, nth) => one !== found[nth]);
  assert.deepEqual([found.length, found[at]], [expected.length, expected[at]], what);
}

for (const [zone, year] of ZONES) {
  test(`a year of minutes in ${zone}`, () => {
    const [from, to] = [Date.UTC(year), Date.UTC(year + 1)];
    const minutes = minutesOf(zone, from, to);
    for (const cron of CRONS) {
      const timed: Timed = { trigger: { id: "t", kind: "schedule", cron, timezone: zone, onMissed: "skip" }, setting: null, since: 0 };
      const slots = (setting: TriggerSetting | null): readonly Slot[] =>
        slotsBetween({ ...timed, setting }, from - MINUTE, to - MINUTE, Number.POSITIVE_INFINITY);
      const [each, once] = [slots(null), slots({ repeatedHour: "once" })];
      const written = (wall: number): string => `${new Date(wall).toISOString().slice(0, 16)}[${zone}]`;
      same(
        each.map(said),
        eachOf(minutes, cron).map((at) => `${at} ${new Date(at).toISOString().slice(0, 16)}Z`),
        `${cron}, each`,
      );
      same(
        once.map(said),
        onceOf(minutes, cron).map(([at, wall]) => `${at} ${written(wall)}`),
        `${cron}, once`,
      );
      assert.equal(new Set(once.map(({ key }) => key)).size, once.length, `${cron}: a key is one slot's`);
    }
  });
}

const said = ({ at, key }: Slot): string => `${at} ${key}`;
