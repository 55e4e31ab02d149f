// What tenants may start, of a real PostgreSQL: however many ask at once, of whatever kind.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { asRunId, asTenantId, type TenantId } from "@woml/run";
import { Client } from "pg";
import { QUEUED_MAX } from "../allowance.ts";
import type { NewRequest } from "../control-store.ts";
import type { ChildStart, EngineStore } from "../engine-store.ts";
import { AppendOutdated, LimitReached } from "../error.ts";
import { openControlStore } from "../postgres-control.ts";
import { openTriggerStore } from "../trigger-store.ts";
import { openDatabase } from "./database.ts";
import { openReal, startBody, wanted } from "./opened.ts";

const database = await openDatabase();
const opened = openReal(database);
const control = await openControlStore(database.control);
const triggers = await openTriggerStore(database.engine);
after(async () => {
  await Promise.all([triggers.close(), opened.close(), control.close()]);
  await database.close();
});

const LIMIT = 7;
const body = startBody() as never;
const newRun = () => asRunId(randomUUID());
const start = (): ChildStart => ({ run: newRun(), scope: "call:w", key: randomUUID(), digest: "d", body });
const request = (): NewRequest => ({ id: randomUUID(), run: newRun(), scope: "start:w", key: randomUUID(), digest: "d", body });
const heard = (): NewRequest => {
  const delivery = { id: randomUUID(), workflow: "w", trigger: "t", kind: "signal", outcome: "accepted" } as const;
  return { ...request(), delivery };
};
const newTenant = async (): Promise<TenantId> => {
  const id = asTenantId(randomUUID());
  await database.ask("INSERT INTO tenant (id, name, created_at) VALUES ($1::uuid, $1::text, 0)", [id]);
  return id;
};

/** An engine's run that starts as many as it may, again and again, until `count` are started. */
async function emit(store: EngineStore, tenant: TenantId, count: number): Promise<void> {
  const engine = randomUUID();
  await store.openLease(engine, 60_000);
  const key = { tenant, run: newRun() };
  await store.append(wanted(key, engine));
  for (let left = count, expected = 2; left > 0; ) {
    const room = (await store.allowance(tenant, ["w"])).starts?.left ?? 0;
    const starts = Array.from({ length: Math.min(left, room, 3) }, start);
    if (starts.length === 0) {
      await sleep(50);
      continue;
    }
    const moved = await store.append(wanted(key, engine, { expected, own: { starts } })).catch((error: unknown) => {
      assert.ok(error instanceof AppendOutdated, String(error));
      return null;
    });
    if (moved === null) continue;
    expected += 2;
    left -= starts.length;
  }
}

async function again(count: number, once: () => Promise<number>): Promise<void> {
  for (let left = count; left > 0; ) {
    const made = await once().catch((error: unknown) => {
      if (!(error instanceof LimitReached)) throw error;
      return 0;
    });
    left -= made;
    if (made === 0) await sleep(50);
  }
}

test("control, two engines, signals and slots at once: no second has more starts than the quota, and all come to begin", async () => {
  const tenant = await newTenant();
  await control.asAdmin((scope) => scope.setQuota(tenant, "starts_per_second", LIMIT));
  const engines = await Promise.all([opened.handle(), opened.handle()]);
  await database.ask(
    `INSERT INTO trigger_binding (tenant, workflow, trigger, kind, version, spec, secrets, since, next_at)
    VALUES ($1, 'w', 't', 'interval', 'v', '{}', '{}', 0, 60000)`,
    [tenant],
  );
  const slot = async (): Promise<number> => {
    const due = (await triggers.due(99)).due.find((one) => one.tenant === tenant);
    // Where none is left it is not told.
    if (due === undefined) return 0;
    const occurrences = Array.from({ length: Math.min(due.room ?? 0, 2) }, () => ({ ...start(), scope: "trigger:w:t" }));
    return (await triggers.fire({ due, next: due.nextAt + 1, occurrences, deliveries: [] })) ? occurrences.length : 0;
  };
  await Promise.all([
    ...engines.flatMap((store) => [emit(store, tenant, 6), emit(store, tenant, 6)]),
    ...Array.from({ length: 3 }, () => again(4, async () => ((await control.submit(tenant, request())).created ? 1 : 0))),
    again(6, async () => {
      const fanned = { wanted: [heard(), heard(), heard()], others: [], isDelivery: false };
      const stored = await control.withTenant(tenant, (scope) => scope.fanOut(fanned));
      return stored.filter((one) => "created" in one).length;
    }),
    again(6, slot),
  ]);
  const seconds = await database.ask<{ amount: string }>("SELECT amount FROM usage WHERE tenant = $1 AND name = 'starts_per_second'", [
    tenant,
  ]);
  const amounts = seconds.map(({ amount }) => Number(amount));
  const [stored] = await database.ask<{ count: string }>("SELECT count(*) FROM request WHERE tenant = $1 AND kind = 'start'", [tenant]);
  assert.ok(Math.max(...amounts) <= LIMIT && amounts.length > 5, amounts.join(", "));
  assert.equal(
    amounts.reduce((sum, amount) => sum + amount, 0),
    Number(stored?.count),
  );
  assert.ok(Number(stored?.count) >= 48);
});

