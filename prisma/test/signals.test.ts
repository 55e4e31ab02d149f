// Signals of the platform's own, from where they are stored to the runs that they start.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { asRunId, asTenantId, type TenantId } from "@woml/run";
import { openControlStore } from "../postgres-control.ts";
import type { Announcement, PlatformSignal, Spread } from "../trigger.ts";
import { openTriggerStore } from "../trigger-store.ts";
import { openDatabase } from "./database.ts";
import { openReal, startBody } from "./opened.ts";

const database = await openDatabase();
const opened = openReal(database);
const control = await openControlStore(database.control);
const engines = await Promise.all([openTriggerStore(database.engine), openTriggerStore(database.engine)]);
const [store] = engines;
after(async () => {
  await Promise.all([...engines.map((one) => one.close()), opened.close(), control.close()]);
  await database.close();
});

const tenant = async (): Promise<TenantId> => {
  const id = asTenantId(randomUUID());
  await database.ask("INSERT INTO tenant (id, name, created_at) VALUES ($1::uuid, $1::text, 0)", [id]);
  return id;
};
const QUOTA: Announcement = { name: "woml.quota-reached", key: "starts 42", payload: { quota: "starts", z: [1] }, lineage: [] };
const spreadOf = (signal: PlatformSignal): Spread => ({
  signal,
  occurrences: [{ run: asRunId(randomUUID()), scope: "trigger:w:t", key: signal.key, digest: "d", body: startBody() as never }],
  deliveries: [
    { id: randomUUID(), workflow: "w", trigger: "t", kind: "signal", outcome: "accepted", source: signal.key, detail: { m: "é" } },
    { id: randomUUID(), workflow: "x", trigger: "t", kind: "signal", outcome: "rejected", source: signal.key, code: "WOML_EVENT_CYCLE" },
  ],
});
const signalsOf = async (of: TenantId): Promise<readonly PlatformSignal[]> => (await store.signals(100)).filter((one) => one.tenant === of);
const startsOf = (of: TenantId): Promise<readonly unknown[]> =>
  database.ask("SELECT run FROM request WHERE tenant = $1 AND kind = 'start'", [of]);

test("a signal that is of no run is stored once a name and key, where somebody listens: by an engine and by control alike", async () => {
  const [deaf, mine] = [await tenant(), await tenant()];
  await opened.listen(mine, QUOTA.name, { workflow: "w", version: "v", spec: { a: 1 } });
  for (const one of [deaf, mine]) {
    await store.announce(one, QUOTA);
    await control.withTenant(one, (scope) => scope.announce(QUOTA));
    await control.withTenant(one, (scope) => scope.announce({ ...QUOTA, key: "starts 43" }));
  }
  assert.deepEqual(await signalsOf(deaf), []);
  const found = await signalsOf(mine);
  assert.deepEqual(
    found.map(({ name, key, payload, lineage, onAmbiguous }) => ({ name, key, payload, lineage, onAmbiguous })),
    [QUOTA, { ...QUOTA, key: "starts 43" }].map((one) => ({ ...one, onAmbiguous: null })),
  );
  assert.deepEqual(await store.listening(mine, QUOTA.name), [
    { tenant: mine, workflow: "w", trigger: "t", version: "v", spec: { a: 1 }, secrets: [] },
  ]);
});

test("of two engines that spread one signal at once one does it; what was started by its key before is not started again", async () => {
  const mine = await tenant();
  await opened.listen(mine, QUOTA.name, { workflow: "w", version: "v", spec: {} });
  await store.announce(mine, QUOTA);
  const [signal] = await signalsOf(mine);
  assert.ok(signal);
  const spread = await Promise.all(engines.map((one) => one.spread(spreadOf(signal))));
  assert.deepEqual(spread.toSorted(), [false, true]);
  assert.deepEqual([await signalsOf(mine), (await startsOf(mine)).length], [[], 1]);
  const { items } = await control.withTenant(mine, (scope) =>
    scope.deliveries({ workflow: "w", trigger: null }, { first: 9, after: null }),
  );
  assert.deepEqual(
    items.map(({ outcome, kind, source, count, detail }) => ({ outcome, kind, source, count, detail })),
    [{ outcome: "accepted", kind: "signal", source: QUOTA.key, count: 1, detail: { m: "é" } }],
  );
  // As if its request had come back: the key is the signal's.
  await database.ask("UPDATE request SET consumed_at = NULL WHERE tenant = $1 AND kind = 'signal'", [mine]);
  assert.equal(await store.spread(spreadOf(signal)), true);
  assert.equal((await startsOf(mine)).length, 1);
});

