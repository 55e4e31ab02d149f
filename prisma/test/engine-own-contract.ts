// What every store of the engine's does with what the engine itself performs: writes of state, starts of runs, telling who waits for one.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { STATE_LIMITS } from "@woml/model";
import { asRunId, asTenantId, type RunKey } from "@woml/run";
import type { EngineStore, StateEntry, StateWrite } from "../engine-store.ts";
import { AppendOutdated } from "../error.ts";
import type { Announcement } from "../trigger.ts";
import { newKey, startBody, wanted } from "./opened.ts";
import { type Case, type Scene, successor } from "./scene.ts";

const key = "k";
/** The write that makes `value` of what stands. */
function write({ version, bytes, floor }: StateEntry, value: unknown, more: Partial<StateWrite> = {}): StateWrite {
  const text = value === undefined ? null : JSON.stringify(value);
  const size = text === null ? 0 : Buffer.byteLength(text) + key.length;
  const next = version === 0 ? floor + 1 : version + 1;
  return { key, expected: version, floor, value: text, version: next, bytes: size, added: size - bytes, ...more };
}
async function admitted({ store, engine }: Pick<Scene, "store" | "engine">, key: RunKey = newKey()): Promise<RunKey> {
  await store.append(wanted(key, engine));
  return key;
}
/** Of the same tenant, and so of the same workflow. */
const beside = ({ tenant }: RunKey): RunKey => ({ tenant, run: asRunId(randomUUID()) });
const stateOf = (store: EngineStore, { tenant }: RunKey): Promise<StateEntry> => store.state(tenant, "w", key);

export function ownOperations(play: Case): void {
  writes(play);
  racing(play);
  rooms(play);
  children(play);
  signals(play);
  announcements(play);
}

function writes(play: Case): void {
  play("a write of state is stored with its events, by run, workflow and tenant", async (scene) => {
    const { store, engine } = scene;
    const run = await admitted(scene);
    assert.deepEqual(await stateOf(store, run), { value: null, version: 0, bytes: 0, keys: 0, totalBytes: 0, floor: 0 });
    const made = write(await stateOf(store, run), { z: 1, a: ["ß"] });
    await store.append(wanted(run, engine, { expected: 2, own: { write: made } }));
    const now = await stateOf(store, run);
    assert.deepEqual(now, { value: { z: 1, a: ["ß"] }, version: 1, bytes: made.bytes, keys: 1, totalBytes: made.bytes, floor: 0 });
    assert.equal(JSON.stringify(now.value), '{"z":1,"a":["ß"]}');
    assert.equal((await store.load(run))?.head, 4);
    assert.equal((await store.state(asTenantId(randomUUID()), "w", key)).version, 0);
    assert.equal((await store.state(run.tenant, "other", key)).version, 0);
    await store.append(wanted(run, engine, { expected: 4, own: { write: write(now, undefined) } }));
    assert.deepEqual(await stateOf(store, run), { value: null, version: 0, bytes: 0, keys: 0, totalBytes: 0, floor: 1 });
  });
  play("what a write was judged by has changed: nothing of the append is written", async (scene) => {
    const { store, engine } = scene;
    const run = await admitted(scene);
    const other = await admitted(scene, beside(run));
    const empty = await stateOf(store, run);
    await store.append(wanted(run, engine, { expected: 2, own: { write: write(empty, 1) } }));
    const stands = await stateOf(store, run);
    const stale = [write(empty, 2), write(empty, undefined, { expected: 2 }), write(stands, 2, { expected: 2 })];
    for (const one of stale)
      await assert.rejects(store.append(wanted(other, engine, { expected: 2, own: { write: one } })), AppendOutdated);
    assert.deepEqual([(await store.load(other))?.head, await stateOf(store, run)], [2, stands]);
    assert.equal((await store.append(wanted(other, engine, { expected: 2 })))?.head, 4);
    await store.append(wanted(other, engine, { expected: 4, own: { write: write(stands, undefined) } }));
    // It is gone as it was at first, and yet it is another absence.
    await assert.rejects(store.append(wanted(run, engine, { expected: 4, own: { write: write(empty, 1) } })), AppendOutdated);
    await store.append(wanted(run, engine, { expected: 4, own: { write: write(await stateOf(store, run), 1) } }));
    assert.equal((await stateOf(store, run)).version, 2);
  });
  play("whose append does not land writes no state, starts nothing and tells nobody", async (scene) => {
    const { store, engine, opened } = scene;
    const run = await admitted(scene);
    const child = asRunId(randomUUID());
    const start = { run: child, scope: "call:w", key: "k", digest: "d", body: startBody() };
    const own = { write: write(await stateOf(store, run), 1), starts: [start], tells: asRunId(randomUUID()) } as const;
    assert.equal(await store.append(wanted(run, engine, { expected: 3, own } as never)), null);
    assert.equal(await store.append(wanted(run, randomUUID(), { expected: 2, own } as never)), null);
    assert.deepEqual([(await stateOf(store, run)).version, await store.child({ ...run, run: child })], [0, null]);
    assert.deepEqual(await store.inbox(engine, 9, true), []);
    assert.equal((await opened.row(run))?.head, 2);
  });
}