test("whoever counts starts for long keeps nobody else's append: what starts as many is judged again, the others of its batch are written", async () => {
  const [store, engine, tenant] = [await opened.handle(), randomUUID(), await newTenant()];
  await store.openLease(engine, 60_000);
  await control.asAdmin((scope) => scope.setQuota(tenant, "starts_per_second", 1_000));
  const [starting, quiet] = [
    { tenant, run: newRun() },
    { tenant: await newTenant(), run: newRun() },
  ];
  await Promise.all([starting, quiet].map((key) => store.append(wanted(key, engine))));
  const locker = new Client({ connectionString: database.url });
  await locker.connect();
  // All seconds that may come while this lasts.
  await database.ask(
    `INSERT INTO usage (tenant, name, since, amount)
    SELECT $1, 'starts_per_second', (floor(extract(epoch FROM clock_timestamp())) + n) * 1000, 0 FROM generate_series(0, 20) n`,
    [tenant],
  );
  await locker.query("BEGIN");
  await locker.query("SELECT FROM usage WHERE tenant = $1 FOR UPDATE", [tenant]);
  // While the first is in flight, the others of the next batch come together.
  const [, held, written] = await Promise.all([
    store.append(wanted({ tenant, run: newRun() }, engine)),
    store.append(wanted(starting, engine, { expected: 2, own: { starts: [start()] } })).catch((error: unknown) => error),
    store.append(wanted(quiet, engine, { expected: 2 })),
  ]);
  assert.ok(held instanceof AppendOutdated, String(held));
  assert.equal(written?.head, 4);
  await locker.query("ROLLBACK");
  await locker.end();
  assert.equal((await store.append(wanted(starting, engine, { expected: 2, own: { starts: [start()] } })))?.head, 4);
});

test("who stores as much as it may starts nothing, and where the line is full nothing of a workflow with a policy, whoever asks", async () => {
  const tenant = await newTenant();
  const store = await opened.handle();
  await control.asAdmin((scope) => scope.setQuota(tenant, "stored_bytes", 10));
  assert.equal((await store.allowance(tenant, ["w"])).sated, null);
  await database.ask("INSERT INTO usage (tenant, name, since, amount) VALUES ($1, 'stored_bytes', 0, 10)", [tenant]);
  const sated = { quota: "stored_bytes", limit: 10, used: 10, resetsAt: null };
  assert.deepEqual((await store.allowance(tenant, ["w"])).sated, sated);
  const signal = { wanted: [heard()], others: [], isDelivery: false };
  const refused = (reached: object) => (error: unknown) => {
    assert.ok(error instanceof LimitReached);
    assert.deepEqual({ ...error.reached }, reached);
    return true;
  };
  await assert.rejects(
    control.withTenant(tenant, (scope) => scope.fanOut(signal)),
    refused(sated),
  );
  await control.asAdmin((scope) => scope.setQuota(tenant, "stored_bytes", null));
  await opened.setLane({ tenant, kind: "workflow", name: "w" }, { most: 1 });
  await database.ask(
    `INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at)
    SELECT $1, gen_random_uuid(), 'start', 's', '', gen_random_uuid(), '{"workflow": "w"}', 0 FROM generate_series(1, $2::int)`,
    [tenant, QUEUED_MAX - 1],
  );
  const { lined, places } = await triggers.allowance(tenant, ["w", "x"]);
  assert.deepEqual([lined, places], [["w"], 1]);
  const two = [heard(), { ...heard(), body: { ...(body as object), workflow: "x" } as never }, heard()];
  const stored = await control.withTenant(tenant, (scope) => scope.fanOut({ ...signal, wanted: two }));
  assert.deepEqual(
    stored.map((one) => ("reached" in one ? one.reached.quota : one.created)),
    [true, true, null],
  );
  assert.equal((await store.allowance(tenant, ["w"])).places, 0);
  await assert.rejects(
    control.withTenant(tenant, (scope) => scope.fanOut(signal)),
    refused({ quota: null, limit: QUEUED_MAX, resetsAt: null }),
  );
});
