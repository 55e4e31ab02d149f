// Two engines that fire slots over a real PostgreSQL, one of which is restarted in the middle.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLog } from "@woml/boot";
import { isTimed, type Json, nextSlot, type Trigger } from "@woml/model";
import { openMigrated } from "@woml/platform/testing";
import { type ControlStore, openControlStore, openTriggerStore, prepareRoles, type TriggerStore } from "@woml/prisma";
import { asTenantId, type RunId } from "@woml/run";
import { realWorld } from "../../index.ts";
import { type Clockwork, watchSlots } from "../../triggers/slots.ts";

const TENANT = asTenantId(randomUUID());
const ring = { ring: () => {}, listen: () => () => {}, forget: () => {}, close: async () => {} } as unknown as Clockwork["doorbell"];
const world: Clockwork = { ...realWorld, doorbell: ring, log: openLog("engine", "silent") };

interface Place {
  readonly control: ControlStore;
  engine(): Promise<() => Promise<void>>;
}

async function open(t: TestContext): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "woml-slots-"));
  const postgres = await openMigrated(join(folder, "postgres"));
  const urls = await prepareRoles(postgres.url, { control: randomUUID(), engine: randomUUID() });
  const control = await openControlStore(urls.control);
  const stores: TriggerStore[] = [];
  const stops: (() => void)[] = [];
  t.after(async () => {
    for (const stop of stops) stop();
    await Promise.all([control.close(), ...stores.map((store) => store.close())]);
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await control.createTenant({ id: TENANT, name: "timed" }, { id: randomUUID(), digest: Buffer.alloc(32), scopes: ["tenant"] });
  return {
    control,
    engine: async () => {
      const store = await openTriggerStore(urls.engine);
      const stop = watchSlots(world, store, () => true);
      stops.push(stop);
      return async () => {
        stop();
        await store.close();
      };
    },
  };
}

type Spec = Extract<Trigger, { kind: "schedule" | "interval" }>;
async function activate({ control }: Place, version: string, spec: Spec, nextAt: number): Promise<void> {
  const trigger = { trigger: spec.id, kind: spec.kind, route: null, spec: spec as Json, secrets: [], nextAt };
  await control.withTenant(TENANT, (scope) => scope.activate("flow", version, [trigger]));
}
const runs = ({ control }: Place, of: string): Promise<readonly RunId[]> =>
  control.withTenant(TENANT, async (scope) => (await scope.startedIn([`trigger:flow:${of}`])).get(`trigger:flow:${of}`) ?? []);
interface Times {
  readonly scheduledAt: string;
  readonly triggeredAt: string;
}
const bodies = (place: Place, of: string) =>
  place.control.withTenant(TENANT, async (scope) => {
    const starts = await Promise.all((await runs(place, of)).map((run) => scope.startOf(run)));
    return starts.flatMap((start) => (start?.body as { payload?: Times } | undefined)?.payload ?? []);
  });

test("PC-11 a daily slot in a zone starts once, whatever is restarted, activated and looked at again an hour later", async (t) => {
  const place = await open(t);
  const now = await place.control.withTenant(TENANT, (scope) => scope.now());
  // The zone's own time of day of an hour ago, so that one daily slot is late by up to an hour, and was missed by all engines.
  const daily = (ago: number): Spec => {
    const clock = new Intl.DateTimeFormat("en-US", { timeZone: "Asia/Kolkata", hour: "numeric", minute: "numeric", hourCycle: "h23" });
    const [hour, minute] = clock
      .format(now - ago)
      .split(":")
      .map(Number);
    return { id: "daily", kind: "schedule", cron: `${minute} ${hour} * * *`, timezone: "Asia/Kolkata", onMissed: "run-once" };
  };
  const slotOf = (spec: Spec): number => {
    assert.ok(isTimed(spec));
    return nextSlot({ trigger: spec, setting: null, since: 0 }, now - 7_200_000) ?? 0;
  };
  const spec = daily(3_600_000);
  await activate(place, "v1", spec, slotOf(spec));
  const [first] = [await place.engine(), await place.engine()];
  await sleep(1_500);
  assert.equal((await runs(place, "daily")).length, 1);
  await first();
  // What a restore does, or a clock that is set back: the slot is to come once more, under another version.
  for (const version of ["v2", "v3"]) {
    await place.control.withTenant(TENANT, (scope) => scope.activate("flow", null, []));
    await activate(place, version, spec, slotOf(spec));
    await place.engine();
    await sleep(1_500);
  }
  const [only, ...others] = await bodies(place, "daily");
  assert.deepEqual([only?.scheduledAt, others], [new Date(slotOf(spec)).toISOString(), []]);
  const [row] = (await place.control.withTenant(TENANT, (scope) => scope.triggers(["flow"], { first: 9, after: null }))).items;
  assert.ok(row?.nextAt !== undefined && (row.nextAt ?? 0) > now + 3_600_000, "the next one is tomorrow's");
});

test("two engines, one restarted again and again: each second of an interval starts once, at its time", async (t) => {
  const place = await open(t);
  const spec: Spec = { id: "often", kind: "interval", everyMs: 1_000, onMissed: "skip" };
  await activate(place, "v1", spec, 1);
  const from = await place.control.withTenant(TENANT, async (scope) => {
    const since = (await scope.trigger({ workflow: "flow", trigger: "often" }))?.since ?? 0;
    await scope.setTrigger({ workflow: "flow", trigger: "often" }, null, since + 1_000);
    return since;
  });
  await place.engine();
  let stop = await place.engine();
  for (let n = 0; n < 8; n++) {
    await sleep(700 + 100 * n);
    await stop();
    stop = await place.engine();
  }
  const payloads = await bodies(place, "often");
  const times = payloads.map(({ scheduledAt }) => Date.parse(scheduledAt)).toSorted((a, b) => a - b);
  assert.ok(times.length >= 7, `${times.length} slots`);
  assert.deepEqual(
    times,
    times.map((_, n) => from + 1_000 * (n + 1)),
  );
  // The moment is met, but for what a busy machine takes.
  const late = payloads.map(({ scheduledAt, triggeredAt }) => Date.parse(triggeredAt) - Date.parse(scheduledAt)).toSorted((a, b) => a - b);
  assert.ok((late[0] ?? -1) >= 0 && (late[Math.floor(late.length / 2)] ?? 9_999) < 900, `late by ${late.join(", ")} ms`);
});
