// Slots on a real PostgreSQL, as the role of engines, and in the double of a virtual clock.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Json } from "@woml/model";
import { type MemoryTriggers, memoryTriggers } from "../memory-trigger.ts";
import { openControlStore } from "../postgres-control.ts";
import type { Occurrence } from "../trigger.ts";
import { openTriggerStore } from "../trigger-store.ts";
import { openDatabase } from "./database.ts";
import { newTenant, type OpenedTriggers, triggerStoreContract } from "./trigger-store-contract.ts";

async function openReal(): Promise<OpenedTriggers> {
  const database = await openDatabase();
  const control = await openControlStore(database.control);
  const store = await openTriggerStore(database.engine);
  return {
    store,
    tenant: async (onAmbiguous) => {
      const id = newTenant();
      await control.createTenant({ id, name: `n-${id}` }, { id: randomUUID(), digest: Buffer.alloc(32), scopes: ["tenant"] });
      if (onAmbiguous) await control.withTenant(id, (scope) => scope.setOnAmbiguous(onAmbiguous));
      return id;
    },
    bind: async (tenant, workflow, version, trigger) => {
      await database.ask(
        `INSERT INTO trigger_binding (tenant, workflow, trigger, kind, version, spec, secrets, since, next_at)
        VALUES ($1, $2, $3, $4, $5, $6, '{}', floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, $7)`,
        [tenant, workflow, trigger.trigger, trigger.kind, version, JSON.stringify(trigger.spec), trigger.nextAt],
      );
    },
    unbind: async ({ tenant, workflow, trigger }) => {
      await database.ask("DELETE FROM trigger_binding WHERE tenant = $1 AND workflow = $2 AND trigger = $3", [tenant, workflow, trigger]);
    },
    setStarts: (tenant, limit) => control.asAdmin((scope) => scope.setQuota(tenant, "starts_per_second", limit)),
    set: ({ tenant, workflow, trigger }, setting) =>
      control.withTenant(tenant, (scope) => scope.setTrigger({ workflow, trigger }, setting)),
    nextAt: async ({ tenant, ...of }) => (await control.withTenant(tenant, (scope) => scope.trigger(of)))?.nextAt ?? null,
    starts: (tenant) =>
      database.ask<Occurrence>(
        "SELECT run::text, scope, key, digest, body FROM request WHERE tenant = $1 AND id = run AND kind = 'start' ORDER BY key",
        [tenant],
      ),
    missed: async (tenant) => {
      const rows = await database.ask<{ source: string; count: number; detail: Json }>(
        "SELECT source, count, detail FROM delivery WHERE tenant = $1 AND outcome = 'missed' AND code = 'C'",
        [tenant],
      );
      return rows.map(({ source, count, detail }) => [source, count, detail] as const);
    },
    close: async () => {
      await Promise.all([control.close(), store.close()]);
      await database.close();
    },
  };
}

async function openMemory(): Promise<OpenedTriggers> {
  const memory: MemoryTriggers = memoryTriggers(
    () => 1_700_000_000_000,
    () => {},
  );
  return {
    store: memory.store,
    tenant: async (onAmbiguous) => {
      const id = newTenant();
      if (onAmbiguous) memory.setOnAmbiguous(id, onAmbiguous);
      return id;
    },
    bind: async (tenant, workflow, version, trigger) => memory.bind(tenant, workflow, version, trigger),
    unbind: async (of) => memory.unbind(of),
    setStarts: async (tenant, limit) => memory.setStarts(tenant, limit),
    set: async (of, setting) => memory.set(of, setting),
    nextAt: async (of) => memory.nextAt(of),
    starts: async (tenant) => memory.starts().filter((one) => one.tenant === tenant),
    missed: async (tenant) => {
      const own = memory.deliveries().filter((one) => one.tenant === tenant);
      return own.map(({ source, count, detail = null }) => [source, count, detail] as const);
    },
    close: async () => {},
  };
}

triggerStoreContract("slots on PostgreSQL", openReal);
triggerStoreContract("slots in memory", openMemory);

/** A store of triggers over a database of its own that has one tenant. */
async function openTenant(t: TestContext, name: string) {
  const database = await openDatabase();
  const store = await openTriggerStore(database.engine);
  t.after(async () => {
    await store.close();
    await database.close();
  });
  const tenant = newTenant();
  await database.ask("INSERT INTO tenant (id, name, created_at) VALUES ($1, $2, 0)", [tenant, name]);
  return { database, store, tenant };
}

test("where the line of a policy is full a slot stays due, and is fired when there is room", async (t) => {
  const { database, store, tenant } = await openTenant(t, "full");
  const bind = (workflow: string): Promise<object[]> =>
    database.ask(
      `INSERT INTO trigger_binding (tenant, workflow, trigger, kind, version, spec, secrets, since, next_at)
      VALUES ($1, $2, 't', 'interval', 'v', '{}', '{}', 0, 60000)`,
      [tenant, workflow],
    );
  await Promise.all([bind("policed"), bind("free")]);
  await database.ask(`INSERT INTO lane (tenant, kind, name, most, counted) VALUES ($1, 'workflow', 'policed', 1, true)`, [tenant]);
  await database.ask(
    `INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at)
    SELECT $1, gen_random_uuid(), 'start', 's', '', gen_random_uuid(), '{"workflow": "policed"}', 0 FROM generate_series(1, 10000)`,
    [tenant],
  );
  const fired = async (): Promise<Readonly<Record<string, boolean>>> => {
    const answers: [string, boolean][] = [];
    for (const due of (await store.due(9)).due)
      answers.push([due.workflow, await store.fire({ due, next: null, occurrences: [], deliveries: [] })]);
    return Object.fromEntries(answers);
  };
  assert.deepEqual(await fired(), { policed: false, free: true });
  await database.ask("UPDATE request SET consumed_at = 1 WHERE id = (SELECT id FROM request LIMIT 1)");
  assert.deepEqual(await fired(), { policed: true });
});

test("where the tenant stores as much as it may a slot stays due, and is fired when it may store more", async (t) => {
  const { database, store, tenant } = await openTenant(t, "sated");
  await database.ask(
    `INSERT INTO trigger_binding (tenant, workflow, trigger, kind, version, spec, secrets, since, next_at)
    VALUES ($1, 'w', 't', 'interval', 'v', '{}', '{}', 0, 60000)`,
    [tenant],
  );
  await database.ask("INSERT INTO quota (tenant, name, value, set_at) VALUES ($1, 'stored_bytes', 10, 0)", [tenant]);
  await database.ask("INSERT INTO usage (tenant, name, since, amount) VALUES ($1, 'stored_bytes', 0, 10)", [tenant]);
  await database.ask("UPDATE quota SET value = 11");
  const [due] = (await store.due(9)).due;
  assert.ok(due);
  const fire = () => store.fire({ due, next: null, occurrences: [], deliveries: [] });
  await database.ask("UPDATE quota SET value = 10");
  assert.deepEqual([(await store.due(9)).due, await fire()], [[], false]);
  await database.ask("UPDATE quota SET value = 11");
  assert.equal(await fire(), true);
});
