// What is counted of tenants' use, in the tables and beside the contract that the memory's double passes too (U1 … U3).
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { asRunId, type TenantId } from "@woml/run";
import { openControlStore } from "../postgres-control.ts";
import { openEngineStore } from "../postgres-engine.ts";
import { rebuild } from "../rebuild.ts";
import { type Database, openDatabase } from "./database.ts";
import { newKey, wanted } from "./opened.ts";

const BODY = { kind: "start", workflow: "w", version: "v", trigger: { kind: "manual", id: "go" }, payload: {}, labels: [] };
let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());
beforeEach(() => database.empty());

const limit = (tenant: TenantId, name: string, value: number) =>
  database.ask("INSERT INTO quota (tenant, name, value, set_at) VALUES ($1, $2, $3, 0)", [tenant, name, value]);
const used = async (): Promise<object> => {
  const rows = await database.ask<{ name: string; amount: string }>("SELECT name, amount FROM usage ORDER BY name");
  return Object.fromEntries(rows.map(({ name, amount }) => [name, Number(amount)]));
};
const bytesOf = async (tenant: TenantId): Promise<number> => {
  const [row] = await database.ask<{ sum: string }>("SELECT sum(octet_length(data::text)) FROM run_event WHERE tenant = $1", [tenant]);
  return Number(row?.sum);
};
async function opened() {
  const store = await openEngineStore(database.engine);
  const engine = randomUUID();
  const { lease, at } = await store.openLease(engine, 60_000);
  return { store, engine, at, close: () => lease.release().then(() => store.close()) };
}

test("who has no quota costs no commit; who has costs one for all that came since, and old rows go with it", async () => {
  const { store, engine, at, close } = await opened();
  const [a, free] = [newKey(), newKey()];
  await limit(a.tenant, "cpu_ms_per_minute", 1_000);
  await database.ask("INSERT INTO usage VALUES ($1, 'starts_per_second', 1000, 7)", [a.tenant]);
  await store.append(wanted(free, engine, { at }));
  const before = store.commits;
  await store.meter();
  assert.equal(store.commits, before);
  for (let n = 0; n < 5; n++) await store.append(wanted(a, engine, { at, expected: 2 * n }));
  const appended = store.commits;
  await store.meter();
  await store.meter();
  assert.equal(store.commits, appended + 1);
  assert.deepEqual(await used(), { cpu_ms_per_minute: 10 });
  await close();
});

test("what is stored is counted from the logs when its quota is new, then by what is added; starts beyond it are refused", async () => {
  const { store, engine, at, close } = await opened();
  const control = await openControlStore(database.control);
  const a = newKey();
  await store.append(wanted(a, engine, { at }));
  await store.meter();
  await limit(a.tenant, "stored_bytes", (await bytesOf(a.tenant)) + 1);
  await store.meter();
  assert.deepEqual(await used(), { stored_bytes: await bytesOf(a.tenant) });
  const start = () => ({ id: randomUUID(), run: asRunId(randomUUID()), scope: "s", key: null, digest: "", body: BODY });
  await control.submit(a.tenant, start());
  await store.append(wanted(a, engine, { at, expected: 2 }));
  await store.meter();
  const bytes = await bytesOf(a.tenant);
  assert.deepEqual(await used(), { stored_bytes: bytes });
  const reached = { quota: "stored_bytes", limit: bytes / 2 + 1, used: bytes, resetsAt: null };
  const refused = { code: "WOML_QUOTA_EXCEEDED", reached };
  await assert.rejects(control.submit(a.tenant, start()), refused);
  assert.deepEqual(await control.withTenant(a.tenant, (scope) => scope.quotas()), [
    { name: "stored_bytes", limit: bytes / 2 + 1, used: bytes, resetsAt: null },
  ]);
  assert.deepEqual(await store.meter(), [], "it keeps no script");
  await control.close();
  await close();
});

test("rebuild counts the minute that goes on, and what is stored, from the logs", async () => {
  const { store, engine, at, close } = await opened();
  const a = newKey();
  for (const name of ["cpu_ms_per_minute", "operations_per_minute", "stored_bytes"]) await limit(a.tenant, name, 1_000_000);
  await store.append(wanted(a, engine, { at }));
  await store.append(wanted({ ...a, run: newKey().run }, engine));
  const events = [{ type: "operation_started", data: { node: "a", attempt: 1, call: 1, reused: null } }] as never;
  await store.append(wanted(a, engine, { at, expected: 2, events }));
  const counted = { cpu_ms_per_minute: 2, operations_per_minute: 1, stored_bytes: await bytesOf(a.tenant) };
  assert.equal((await rebuild(database.engine, { dryRun: true }, () => undefined)).usage, 3);
  assert.deepEqual(await used(), {});
  assert.equal((await rebuild(database.engine, {}, () => undefined)).usage, 3);
  assert.deepEqual(await used(), counted);
  await database.ask("UPDATE usage SET amount = amount + 5");
  assert.equal((await rebuild(database.engine, { tenant: randomUUID() }, () => undefined)).usage, 0);
  assert.equal((await rebuild(database.engine, { tenant: a.tenant }, () => undefined)).usage, 3);
  assert.deepEqual(await used(), counted);
  assert.equal((await rebuild(database.engine, {}, () => undefined)).usage, 0);
  await close();
});
