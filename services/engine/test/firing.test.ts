// Several engines that fire slots over one store, on a virtual clock, and are killed between any two questions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "@woml/boot";
import type { Json } from "@woml/model";
import type { TriggerStore } from "@woml/prisma";
import { type MemoryTriggers, memoryTriggers } from "@woml/prisma/memory";
import { realWorld } from "../index.ts";
import { type Clockwork, watchSlots } from "../triggers/slots.ts";
import { Time } from "./simulation/time.ts";
import { EPOCH, TENANT } from "./stage.ts";

const MINUTE = 60_000;
const SINCE = Math.ceil(EPOCH / MINUTE) * MINUTE;
const log = openLog("engine", "silent");

/** The same for a seed, always. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

class Hall {
  readonly time = new Time();
  /** How far PostgreSQL's clock was set. */
  shift = 0;
  readonly triggers: MemoryTriggers = memoryTriggers(
    () => this.now,
    () => {},
  );
  rings = 0;

  get now(): number {
    return SINCE + Math.floor(this.time.now) + this.shift;
  }
  bind(spec: { readonly id: string; readonly [key: string]: Json }, nextAt: number, version = "v1"): void {
    const kind = spec["kind"] === "interval" ? "interval" : "schedule";
    this.triggers.bind(TENANT, "flow", version, { trigger: spec.id, kind, route: null, spec, secrets: [], nextAt });
  }
  /** An engine; what it is in the middle of when it is killed is never answered. `dies` says whether it does now. */
  engine(dies: () => boolean = () => false): () => void {
    let isDead = false;
    const alive = async <T>(work: () => Promise<T>): Promise<T> => {
      if (!isDead && dies()) isDead = true;
      if (isDead) return new Promise(() => {});
      const answer = await work();
      if (!isDead && dies()) isDead = true;
      return isDead ? new Promise(() => {}) : answer;
    };
    const store: Pick<TriggerStore, "due" | "fire"> = {
      due: (limit) => alive(() => this.triggers.store.due(limit)),
      fire: (firing) => alive(() => this.triggers.store.fire(firing)),
    };
    const ring = (): void => {
      this.rings += 1;
    };
    const bell = { ring, listen: () => () => {}, forget: () => {}, close: async () => {} };
    const world: Clockwork = {
      ...{ log, mint: realWorld.mint, digest: realWorld.digest },
      alarm: (delayMs, ring) => this.time.after(delayMs, () => (isDead ? undefined : ring())),
      doorbell: bell as unknown as Clockwork["doorbell"],
    };
    const stop = watchSlots(world, store, () => !isDead);
    return () => {
      isDead = true;
      stop();
    };
  }
  async pass(ms: number): Promise<void> {
    let isOver = false;
    this.time.after(ms, () => {
      isOver = true;
    });
    await this.time.run(() => isOver, Number.POSITIVE_INFINITY);
  }
  keys(trigger: string): readonly string[] {
    return this.triggers
      .starts()
      .filter(({ body }) => body.trigger.id === trigger)
      .map(({ key }) => key);
  }
}

const minutely = { id: "minutely", kind: "schedule", cron: "* * * * *", timezone: "UTC", onMissed: "skip" };
const often = { id: "often", kind: "interval", everyMs: 7_000, onMissed: "skip" };
const expected = (from: number, to: number, everyMs: number): readonly string[] => {
  const form = (at: number): string => (everyMs === MINUTE ? `${new Date(at).toISOString().slice(0, 16)}Z` : new Date(at).toISOString());
  return Array.from({ length: Math.floor((to - from) / everyMs) }, (_, n) => form(from + (n + 1) * everyMs));
};

test("a slot starts at the very time that it names, though nobody looks more often than once a second", async () => {
  const hall = new Hall();
  hall.bind(often, SINCE + 7_000);
  hall.engine();
  await hall.pass(10 * MINUTE - 1);
  const starts = hall.triggers.starts();
  assert.equal(starts.length, 85);
  for (const { body, key } of starts) {
    const { scheduledAt, triggeredAt } = body.payload as { scheduledAt: string; triggeredAt: string };
    assert.deepEqual([scheduledAt, triggeredAt], [key, key]);
  }
  assert.equal(hall.rings, 85);
});

for (let seed = 1; seed <= 12; seed++) {
  test(`engines are killed at any moment, and each slot starts once (seed ${seed})`, async () => {
    const [hall, draw] = [new Hall(), chance(seed)];
    hall.bind(minutely, SINCE + MINUTE);
    hall.bind(often, SINCE + 7_000);
    let [kills, spans] = [0, 0];
    const dies = (): boolean => {
      const isOver = draw() < 0.05;
      if (isOver) kills += 1;
      return isOver;
    };
    for (let span = 0; span < 120; span++) {
      // Somebody is there again within the grace: nothing is missed.
      const engines = [hall.engine(dies), hall.engine(dies)];
      await hall.pass(1_000 + Math.floor(draw() * 14_000));
      for (const stop of engines) stop();
      spans += 1;
    }
    hall.engine();
    await hall.pass(2_000);
    const now = hall.now;
    assert.ok(kills > 10 && spans === 120, `${kills} kills`);
    assert.deepEqual(hall.keys("minutely").toSorted(), expected(SINCE, now, MINUTE));
    assert.deepEqual(hall.keys("often").toSorted(), expected(SINCE, now, 7_000));
    assert.deepEqual(hall.triggers.deliveries(), []);
  });
}

