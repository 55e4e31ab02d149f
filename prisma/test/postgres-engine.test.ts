import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openEngineStore } from "../postgres-engine.ts";
import { type Database, openDatabase } from "./database.ts";
import { engineStoreContract } from "./engine-store-contract.ts";
import { newKey, openReal, wanted } from "./opened.ts";

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());

engineStoreContract("the engine's store on PostgreSQL", async () => {
  await database.empty();
  return openReal(database);
});

test("a run whose dead owner's row was cleared away is still claimed when somebody asks", async () => {
  await database.empty();
  const store = await openEngineStore(database.engine);
  const [engine, next] = [randomUUID(), randomUUID()];
  const { lease } = await store.openLease(engine, 15_000);
  const key = newKey();
  const projection = { status: "needs_resolution", waitingFor: null, nextDue: null, holds: false } as const;
  await store.append(wanted(key, engine, { projection }));
  await lease.release();
  await database.ask("UPDATE engine SET fenced_at = 0");
  const after = await store.openLease(next, 15_000);
  assert.deepEqual(await database.ask("SELECT id FROM engine"), [{ id: next }]);
  await database.ask(
    "INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at) VALUES ($1, $2, 'cancel', 'x', '', $2, '{\"kind\":\"cancel\"}', 1)",
    [key.tenant, key.run],
  );
  assert.deepEqual(
    (await store.claim(next, 9)).map(({ run, epoch }) => [run, epoch]),
    [[key.run, 2]],
  );
  await after.lease.release();
  await store.close();
});

test("a session that breaks is logged, but not once the store is closing", async () => {
  const logged: string[] = [];
  const broken = (): Promise<unknown> =>
    database.ask(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'woml-engine'",
    );
  const open = async () => openEngineStore(database.engine, { warn: (_, message) => void logged.push(message) });
  const one = await open();
  await broken();
  for (let i = 0; i < 200 && logged.length === 0; i++) await sleep(5);
  assert.deepEqual(logged, ["a session of the database broke"]);
  await one.close();
  const other = await open();
  const closing = other.close();
  await broken();
  await closing;
  await sleep(50);
  assert.equal(logged.length, 1);
});
