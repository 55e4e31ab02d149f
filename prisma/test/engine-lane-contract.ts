import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { RunKey, TenantId } from "@woml/run";
import type { Append, InboxRequest } from "../engine-store.ts";
import type { LaneKey } from "../lane.ts";
import { newKey, startBody, wanted } from "./opened.ts";
import { type Case, type Scene, successor } from "./scene.ts";

const running = { status: "running", waitingFor: null, nextDue: 1, holds: true } as const;
const backoff = { status: "waiting", waitingFor: null, nextDue: 1, holds: false } as const;
const ended = { status: "succeeded", waitingFor: null, nextDue: null, holds: false } as const;
const NO_ROOM = { code: "APPEND_NO_ROOM" };
const admission = (workflow = "w", begins = true): Append["admission"] => ({ workflow, version: "v", labels: [], begins });
const laneOf = (tenant: TenantId, name = "w"): LaneKey => ({ tenant, kind: "workflow", name });
const allOf = (tenant: TenantId): LaneKey => ({ tenant, kind: "tenant", name: "" });
/** Runs of one tenant. */
function keysOf(count: number): RunKey[] {
  const { tenant } = newKey();
  return Array.from({ length: count }, () => ({ ...newKey(), tenant }));
}

let asked = 0;
function ascending(): string {
  asked += 1;
  return `${String(asked).padStart(8, "0")}${randomUUID().slice(8)}`;
}

export function lanes(play: Case): void {
  places(play);
  lines(play);
  turns(play);
  rates(play);
}

function places(play: Case): void {
  play("a lane takes as many as it has places, of its tenant and workflow; who leaves makes room", async ({ opened, store, engine }) => {
    const [a, b, c] = keysOf(3) as [RunKey, RunKey, RunKey];
    const other = newKey();
    await opened.setLane(laneOf(a.tenant), { most: 1 });
    const admit = (key: RunKey, workflow = "w") =>
      store.append(wanted(key, engine, { projection: running, admission: admission(workflow) }));
    assert.equal((await admit(a))?.isPlaceFree, undefined);
    await assert.rejects(admit(b), NO_ROOM);
    assert.equal(await store.load(b), null);
    await Promise.all([admit(c, "free"), admit(other)]);
    assert.equal(await opened.active(laneOf(a.tenant)), 1);
    assert.equal((await store.append(wanted(a, engine, { expected: 2, projection: ended })))?.isPlaceFree, true);
    assert.equal(await opened.active(laneOf(a.tenant)), 0);
    assert.equal((await admit(b))?.head, 2);
    assert.equal(await opened.active(laneOf(a.tenant)), 1);
  });
  play("PC-40 a run that waits holds no place, and takes one again to go on", async ({ opened, store, engine }) => {
    const [a, b] = keysOf(2) as [RunKey, RunKey];
    await opened.setLane(laneOf(a.tenant), { most: 1 });
    await store.append(wanted(a, engine, { projection: running, admission: admission() }));
    assert.equal((await store.append(wanted(a, engine, { expected: 2, projection: backoff })))?.isPlaceFree, true);
    await store.append(wanted(b, engine, { projection: running, admission: admission() }));
    await assert.rejects(store.append(wanted(a, engine, { expected: 4, projection: running })), NO_ROOM);
    const row = await opened.row(a);
    assert.deepEqual([row?.head, row?.owner, row?.epoch], [4, null, 2], "nothing is written but that it is nobody's");
    assert.equal(await opened.active(laneOf(a.tenant)), 1);
  });
  play("what ends takes no place; and a held run has none", async ({ opened, store, engine }) => {
    const [a, b, c] = keysOf(3) as [RunKey, RunKey, RunKey];
    await opened.setLane(laneOf(a.tenant), { most: 1 });
    await store.append(wanted(a, engine, { projection: running, admission: admission() }));
    assert.equal(
      (await store.append(wanted(b, engine, { projection: { ...ended, status: "cancelled" }, admission: admission("w", false) })))?.head,
      2,
    );
    assert.equal(await store.hold(a, { engine, epoch: 1 }, "poison"), true);
    assert.equal(await opened.active(laneOf(a.tenant)), 0);
    assert.equal((await store.append(wanted(c, engine, { projection: running, admission: admission() })))?.head, 2);
  });
  play("many at once, by two engines: never more than there are places, and the lane counts who holds one", async (scene) => {
    const next = await successor(scene);
    // As often as makes it likely that their statements meet.
    for (let round = 0; round < 5; round++) await crowd(scene, next);
  });
  play("PC-38 whose engine died keeps its place until it is taken over, and its lane counts it once", async (scene) => {
    const { opened, store, engine } = scene;
    const [a, b] = keysOf(2) as [RunKey, RunKey];
    await opened.setLane(laneOf(a.tenant), { most: 1 });
    await store.append(wanted(a, engine, { projection: running, admission: admission() }));
    await opened.kill(engine);
    const next = await successor(scene);
    await next.store.fence(next.engine);
    await assert.rejects(next.store.append(wanted(b, next.engine, { projection: running, admission: admission() })), NO_ROOM);
    assert.deepEqual(
      (await next.store.claim(next.engine, 9)).map(({ run, epoch }) => [run, epoch]),
      [[a.run, 2]],
    );
    assert.equal((await next.store.append(wanted(a, next.engine, { expected: 2, epoch: 2, projection: running })))?.head, 4);
    assert.equal(await opened.active(laneOf(a.tenant)), 1);
    await next.store.append(wanted(a, next.engine, { expected: 4, epoch: 2, projection: ended }));
    assert.equal((await next.store.append(wanted(b, next.engine, { projection: running, admission: admission() })))?.head, 2);
  });
}

