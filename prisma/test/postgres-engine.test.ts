import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openEngineStore } from "../postgres-engine.ts";
import { type Database, openDatabase } from "./database.ts";
import { engineStoreContract } from "./engine-store-contract.ts";
import { openReal } from "./opened.ts";

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());

engineStoreContract("the engine's store on PostgreSQL", async () => {
  await database.empty();
  return openReal(database);
});

test("a session that breaks is logged, but not once the store is closing", async () => {
  const logged: string[] = [];
  const broken = (): Promise<unknown> =>
    database.ask("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'woml-engine'");
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
