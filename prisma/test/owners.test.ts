// Owners that the contract cannot bring about, over a real PostgreSQL.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { FENCE } from "../lease.ts";
import { openEngineStore } from "../postgres-engine.ts";
import { type Database, openDatabase } from "./database.ts";
import { newKey, wanted } from "./opened.ts";

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());

test("a run whose owner has no row is claimed once that is fenced, one of a living engine is not", async () => {
  const store = await openEngineStore(database.engine);
  const [living, gone, next] = [randomUUID(), randomUUID(), randomUUID()];
  const leases = [await store.openLease(living, 60_000), await store.openLease(next, 60_000)];
  const [kept, lost] = [newKey(), newKey()];
  await Promise.all([store.append(wanted(kept, living)), store.append(wanted(lost, living))]);
  await database.ask(`UPDATE run SET owner = '${gone}' WHERE id = '${lost.run}'`);
  assert.deepEqual(await store.claim(next, 9), []);
  assert.deepEqual([await store.fence(next), await store.fence(next)], [[gone], []]);
  const claimed = await store.claim(next, 9);
  assert.deepEqual(
    claimed.map(({ run, owner, epoch }) => [run, owner, epoch]),
    [[lost.run, next, 2]],
  );
  for (const { lease } of leases) await lease.release();
  await store.close();
});

test("C1: a run that another engine has just claimed is not claimed from it, however closely they race", async () => {
  const stores = [await openEngineStore(database.engine), await openEngineStore(database.engine)] as const;
  for (let round = 0; round < 25; round++) {
    await database.empty();
    const [gone, ...engines] = [randomUUID(), randomUUID(), randomUUID()];
    const leases = await Promise.all(engines.map((engine, i) => stores[i === 0 ? 0 : 1].openLease(engine, 60_000)));
    const keys = Array.from({ length: 20 }, newKey);
    const { lease } = await stores[0].openLease(gone, 60_000);
    await Promise.all(keys.map((key) => stores[0].append(wanted(key, gone))));
    await lease.release();
    await database.ask(`UPDATE engine SET fenced_at = 0 WHERE id = '${gone}'`);
    const claims = await Promise.all([0, 1, 0, 1].map((i) => stores[i === 0 ? 0 : 1].claim(engines[i] ?? "", 9)));
    const claimed = claims.flat().map(({ run }) => run);
    assert.equal(new Set(claimed).size, claimed.length);
    assert.deepEqual(new Set(claims.flat().map(({ epoch }) => epoch)), new Set([2]));
    for (const each of leases) await each.lease.release();
  }
  for (const store of stores) await store.close();
});

test("owners are walked by index, however many runs they have", async () => {
  await database.ask(`INSERT INTO run (tenant, id, workflow, version, labels, status, at, owner, next_due)
    SELECT gen_random_uuid(), gen_random_uuid(), 'w', 'v', '{}', 'running', 1, '${randomUUID()}', i FROM generate_series(1, 20000) i`);
  for (const analyze of ["", "ANALYZE run"]) {
    if (analyze !== "") await database.ask(analyze);
    const rows = await database.ask<{ "QUERY PLAN": string }>(`EXPLAIN (GENERIC_PLAN) ${FENCE}`);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    assert.doesNotMatch(plan, /Seq Scan on run\b/, plan);
    assert.match(plan, /using run_due on run/);
  }
});
