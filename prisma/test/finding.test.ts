// What control can see of runs that nobody moves: each kind at and before its time, and of no other tenant.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import type { RunKey, TenantId } from "@woml/run";
import type { ControlStore, FindingRow } from "../control-store.ts";
import type { Append, EngineStore } from "../engine-store.ts";
import { openControlStore } from "../postgres-control.ts";
import { openEngineStore } from "../postgres-engine.ts";
import { type Database, openDatabase } from "./database.ts";
import { newKey, wanted } from "./opened.ts";

let database: Database;
let control: ControlStore;
let store: EngineStore;
const engine = randomUUID();
before(async () => {
  database = await openDatabase();
  control = await openControlStore(database.control);
  store = await openEngineStore(database.engine);
});
after(async () => {
  await Promise.all([control.close(), store.close()]);
  await database.close();
});
beforeEach(async () => {
  await database.empty();
  await database.ask("INSERT INTO engine (id, expires_at, reads) VALUES ($1, 99999999999999, 1)", [engine]);
});

const waits = { since: "", moves: "", actions: [] } as const;
async function write(projection: Partial<Append["projection"]> = {}): Promise<RunKey> {
  const key = newKey();
  await store.append(
    wanted(key, engine, { projection: { status: "running", waitingFor: null, nextDue: Date.now(), holds: false, ...projection } }),
  );
  return key;
}
const found = (tenant: TenantId, limit = 10): Promise<readonly FindingRow[]> =>
  control.withTenant(tenant, (scope) => scope.findings(limit));
const kinds = async ({ tenant }: RunKey): Promise<readonly string[]> =>
  (await found(tenant)).map(({ kind, detail }) => `${kind} ${detail}`);

test("a run that an engine drives, one that waits for somebody, and one that has ended are nothing to look at", async () => {
  const keys = [
    await write(),
    await write({ status: "needs_resolution", waitingFor: { cause: "needs_resolution", ...waits }, nextDue: null }),
    await write({ status: "waiting", waitingFor: { cause: "backoff", ...waits }, nextDue: Date.now() + 1_000_000 }),
    await write({ status: "failed", nextDue: null }),
  ];
  for (const key of keys) assert.deepEqual(await kinds(key), []);
});

test("PC-34: a run that neither a time nor anybody's word will move is found, unless somebody has asked something of it", async () => {
  const key = await write({ status: "waiting", nextDue: null });
  assert.deepEqual(await kinds(key), ["motionless waiting"]);
  await database.ask(
    "INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at) VALUES ($1, $2, 'cancel', 's', '', $3, '{}', $4)",
    [key.tenant, randomUUID(), key.run, Date.now()],
  );
  assert.deepEqual(await kinds(key), []);
});

test("a held run, with its reason and since when", async () => {
  const key = await write();
  await store.hold(key, { engine, epoch: 1 }, "poison");
  const [held, ...others] = await found(key.tenant);
  assert.deepEqual([held?.kind, held?.run, held?.detail, others], ["held", key.run, "poison", []]);
  assert.ok(Math.abs((held?.since ?? 0) - Date.now()) < 10_000);
});

test("a run that is due and whose engine is gone, fenced or unknown, after half a minute", async () => {
  const key = await write({ nextDue: Date.now() - 60_000 });
  const young = await write({ nextDue: Date.now() - 20_000 });
  assert.deepEqual(await kinds(key), []);
  await database.ask("UPDATE engine SET fenced_at = 1");
  assert.deepEqual([await kinds(key), await kinds(young)], [[`ownerless ${engine}`], []]);
  await database.ask("DELETE FROM engine");
  assert.deepEqual(await kinds(key), [`ownerless ${engine}`]);
  await database.ask("UPDATE run SET owner = NULL");
  assert.deepEqual(await kinds(key), ["ownerless "]);
  await database.ask("UPDATE run SET held = 'poison', held_at = 1 WHERE id = $1", [key.run]);
  assert.deepEqual(await kinds(key), ["held poison"]);
});

test("a time that has come, and an engine that does nothing; but a script may take its time", async () => {
  const late = await write({ status: "waiting", waitingFor: { cause: "backoff", ...waits }, nextDue: Date.now() - 60_000 });
  const busy = await write({ waitingFor: { cause: "script", ...waits }, nextDue: Date.now() - 60_000 });
  assert.deepEqual([await kinds(late), await kinds(busy)], [["overdue backoff"], []]);
});

