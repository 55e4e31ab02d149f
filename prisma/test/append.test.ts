// The append over a real PostgreSQL (A1 … A4): racing writers, locks, lost connections, plans.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { STATE_LIMITS } from "@woml/model";
import type { RunKey } from "@woml/run";
import { Client } from "pg";
import type { EngineStore } from "../engine-store.ts";
import { withOwn } from "../own.ts";
import { plain } from "../plain.ts";
import { openEngineStore } from "../postgres-engine.ts";
import { type Database, openDatabase } from "./database.ts";
import { newKey, wanted } from "./opened.ts";

const APPEND = readFileSync(join(import.meta.dirname, "../append.sql"), "utf8");
const LOG = `SELECT r.id, r.head, count(e)::int AS count, max(e.seq) AS last, count(DISTINCT e.append)::int AS appends
  FROM run r LEFT JOIN run_event e ON e.tenant = r.tenant AND e.run = r.id GROUP BY r.tenant, r.id`;

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());
beforeEach(() => database.empty());

async function opened(work: (store: EngineStore, engine: string) => Promise<void>): Promise<void> {
  const store = await openEngineStore(database.engine);
  const engine = randomUUID();
  const { lease } = await store.openLease(engine, 60_000);
  try {
    await work(store, engine);
  } finally {
    await lease.release();
    await store.close();
  }
}

test("A1 A2 two writers race for the same runs: seq without gaps, each win stored once, no ghost of a loss", () =>
  opened(async (one, engine) => {
    const two = await openEngineStore(database.engine);
    const keys = Array.from({ length: 40 }, newKey);
    let wins = 0;
    const write = async (store: EngineStore, key: RunKey): Promise<void> => {
      for (let tries = 0, expected = 0; tries < 25; tries++) {
        const moved = await store.append(wanted(key, engine, { expected }));
        if (moved) wins += 1;
        expected = moved?.head ?? (await store.load(key))?.events.length ?? 0;
      }
    };
    await Promise.all(keys.flatMap((key) => [write(one, key), write(two, key)]));
    await two.close();
    const rows = await database.ask<{ head: number; count: number; last: number; appends: number }>(LOG);
    assert.equal(rows.length, keys.length);
    for (const { head, count, last, appends } of rows) assert.deepEqual([count, last, appends * 2], [head, head, head]);
    assert.equal(
      rows.reduce((sum, { head }) => sum + head / 2, 0),
      wins,
    );
  }));

test("A3 two tenants with one run id in one batch never meet", () =>
  opened(async (store, engine) => {
    const key = newKey();
    const twin = { ...key, tenant: newKey().tenant };
    const of = (node: string, expected = 0) => ({ expected, events: [{ type: "parallel_opened", data: { node } } as const] });
    await Promise.all([store.append(wanted(key, engine, of("mine"))), store.append(wanted(twin, engine, of("theirs")))]);
    await Promise.all([store.append(wanted(twin, engine, of("theirs", 1))), store.append(wanted(key, engine, of("mine", 5)))]);
    const nodes = async (of: RunKey) => (await store.load(of))?.events.map(({ data }) => "node" in data && data.node);
    assert.deepEqual([await nodes(key), await nodes(twin)], [["mine"], ["theirs", "theirs"]]);
  }));

test("A4 a locked run is left out and reloads; the others of its batch are written at once", () =>
  opened(async (store, engine) => {
    const keys = Array.from({ length: 12 }, newKey);
    await Promise.all(keys.map((key) => store.append(wanted(key, engine))));
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("SELECT FROM run WHERE id = $1 FOR UPDATE", [keys[7]?.run]);
    const since = performance.now();
    const moved = await Promise.all(keys.map((key) => store.append(wanted(key, engine, { expected: 2 }))));
    const ms = performance.now() - since;
    await locker.query("ROLLBACK");
    await locker.end();
    assert.deepEqual(
      moved.map((one) => one?.head ?? null),
      keys.map((_, i) => (i === 7 ? null : 4)),
    );
    assert.ok(ms < 2000, `${ms} ms`);
    assert.equal((await store.load(keys[7] ?? newKey()))?.events.length, 2);
  }));

test("a value that PostgreSQL refuses fails its own append only", () =>
  opened(async (store, engine) => {
    const settled = await Promise.allSettled([
      ...Array.from({ length: 6 }, () => store.append(wanted(newKey(), engine))),
      store.append(wanted(newKey(), engine, { projection: { status: "running", waitingFor: null, nextDue: 1e19, holds: false } })),
      store.append(wanted(newKey(), engine, { set: [{ subject: "a\u0000", kind: "retry", dueAt: 1 }] })),
    ]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      [...Array(6).fill("fulfilled"), "rejected", "rejected"],
    );
  }));

