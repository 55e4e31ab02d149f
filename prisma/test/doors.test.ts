// What doors lack, what they are given, and what of it they read: on a real PostgreSQL, as the roles of the services.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { asTenantId, type TenantId } from "@woml/run";
import type { ControlStore } from "../control-store.ts";
import { openControlStore } from "../postgres-control.ts";
import type { NewTrigger } from "../trigger.ts";
import { openTriggerStore } from "../trigger-store.ts";
import { type Database, openDatabase } from "./database.ts";

let database: Database;
let store: ControlStore;
let engine: Awaited<ReturnType<typeof openTriggerStore>>;
before(async () => {
  database = await openDatabase();
  store = await openControlStore(database.control);
  engine = await openTriggerStore(database.engine);
});
after(async () => {
  await Promise.all([store.close(), engine.close()]);
  await database.close();
});

const hook = (trigger: string, secrets: readonly string[]): NewTrigger => ({
  ...{ trigger, kind: "webhook", route: `/${trigger}`, spec: { id: trigger }, secrets, nextAt: null },
});
async function tenant(mark: string, triggers: readonly NewTrigger[]): Promise<TenantId> {
  const id = asTenantId(randomUUID());
  await store.createTenant({ id, name: mark }, { id: `key-${mark}`, digest: new Uint8Array(32), scopes: ["tenant"] });
  await store.withTenant(id, (scope) => scope.activate("flow", "v", triggers));
  return id;
}
const set = (of: TenantId, name: string, value = name): Promise<void> =>
  store.withTenant(of, (scope) => scope.setSecret(name, Buffer.from(value)));
const door = (): { id: string; publicKey: string } => ({ id: randomUUID(), publicKey: "its key" });
const wanted = async (of: TenantId): Promise<readonly string[]> =>
  (await engine.wanting(1_000)).filter((want) => want.tenant === of).map((want) => `${want.name}@${want.door}`);
async function giveAll(of: TenantId): Promise<void> {
  for (const want of await engine.wanting(1_000))
    if (want.tenant === of) await engine.give(want, Buffer.from(`for the door: ${want.name}`));
}
const read = async (of: TenantId, id: string, names: readonly string[]): Promise<readonly string[]> =>
  (await store.withTenant(of, (scope) => scope.doorSecrets(id, names))).map((one) => Buffer.from(one.sealed).toString());

test("a door lacks what triggers and their settings name, of its own kind and value, until it is given it", async () => {
  const here = await tenant("lacking", [hook("a", ["A"]), { ...hook("m", ["M"]), kind: "manual", route: null }]);
  for (const name of ["A", "B", "M", "X"]) await set(here, name);
  const setting = { verification: { scheme: "github", secrets: ["B", "GONE"] } };
  await store.withTenant(here, (scope) => scope.setTrigger({ workflow: "flow", trigger: "a" }, setting));
  assert.deepEqual(await wanted(here), []);
  const [one, other] = [door(), door()];
  await store.holdDoor(one, 60_000);
  await store.holdDoor(other, 60_000);
  const all = [one, other].flatMap(({ id }) => [`A@${id}`, `B@${id}`]);
  assert.deepEqual((await wanted(here)).toSorted(), all.toSorted());
  await giveAll(here);
  assert.deepEqual(await wanted(here), []);
  assert.deepEqual(await read(here, one.id, ["A", "B", "X"]), ["for the door: A", "for the door: B"]);
  await store.closeDoor(one.id);
  await store.closeDoor(other.id);
  assert.deepEqual(await wanted(here), []);
  assert.deepEqual(await read(here, one.id, ["A"]), []);
});