async function crowd({ opened, store, engine }: Scene, next: Pick<Scene, "store" | "engine">): Promise<void> {
  const keys = keysOf(24);
  const [tenant] = keys.map((key) => key.tenant) as [TenantId];
  for (const name of ["w", "x"]) await opened.setLane(laneOf(tenant, name), { most: 3 });
  await opened.setLane(allOf(tenant), { most: 5 });
  const done = await Promise.allSettled(
    keys.map((key, at) => {
      const { store: of, engine: owner } = at % 2 === 0 ? { store, engine } : next;
      return of.append(wanted(key, owner, { projection: running, admission: admission(at % 3 === 0 ? "x" : "w") }));
    }),
  );
  const moved = done.filter((one) => one.status === "fulfilled" && one.value !== null).length;
  const [w = 0, x = 0, all] = await Promise.all([laneOf(tenant), laneOf(tenant, "x"), allOf(tenant)].map((lane) => opened.active(lane)));
  assert.deepEqual([all, (w ?? 0) + (x ?? 0)], [moved, moved]);
  assert.ok(moved <= 5 && moved >= 3 && (w ?? 0) <= 3 && (x ?? 0) <= 3, `${w} and ${x} of 3, ${moved} of 5`);
}

async function lineUp({ opened, store, engine }: Scene): Promise<readonly [RunKey, RunKey, RunKey]> {
  const [a, b, c] = keysOf(3) as [RunKey, RunKey, RunKey];
  await opened.setLane(laneOf(a.tenant), { most: 1 });
  await store.append(wanted(a, engine, { projection: running, admission: admission() }));
  await store.append(wanted(a, engine, { expected: 2, projection: backoff }));
  await store.append(wanted(b, engine, { projection: running, admission: admission() }));
  await assert.rejects(store.append(wanted(a, engine, { expected: 4, projection: running })), NO_ROOM);
  return [a, b, c];
}