/** Adds one, again and again until it stands. */
async function increment(store: EngineStore, run: RunKey, engine: string, expected: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    const now = await stateOf(store, run);
    try {
      const next = { write: write(now, Number(now.value ?? 0) + 1) };
      const moved = await store.append(wanted(run, engine, { expected, own: next }));
      assert.equal(moved?.head, expected + 2);
      return tries;
    } catch (error) {
      assert.ok(error instanceof AppendOutdated, String(error));
    }
  }
}

function racing(play: Case): void {
  play("two engines that write one key again and again lose nothing", async (scene) => {
    const other = await successor(scene);
    const first = await admitted(scene);
    const sides = [scene, other].flatMap(({ store, engine }) => Array.from({ length: 5 }, () => ({ store, engine, run: beside(first) })));
    await Promise.all(sides.map((side) => admitted(side, side.run)));
    await Promise.all(
      sides.map(async ({ store, engine, run }) => {
        for (let n = 1; n <= 4; n++) await increment(store, run, engine, n * 2);
      }),
    );
    const { value, version } = await stateOf(scene.store, first);
    assert.deepEqual([value, version], [40, 40]);
    for (const { run } of sides) assert.equal((await scene.store.load(run))?.head, 10);
  });
}

function rooms(play: Case): void {
  play("a workflow keeps no more than it may, however many write at once", async (scene) => {
    const { store, engine } = scene;
    const first = await admitted(scene);
    const many = Array.from({ length: 6 }, () => beside(first));
    await Promise.all(many.map((run) => admitted(scene, run)));
    const empty = await stateOf(store, first);
    const part = STATE_LIMITS.bytes / 4;
    const landed = await Promise.all(
      many.map((run, i) => {
        const own = { write: write(empty, 1, { key: `key ${i}`, bytes: part, added: part }) };
        return store.append(wanted(run, engine, { expected: 2, own })).then(
          () => 1,
          (error: unknown) => {
            assert.ok(error instanceof AppendOutdated);
            return 0;
          },
        );
      }),
    );
    const now = await stateOf(store, first);
    const sum = landed.reduce<number>((left, right) => left + right, 0);
    assert.deepEqual([sum, now.keys, now.totalBytes], [4, 4, STATE_LIMITS.bytes]);
    // Less is always taken.
    const run = many[landed.indexOf(1)] ?? first;
    const index = landed.indexOf(1);
    const less = write({ ...now, version: 1, bytes: part }, undefined, { key: `key ${index}` });
    await store.append(wanted(run, engine, { expected: 4, own: { write: less } }));
    assert.equal((await stateOf(store, first)).keys, 3);
  });
}

function signals(play: Case): void {
  play("who listens to a signal is told by its name and tenant, in the order of workflows", async ({ store, opened }) => {
    const { tenant } = newKey();
    const spec = { name: "order.paid", schema: { z: 1, a: [] } };
    for (const workflow of ["b", "a"]) await opened.listen(tenant, "order.paid", { workflow, version: `v${workflow}`, spec });
    await opened.listen(tenant, "order.sent", { workflow: "c", version: "v", spec });
    const listening = { tenant, trigger: "t", spec, secrets: [] };
    assert.deepEqual(await store.subscribers(tenant, "order.paid"), [
      { ...listening, workflow: "a", version: "va" },
      { ...listening, workflow: "b", version: "vb" },
    ]);
    assert.deepEqual(await store.subscribers(asTenantId(randomUUID()), "order.paid"), []);
  });
  play("an append asks for a thousand starts as for one, each with its own key, and each once", async (scene) => {
    const { store, engine } = scene;
    const run = await admitted(scene);
    const signal = { id: "p", name: "order.paid", lineage: ["w"] };
    const starts = Array.from({ length: 1_000 }, (_, nth) => {
      const body = { ...startBody(), workflow: `w${nth}`, signal } as never;
      return { run: asRunId(randomUUID()), scope: `trigger:w${nth}:t`, key: "internal:v1:p", digest: "d", body };
    });
    await store.append(wanted(run, engine, { expected: 2, own: { starts } }));
    await store.append(wanted(run, engine, { expected: 4, own: { starts } }));
    const asked = await store.inbox(engine, 5_000, true);
    assert.deepEqual([asked.length, new Set(asked.map((one) => one.run)).size], [1_000, 1_000]);
    assert.deepEqual(asked.find((one) => one.run === starts[7]?.run)?.body, starts[7]?.body);
  });
}