test("what was sealed of a value that was replaced or taken away is not read from then on", async () => {
  const here = await tenant("replaced", [hook("a", ["A"])]);
  const one = door();
  await store.holdDoor(one, 60_000);
  await set(here, "A");
  await giveAll(here);
  assert.deepEqual(await read(here, one.id, ["A"]), ["for the door: A"]);
  await sleep(2);
  await set(here, "A", "another");
  assert.deepEqual(await read(here, one.id, ["A"]), []);
  assert.deepEqual(await wanted(here), [`A@${one.id}`]);
  await giveAll(here);
  assert.deepEqual(await read(here, one.id, ["A"]), ["for the door: A"]);
  assert.equal(await store.withTenant(here, (scope) => scope.removeSecret("A")), true);
  assert.deepEqual(await read(here, one.id, ["A"]), []);
  assert.deepEqual(await database.ask("SELECT name FROM door_secret WHERE tenant = $1", [here]), []);
  await store.closeDoor(one.id);
});

test("a door that is not held any more wants nothing, and whoever comes next clears it away", async () => {
  const here = await tenant("expired", [hook("a", ["A"])]);
  await set(here, "A");
  const [gone, next] = [door(), door()];
  await store.holdDoor(gone, 60_000);
  await giveAll(here);
  await store.holdDoor(gone, 0);
  await sleep(2);
  assert.deepEqual(await wanted(here), []);
  await store.holdDoor(next, 60_000);
  const doors = await database.ask<{ id: string }>("SELECT id::text FROM door");
  assert.deepEqual(
    doors.map(({ id }) => id),
    [next.id],
  );
  await engine.wanting(1);
  assert.deepEqual(await database.ask("SELECT name FROM door_secret WHERE door = $1", [gone.id]), []);
  await store.closeDoor(next.id);
});

test("a tenant is known by its name, and nothing else is seen by it", async () => {
  const here = await tenant("by-name", []);
  assert.equal(await store.tenantNamed("by-name"), here);
  assert.equal(await store.tenantNamed("by-nam"), null);
  assert.equal(await store.tenantNamed(""), null);
  assert.deepEqual([await store.isTenant(here), await store.isTenant(asTenantId(randomUUID()))], [true, false]);
  const other = await tenant("by-name-too", [hook("a", ["A"])]);
  await set(other, "A");
  const one = door();
  await store.holdDoor(one, 60_000);
  await giveAll(other);
  assert.deepEqual(await read(here, one.id, ["A"]), []);
  await store.closeDoor(one.id);
});

test("of who listens to a signal a door reads the names of secrets alone; whom a secret reaches, it is told by the first 1,000 of those", async () => {
  const ears = (workflow: string, secrets: readonly string[], count: number): readonly NewTrigger[] =>
    Array.from({ length: count }, (_, nth) => ({ ...hook(`${workflow}-${nth}`, secrets), kind: "signal", route: "order.paid" }));
  const here = await tenant("heard-from-outside", ears("a", [], 1_001));
  await store.withTenant(here, (scope) => scope.activate("later", "v", [...ears("b", ["A"], 2), ...ears("c", ["B", "A"], 1)]));
  const other = await tenant("heard-elsewhere", ears("d", ["ELSEWHERE"], 1));
  await store.withTenant(here, async (scope) => {
    assert.deepEqual(await scope.signalSecrets("order.paid"), ["A", "B"]);
    assert.deepEqual(await scope.signalSecrets("order.sent"), []);
    const triggers = async (names: readonly string[]): Promise<readonly string[]> =>
      (await scope.subscribersBy("order.paid", names)).map(({ trigger }) => trigger);
    assert.deepEqual(await triggers(["A"]), ["b-0", "b-1", "c-0"]);
    assert.deepEqual(await triggers(["B", "X"]), ["c-0"]);
    assert.deepEqual(await triggers(["ELSEWHERE"]), []);
    assert.deepEqual(await triggers([]), []);
  });
  await store.withTenant(other, (scope) => scope.activate("flow", "v", ears("d", ["ELSEWHERE"], 1_001)));
  assert.equal((await store.withTenant(other, (scope) => scope.subscribersBy("order.paid", ["ELSEWHERE"]))).length, 1_000);
});