function lines(play: Case): void {
  play("a start is not given before its time, and then as one that came then; its cancel brings it at once", async (scene) => {
    const { opened, store, engine } = scene;
    const [now, soon, later, over] = keysOf(4) as [RunKey, RunKey, RunKey, RunKey];
    await opened.ask({ ...later, id: randomUUID(), body: startBody(), inMs: 600_000 });
    await opened.ask({ ...over, id: randomUUID(), body: startBody(), inMs: 600_000 });
    await opened.ask({ ...soon, id: randomUUID(), body: startBody(), inMs: -1_000 });
    await opened.ask({ ...now, id: randomUUID(), body: startBody() });
    const given = async () => (await store.inbox(engine, 100, true)).filter(({ tenant }) => tenant === now.tenant);
    const runs = (await given()).map(({ run }) => run);
    assert.deepEqual(runs, [soon.run, now.run]);
    await opened.ask({ ...over, id: randomUUID(), body: { kind: "cancel" } });
    const led = (await given()).filter(({ run }) => run === over.run);
    assert.deepEqual(led.map(({ body }) => body.kind).toSorted(), ["cancel", "start"]);
    assert.ok(!(await given()).some(({ run }) => run === later.run));
  });
  play("what stands in line to go on is claimed when there is room, before anything new is offered", async (scene) => {
    const { opened, store, engine } = scene;
    const [a, b, c] = await lineUp(scene);
    await opened.ask({ ...c, id: randomUUID(), body: startBody() });
    assert.deepEqual([await store.claim(engine, 9), await store.inbox(engine, 9, true)], [[], []]);
    await store.append(wanted(b, engine, { expected: 2, projection: ended }));
    assert.deepEqual(await store.inbox(engine, 9, true), [], "the place is for whoever goes on");
    assert.deepEqual(
      (await store.claim(engine, 9)).map(({ run, epoch }) => [run, epoch]),
      [[a.run, 3]],
    );
    await store.append(wanted(a, engine, { expected: 4, epoch: 3, projection: running }));
    await store.append(wanted(a, engine, { expected: 6, epoch: 3, projection: ended }));
    assert.deepEqual(
      (await store.inbox(engine, 9, true)).map(({ run }) => run),
      [c.run],
    );
  });
  play("out of the line for its cancel, and for nothing else that it is asked", async (scene) => {
    const { opened, store, engine } = scene;
    const [a] = await lineUp(scene);
    await opened.ask({ ...a, id: randomUUID(), body: { kind: "resolve_approval", node: "a", decision: "approved", by: "k" } });
    assert.deepEqual([await store.claim(engine, 9), await store.inbox(engine, 9, true)], [[], []], "who has decided does not make room");
    await opened.ask({ ...a, id: randomUUID(), body: { kind: "cancel" } });
    assert.deepEqual(await store.claim(engine, 9), []);
    assert.deepEqual(
      (await store.inbox(engine, 9, true)).map(({ run, body }) => [run, body.kind]),
      [[a.run, "cancel"]],
    );
    const taken = await store.claimHeld(engine, a);
    assert.deepEqual([taken?.epoch, taken?.isLined], [3, true]);
    const ending = { status: "cancelled", waitingFor: null, nextDue: null, holds: false } as const;
    assert.equal((await store.append(wanted(a, engine, { expected: 4, epoch: 3, projection: ending })))?.head, 6);
  });
  play("a run in line whose deadline has come is claimed", async ({ opened, store, engine }) => {
    const [a, b] = keysOf(2) as [RunKey, RunKey];
    await opened.setLane(laneOf(a.tenant), { most: 1 });
    const set = [{ subject: "", kind: "deadline", dueAt: 5 } as const];
    await store.append(wanted(a, engine, { projection: backoff, admission: admission(), set }));
    await store.append(wanted(b, engine, { projection: running, admission: admission() }));
    await assert.rejects(store.append(wanted(a, engine, { expected: 2, projection: running })), NO_ROOM);
    assert.deepEqual(
      (await store.claim(engine, 9)).map(({ run }) => run),
      [a.run],
    );
  });
}