function announcements(play: Case): void {
  play("a signal of the platform is stored with its events, once, where somebody listens, and no run is asked by it", async (scene) => {
    const { store, engine, opened } = scene;
    const run = await admitted(scene);
    const { tenant } = run;
    const of = (name: string): Announcement => ({
      name: name as Announcement["name"],
      key: run.run,
      payload: { z: 1, a: [] },
      lineage: ["w"],
    });
    await opened.listen(tenant, "woml.run-failed", { workflow: "w", version: "v", spec: {} });
    const signals = [of("woml.run-failed"), of("woml.quota-reached")];
    assert.equal(await store.append(wanted(run, engine, { expected: 3, own: { signals } })), null);
    assert.deepEqual(await opened.announced(tenant), []);
    await store.append(wanted(run, engine, { expected: 2, own: { signals } }));
    await store.append(wanted(run, engine, { expected: 4, own: { signals } }));
    const other = await admitted(scene);
    await store.append(wanted(other, engine, { expected: 2, own: { signals } }));
    assert.deepEqual([await opened.announced(tenant), await opened.announced(other.tenant)], [[`woml.run-failed ${run.run}`], []]);
    assert.deepEqual(await store.inbox(engine, 9, true), []);
    assert.deepEqual(await store.claim(engine, 9), []);
  });
}

function children(play: Case): void {
  play("a start is asked for once, and what came of it can be looked up", async (scene) => {
    const { store, engine } = scene;
    const run = await admitted(scene);
    const child = asRunId(randomUUID());
    const parent = { run: run.run, node: "a#1", attempt: 1, call: 2, lineage: ["w"], isAwaited: true };
    const body = { ...startBody(), parent } as const;
    const start = { run: child, scope: "call:w", key: "k", digest: "d", body } as never;
    await store.append(wanted(run, engine, { expected: 2, own: { starts: [start] } }));
    await store.append(wanted(run, engine, { expected: 4, own: { starts: [start] } }));
    const [asked, ...more] = await store.inbox(engine, 9, true);
    assert.deepEqual([asked?.run, asked?.tenant, asked?.body, more], [child, run.tenant, body, []]);
    const key = { ...run, run: child };
    assert.deepEqual(await store.child(key), { digest: "d", version: "v", ended: null });
    const failure = { code: "C", kind: "k", message: "m" };
    const ending = { events: [{ type: "run_failed", data: { failure } } as const], requests: [asked?.id ?? ""] };
    const moved = await store.append(wanted(key, engine, { ...ending, own: { tells: run.run } }));
    assert.equal(moved?.ring, engine);
    assert.deepEqual(await store.child(key), { digest: "d", version: "v", ended: { status: "failed", failure } });
    const told = await store.inbox(engine, 9, true);
    assert.deepEqual(
      told.map((one) => [one.run, one.tenant, one.body, one.status]),
      [[run.run, run.tenant, { kind: "child_settled", child }, "running"]],
    );
    await store.append(wanted(run, engine, { expected: 6, requests: told.map(({ id }) => id) }));
    assert.deepEqual(await store.inbox(engine, 9, true), []);
  });
  play("the end of a run is passed on from one that has ended to the one that resumes it, once", async (scene) => {
    const { store, engine, opened } = scene;
    const run = await admitted(scene);
    const [child, next] = [asRunId(randomUUID()), asRunId(randomUUID())];
    const links = { resumed: { run: run.run, from: "a" } };
    await opened.ask({ ...run, run: next, id: randomUUID(), body: { ...startBody(), ...links } });
    const stranger = newKey();
    await opened.ask({ ...stranger, id: randomUUID(), body: { ...startBody(), ...links } });
    await opened.ask({ ...run, id: randomUUID(), body: { kind: "child_settled", child } });
    const told = async () => (await store.inbox(engine, 9, true)).filter(({ body }) => body.kind === "child_settled");
    const [first] = await told();
    for (let n = 0; n < 2; n++) {
      await store.answer([{ tenant: run.tenant, id: first?.id ?? "", answer: "RUN_ALREADY_TERMINAL" }]);
      assert.deepEqual(
        (await told()).map((one) => [one.run, one.tenant, one.body]),
        [[next, run.tenant, { kind: "child_settled", child }]],
      );
    }
  });
  play("a start that was answered instead of admitted is refused", async ({ store, engine, opened }) => {
    const key = newKey();
    await opened.ask({ ...key, id: randomUUID(), body: startBody() });
    const [asked] = await store.inbox(engine, 9, true);
    assert.equal((await store.child(key))?.ended, null);
    await store.answer([{ tenant: key.tenant, id: asked?.id ?? "", answer: "RUN_NOT_ADMISSIBLE" }]);
    assert.equal((await store.child(key))?.ended, "refused");
    assert.equal(await store.child(newKey()), null);
  });
  play("the version that is active is that of the tenant", async ({ store, opened }) => {
    const { tenant } = newKey();
    await opened.activate(tenant, "w", "v1");
    assert.deepEqual([await store.active(tenant, "w"), await store.active(tenant, "x")], ["v1", null]);
    assert.equal(await store.active(asTenantId(randomUUID()), "w"), null);
  });
}