test("a clock that is set back, and an activation that follows, bring no slot twice", async () => {
  const hall = new Hall();
  hall.bind(minutely, SINCE + MINUTE);
  hall.engine();
  hall.engine();
  await hall.pass(90 * MINUTE + 500);
  assert.equal(hall.keys("minutely").length, 90);
  hall.shift = -60 * MINUTE;
  hall.bind({ ...minutely, timezone: "Europe/London" }, hall.now + MINUTE, "v2");
  await hall.pass(60 * MINUTE);
  assert.equal(hall.keys("minutely").length, 90);
  await hall.pass(5 * MINUTE);
  assert.deepEqual(hall.keys("minutely"), expected(SINCE, SINCE + 95 * MINUTE, MINUTE));
});

test("PC-15 nobody was there for three hours: one run starts, and what was missed is written down once, by whichever of three engines comes first", async () => {
  const hall = new Hall();
  hall.bind(minutely, SINCE + MINUTE);
  const stop = hall.engine();
  await hall.pass(MINUTE + 1_000);
  stop();
  await hall.pass(180 * MINUTE);
  for (let n = 0; n < 3; n++) hall.engine();
  await hall.pass(5_000);
  assert.equal(hall.keys("minutely").length, 2);
  const [missed, ...others] = hall.triggers.deliveries();
  assert.deepEqual([missed?.outcome, missed?.count, others], ["missed", 179, []]);
  await hall.pass(3 * MINUTE);
  assert.equal(hall.keys("minutely").length, 5);
});

test("PC-15 run-once starts one run for all of them, and the row that says so names it", async () => {
  const hall = new Hall();
  hall.bind({ ...minutely, onMissed: "run-once" }, SINCE + MINUTE);
  await hall.pass(180 * MINUTE);
  hall.engine();
  hall.engine();
  await hall.pass(5_000);
  const [only, ...others] = hall.triggers.starts();
  const [row] = hall.triggers.deliveries();
  assert.deepEqual([others, row?.run, row?.count], [[], only?.run, 179]);
});

for (let seed = 1; seed <= 4; seed++) {
  test(`where a quota has fewer starts a second than slots come at once, each starts once, and no second has more (seed ${seed})`, async () => {
    const [hall, draw] = [new Hall(), chance(seed)];
    const ids = Array.from({ length: 7 }, (_, n) => `t${n}`);
    for (const id of ids) hall.bind({ ...often, id, everyMs: 20_000 }, SINCE + 20_000);
    hall.triggers.setStarts(TENANT, 2);
    const dies = (): boolean => draw() < 0.02;
    for (let span = 0; span < 40; span++) {
      const engines = [hall.engine(dies), hall.engine(dies)];
      await hall.pass(5_000);
      for (const stop of engines) stop();
    }
    hall.engine();
    await hall.pass(15_000);
    const now = hall.now - 15_000;
    for (const id of ids) {
      const slots = expected(SINCE, now, 20_000);
      assert.deepEqual(hall.keys(id).toSorted().slice(0, slots.length), slots);
    }
    const seconds = new Map<number, number>();
    for (const { body } of hall.triggers.starts()) {
      const { triggeredAt } = body.payload as { readonly triggeredAt: string };
      const second = Math.floor(Date.parse(triggeredAt) / 1_000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
    assert.equal(Math.max(...seconds.values()), 2);
    assert.deepEqual(hall.triggers.deliveries(), []);
  });
}

test("slots for which there was no room within a minute were missed, as if nobody had been there; the others begin", async () => {
  const hall = new Hall();
  hall.bind({ ...often, everyMs: 10_000 }, SINCE + 10_000);
  hall.triggers.setStarts(TENANT, 0);
  hall.engine();
  await hall.pass(3 * MINUTE);
  assert.deepEqual([hall.keys("often"), hall.triggers.deliveries()], [[], []]);
  hall.triggers.setStarts(TENANT, 100);
  await hall.pass(2_000);
  const [missed, ...others] = hall.triggers.deliveries();
  assert.deepEqual([missed?.outcome, missed?.code, others], ["missed", "WOML_TRIGGER_SLOTS_MISSED", []]);
  const begun = hall.keys("often").length;
  assert.ok(begun >= 6 && begun + (missed?.count ?? 0) === 18, `${begun} began, ${missed?.count} were missed`);
});
