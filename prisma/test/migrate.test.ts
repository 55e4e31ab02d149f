import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { draft } from "../draft.ts";
import { readHistory } from "../history.ts";
import { migrate } from "../migrate.ts";
import { type Database, openDatabase } from "./database.ts";

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());

test("the migrations lead to the schema, and each keeps the one it leads to", async () => {
  assert.equal(await draft(), "");
});

test("many starters at once apply each migration once; a migrated database is left as it is", async () => {
  await database.ask("CREATE DATABASE fresh");
  const url = Object.assign(new URL(database.url), { pathname: "/fresh" }).href;
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  assert.deepEqual(
    applied.flat(),
    readHistory().migrationDirectories.map(({ path }) => path),
  );
  assert.deepEqual(await migrate(url), []);
});

test("a migration that fails rejects, and does not hang", async () => {
  await database.ask("CREATE DATABASE taken");
  const url = Object.assign(new URL(database.url), { pathname: "/taken" });
  const { Client } = await import("pg");
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query("CREATE TABLE request ()");
  await client.end();
  await assert.rejects(migrate(url.href));
});