function turns(play: Case): void {
  const ask = async ({ opened }: Scene, keys: readonly RunKey[], workflow = "w"): Promise<void> => {
    const body = { ...startBody(), workflow } as InboxRequest["body"];
    // Of one millisecond the ids say which was first, as those that are minted do.
    for (const key of keys) await opened.ask({ ...key, id: ascending(), body });
  };
  play("PC-37 starts are offered by turns of the tenants, and of a lane no more than it has room for", async (scene) => {
    const { opened, store, engine } = scene;
    const [many, few, lane] = [keysOf(6), keysOf(2), keysOf(3)];
    await ask(scene, many);
    await ask(scene, lane.slice(0, 3));
    await ask(scene, few);
    await opened.setLane(laneOf((lane[0] as RunKey).tenant), { most: 1 });
    const offered = (await store.inbox(engine, 99, true)).map(({ run }) => run);
    assert.deepEqual(new Set(offered.slice(0, 3)), new Set([many[0], lane[0], few[0]].map((key) => key?.run)));
    assert.deepEqual(new Set(offered.slice(3, 5)), new Set([many[1], few[1]].map((key) => key?.run)));
    assert.deepEqual(
      offered.slice(5),
      many.slice(2).map(({ run }) => run),
    );
    assert.equal((await store.inbox(engine, 3, true)).length, 3);
  });
  play("PC-36 what is blocked blocks only itself: not another workflow of its tenant, nor another tenant", async (scene) => {
    const { opened, store, engine } = scene;
    const [blocked, free, others] = [keysOf(3), keysOf(1), keysOf(1)] as [RunKey[], RunKey[], RunKey[]];
    const { tenant } = blocked[0] as RunKey;
    const beside = { ...(free[0] as RunKey), tenant };
    await opened.setLane(laneOf(tenant), { most: 0 });
    await ask(scene, blocked);
    await ask(scene, [beside], "x");
    await ask(scene, others);
    assert.deepEqual(new Set((await store.inbox(engine, 99, true)).map(({ run }) => run)), new Set([beside.run, others[0]?.run]));
  });
  play("a cancel brings its start with it, whatever that waits for; one without a start says so", async (scene) => {
    const { opened, store, engine } = scene;
    const [a, b] = keysOf(2) as [RunKey, RunKey];
    await opened.setLane(laneOf(a.tenant), { most: 0 });
    await ask(scene, [a]);
    for (const key of [a, b]) await opened.ask({ ...key, id: ascending(), body: { kind: "cancel" } });
    const found = (await store.inbox(engine, 9, true)).map(({ run, body, isStarting }) => [run, body.kind, isStarting === true]);
    assert.deepEqual(found, [
      [a.run, "start", false],
      [a.run, "cancel", true],
      [b.run, "cancel", false],
    ]);
  });
}

function rates(play: Case): void {
  play("no more begin within the window than may, and when the next may is known", async ({ opened, store, engine, at }) => {
    const keys = keysOf(4) as [RunKey, RunKey, RunKey, RunKey];
    const lane = laneOf(keys[0].tenant);
    await opened.setLane(lane, { rate: { count: 2, windowMs: 60_000 } });
    const begin = (key: RunKey, later = 0) =>
      store.append(wanted(key, engine, { at: at + later, projection: running, admission: admission() }));
    assert.equal(await store.opens(), null);
    await begin(keys[0]);
    await begin(keys[1]);
    for (const key of keys.slice(2)) await opened.ask({ ...key, id: ascending(), body: startBody() });
    assert.deepEqual(await store.inbox(engine, 9, true), []);
    await assert.rejects(begin(keys[2]), NO_ROOM);
    const opens = (await store.opens()) ?? 0;
    assert.ok(opens >= at + 60_000 && opens < at + 120_000, `${opens - at}`);
    await store.append(wanted(keys[0], engine, { expected: 2, projection: ended }));
    await assert.rejects(begin(keys[2]), NO_ROOM, "that one has ended makes no difference");
    await opened.elapse(61_000);
    assert.deepEqual(
      (await store.inbox(engine, 9, true)).map(({ run, isRated }) => [run, isRated]),
      [
        [keys[2].run, true],
        [keys[3].run, true],
      ],
    );
    assert.equal((await begin(keys[2], 62_000))?.head, 2);
  });
}