test("a lost session answers null, and the next append opens another; the other sessions' loss harms nobody", () =>
  opened(async (store, engine) => {
    const key = newKey();
    await store.append(wanted(key, engine));
    const cut =
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'woml-engine'";
    await database.ask(cut);
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query("BEGIN; LOCK TABLE run_event");
    const lost = store.append(wanted(key, engine, { expected: 2 }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await database.ask(cut);
    assert.equal(await lost, null);
    await locker.query("ROLLBACK");
    await locker.end();
    assert.equal((await store.load(key))?.events.length, 2);
    assert.equal((await store.append(wanted(key, engine, { expected: 2 })))?.head, 4);
  }));

test("an event of 2 MiB comes back as it went", () =>
  opened(async (store, engine) => {
    const result = { text: 'ß"\\\n'.repeat(400_000) };
    const key = newKey();
    await store.append(wanted(key, engine, { events: [{ type: "run_succeeded", data: { result } }] }));
    assert.deepEqual((await store.load(key))?.events[0]?.data, { result });
  }));

test("what was folded and hashed comes back as it was written: members in their order, numbers in their form", () =>
  opened(async (store, engine) => {
    const result = { b: 1, a: { "": [1e21, 0.1, 1e-7], z: null }, ab: "\u00df" };
    const key = newKey();
    await store.append(wanted(key, engine, { events: [{ type: "run_succeeded", data: { result } }] }));
    assert.equal(JSON.stringify((await store.load(key))?.events[0]?.data), JSON.stringify({ result }));
  }));

test("of two that would both be the last key of a workflow one is written", () =>
  opened(async (store, engine) => {
    const keys = [newKey(), newKey()].map(({ run }, _, all) => ({ run, tenant: all[0]?.tenant ?? newKey().tenant }));
    for (const key of keys) await store.append(wanted(key, engine));
    const tenant = keys[0]?.tenant ?? newKey().tenant;
    await store.state(tenant, "w", "k");
    await database.ask("UPDATE state_total SET keys = $1", [STATE_LIMITS.keys - 1]);
    const write = { expected: 0, floor: 0, value: "1", version: 1, bytes: 2, added: 2 };
    const landed = await Promise.allSettled(
      keys.map((key, n) => store.append(wanted(key, engine, { expected: 2, own: { write: { ...write, key: `${n}` } } }))),
    );
    assert.deepEqual(landed.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    assert.equal((await store.state(tenant, "w", "k")).keys, STATE_LIMITS.keys);
  }));

test("the append reaches every table of size by its primary key, empty or full", async () => {
  const plan = async (statement = APPEND): Promise<string[]> => {
    const rows = await database.ask<{ "QUERY PLAN": string }>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
    const tables = /(?:(Seq Scan)|Index Scan using (\w+)) on (?:run|timer|request|run_event|state|state_total)\b/;
    const scans = rows.map((row) => tables.exec(row["QUERY PLAN"]));
    return [...new Set(scans.flatMap((found) => (found ? [found[1] ?? found[2] ?? ""] : [])))].toSorted();
  };
  // run_begun: of a workflow with a rate, the start that begins its window.
  const expected = ["request_pkey", "run_begun", "run_pkey", "timer_pkey"];
  const withState = ["request_pkey", "run_begun", "run_pkey", "state_pkey", "state_total_pkey", "timer_pkey"];
  assert.deepEqual([await plan(), await plan(withOwn(APPEND)), await plan(plain(APPEND))], [expected, withState, ["run_pkey"]]);
  await database.ask(`INSERT INTO run (tenant, id, workflow, version, labels, status, at)
    SELECT '00000000-0000-7000-8000-000000000001', gen_random_uuid(), 'w', 'v', '{}', 'running', 1 FROM generate_series(1, 5000)`);
  await database.ask(`INSERT INTO state (tenant, workflow, key, value, version, bytes, updated_at)
    SELECT '00000000-0000-7000-8000-000000000001', 'w', gen_random_uuid(), '1', 1, 1, 1 FROM generate_series(1, 5000)`);
  assert.deepEqual([await plan(), await plan(withOwn(APPEND)), await plan(plain(APPEND))], [expected, withState, ["run_pkey"]]);
  await database.ask("ANALYZE run, state");
  assert.deepEqual([await plan(), await plan(withOwn(APPEND)), await plan(plain(APPEND))], [expected, withState, ["run_pkey"]]);
});