test("tenants are told by their own rows: another's signal spreads nothing for me", async () => {
  const [mine, other] = [await tenant(), await tenant()];
  await opened.listen(other, QUOTA.name, { workflow: "w", version: "v", spec: {} });
  await store.announce(other, QUOTA);
  const [signal] = await signalsOf(other);
  assert.ok(signal);
  assert.equal(await store.spread(spreadOf({ ...signal, tenant: mine })), false);
  assert.deepEqual([(await startsOf(mine)).length, (await signalsOf(other)).length], [0, 1]);
});

test("a quota that refuses a start is announced, once an hour, where somebody listens; what it refused is not stored", async () => {
  const [mine, deaf] = [await tenant(), await tenant()];
  await opened.listen(mine, QUOTA.name, { workflow: "w", version: "v", spec: {} });
  for (const one of [mine, deaf]) {
    await control.asAdmin((scope) => scope.setQuota(one, "starts_per_second", 0));
    for (let nth = 0; nth < 3; nth++) {
      const run = asRunId(randomUUID());
      const wanted = { id: run, run, scope: "start:w", key: null, digest: "d", body: startBody() as never };
      await assert.rejects(control.submit(one, wanted), { code: "WOML_QUOTA_EXCEEDED" });
    }
  }
  const [signal, ...more] = await signalsOf(mine);
  assert.ok(signal);
  assert.deepEqual([signal.name, more, await signalsOf(deaf), (await startsOf(mine)).length], ["woml.quota-reached", [], [], 0]);
  const { resetsAt, ...payload } = signal.payload as { readonly resetsAt: string };
  assert.deepEqual(payload, { quota: "starts-per-second", limit: 0 });
  assert.ok(Date.parse(resetsAt) > 0);
});

test("a signal that starts more than its tenant may is not spread, and stays; what tells of a quota is kept back by none and counts for none", async () => {
  const mine = await tenant();
  const used = async (): Promise<number> => {
    const [row] = await control.withTenant(mine, (scope) => scope.quotas());
    return row?.used ?? -1;
  };
  const failed: Announcement = { name: "woml.run-failed", key: "r", payload: {}, lineage: [] };
  for (const { name } of [QUOTA, failed]) await opened.listen(mine, name, { workflow: name, version: "v", spec: {} });
  await control.asAdmin((scope) => scope.setQuota(mine, "starts_per_second", 0));
  for (const one of [QUOTA, failed]) await store.announce(mine, one);
  const of = async (name: string): Promise<PlatformSignal> => {
    const found = (await signalsOf(mine)).find((one) => one.name === name);
    assert.ok(found && found.waitedMs >= 0);
    return found;
  };
  assert.equal(await store.spread(spreadOf(await of(failed.name))), false);
  assert.equal(await store.spread(spreadOf(await of(QUOTA.name))), true);
  assert.deepEqual([(await startsOf(mine)).length, (await signalsOf(mine)).map(({ name }) => name)], [1, [failed.name]]);
  const nobody = { ...spreadOf(await of(failed.name)), occurrences: [] };
  const kept = { ...nobody, deliveries: [{ ...nobody.deliveries[1], payload: { n: 1 } }] as typeof nobody.deliveries };
  assert.equal(await store.spread(kept), true, "what starts nothing is kept back by nothing");
  assert.deepEqual([await signalsOf(mine), await used()], [[], 0]);
  const { items } = await control.withTenant(mine, (scope) =>
    scope.deliveries({ workflow: "x", trigger: null }, { first: 9, after: null }),
  );
  const whole = await control.withTenant(mine, (scope) => scope.delivery(kept.deliveries[0]?.id ?? ""));
  assert.deepEqual([items.length, whole?.payload], [2, { n: 1 }]);
});