test("a request that nobody takes, after a minute", async () => {
  const key = newKey();
  const ask = (age: number, consumed: number | null): Promise<unknown> =>
    database.ask(
      `INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at, consumed_at) VALUES ($1, $2, 'start', 's', '', $3, '{}', $4, $5)`,
      [key.tenant, randomUUID(), key.run, Date.now() - age, consumed],
    );
  await ask(50_000, null);
  await ask(90_000, 1);
  assert.deepEqual(await kinds(key), []);
  await ask(70_000, null);
  assert.deepEqual(await kinds(key), ["unanswered start"]);
});

test("where no engine is left, nobody fences those that are gone: their runs are found when their leases are long over", async () => {
  const key = await write({ nextDue: Date.now() - 60_000 });
  await database.ask("UPDATE engine SET expires_at = $1", [Date.now() - 20_000]);
  assert.deepEqual(await kinds(key), []);
  await database.ask("UPDATE engine SET expires_at = $1", [Date.now() - 40_000]);
  assert.deepEqual(await kinds(key), [`ownerless ${engine}`]);
});

/** A start of a workflow, asked for so long ago. */
async function ask(tenant: TenantId, workflow: string, age: number): Promise<string> {
  const { run } = newKey();
  await database.ask(
    "INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at) VALUES ($1, $2, 'start', 's', '', $3, $4, $5)",
    [tenant, randomUUID(), run, JSON.stringify({ kind: "start", workflow }), Date.now() - age],
  );
  return run;
}
const lane = (tenant: TenantId, kind: string, name: string, active: number): Promise<unknown> =>
  database.ask("INSERT INTO lane (tenant, kind, name, most, active, counted) VALUES ($1, $2, $3, 3, $4, true)", [
    tenant,
    kind,
    name,
    active,
  ]);

test("what stands in the line of a lane may wait for as long as it takes, but not for engines that are not there", async () => {
  const { tenant } = newKey();
  await lane(tenant, "workflow", "w", 0);
  await ask(tenant, "w", 90_000);
  assert.deepEqual(await kinds({ tenant } as RunKey), []);
  await database.ask("UPDATE engine SET fenced_at = 1");
  assert.deepEqual(await kinds({ tenant } as RunKey), ["unanswered start"]);
});

test("a lane that counts others than those that hold a place, told of who waits there longest, or else of who holds one", async () => {
  const { tenant } = newKey();
  for (const [kind, name, active] of [
    ["tenant", "", 1],
    ["workflow", "w", 1],
    ["workflow", "empty", 9],
  ] as const)
    await lane(tenant, kind, name, active);
  const run = newKey().run;
  await store.append(
    wanted({ tenant, run }, engine, { projection: { status: "running", waitingFor: null, nextDue: Date.now(), holds: true } }),
  );
  await database.ask("UPDATE lane SET active = (SELECT count(*) FROM run r WHERE r.holds) WHERE name <> 'empty'");
  assert.deepEqual(await found(tenant), [], "nobody waits in the one that is empty, and nobody holds a place there");
  await database.ask("UPDATE lane SET active = 7 WHERE kind = 'workflow'");
  const told = async (): Promise<unknown> => (await found(tenant)).map((one) => [one.kind, one.run, one.detail]);
  assert.deepEqual(await told(), [["miscounted", run, "w: 7 instead of 1"]]);
  await ask(tenant, "w", 5_000);
  const first = await ask(tenant, "w", 6_000);
  assert.deepEqual(await told(), [["miscounted", first, "w: 7 instead of 1"]]);
  await database.ask("UPDATE lane SET active = 1 WHERE kind = 'workflow'");
  await database.ask("UPDATE lane SET active = 0 WHERE kind = 'tenant'");
  assert.deepEqual(await told(), [["miscounted", first, "the tenant: 0 instead of 1"]]);
  assert.deepEqual(await found(newKey().tenant), []);
});

test("a timer of a run that is over, or is not there", async () => {
  const [going, over] = [await write(), await write({ status: "failed", nextDue: null })];
  const nobody = newKey();
  for (const key of [going, over, nobody])
    await database.ask("INSERT INTO timer (tenant, run, subject, kind, due_at) VALUES ($1, $2, 'a', 'retry', 1)", [key.tenant, key.run]);
  assert.deepEqual([await kinds(going), await kinds(over), await kinds(nobody)], [[], ["stray_timer retry a"], ["stray_timer retry a"]]);
});

test("of each kind so many at most, and none of another tenant", async () => {
  const { tenant } = newKey();
  for (let n = 0; n < 4; n++) {
    const key = { tenant, run: newKey().run };
    await store.append(wanted(key, engine, { projection: { status: "waiting", waitingFor: null, nextDue: null, holds: false } }));
  }
  assert.deepEqual([(await found(tenant, 3)).length, (await found(tenant)).length, (await found(newKey().tenant)).length], [3, 4, 0]);
});
