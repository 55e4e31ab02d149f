import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { draft } from "../draft.ts";
import { StoreError } from "../error.ts";
import { migrationNames } from "../history.ts";
import { migrate } from "../migrate.ts";
import { prepareRoles } from "../role.ts";
import { type Database, openServer } from "./database.ts";

let database: Database;
before(async () => {
  database = await openServer();
});
after(() => database.close());

test("the migrations lead to the schema, and each keeps the one it leads to", async () => {
  assert.equal(await draft(), "");
});

test("many starters at once apply each migration once; a migrated database is left as it is", async () => {
  await database.ask("CREATE DATABASE fresh");
  const url = Object.assign(new URL(database.url), { pathname: "/fresh" }).href;
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  assert.deepEqual(applied.flat(), migrationNames());
  assert.deepEqual(await migrate(url), []);
});

async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function fresh(name: string, user?: string): Promise<string> {
  await database.ask(`CREATE DATABASE ${name}`);
  return Object.assign(new URL(database.url), { pathname: `/${name}`, ...(user && { username: user, password: "secret" }) }).href;
}

test("a migration that PostgreSQL refuses is undone and told in its words; the cause mended, the next start goes on", async () => {
  const url = await fresh("taken");
  await ask(url, "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'");
  for (let i = 0; i < 2; i++) {
    await assert.rejects(migrate(url), { message: /refused it \(42723: function "refuse_change" already exists .*\)$/ });
    assert.deepEqual(await ask(url, "SELECT FROM pg_policy"), []);
  }
  await ask(url, "DROP FUNCTION refuse_change");
  assert.deepEqual(await migrate(url), migrationNames().slice(1));
});

test("a database in which something else lives is left alone", async () => {
  const url = await fresh("other");
  await ask(url, "CREATE TABLE request ()");
  await assert.rejects(migrate(url), { message: /give the platform a database of its own/ });
  await ask(url, "DROP TABLE request");
  assert.deepEqual(await migrate(url), migrationNames());
});

/** Of the newest migration what would not bear to be made twice. */
const UNDO_LAST = "ALTER INDEX request_unadmitted RENAME TO request_unborn";

test("a migration in whose middle the start was killed is begun again", async () => {
  const url = await fresh("killed");
  await migrate(url);
  const [last = ""] = migrationNames().slice(-1);
  await ask(url, UNDO_LAST);
  await ask(url, `UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0 WHERE migration_name = '${last}'`);
  assert.deepEqual(await migrate(url), [last]);
  assert.deepEqual(await migrate(url), []);
});

test("an owner who lacks rights is refused before anything is written, and told the SQL that gives them", async () => {
  await database.ask("CREATE ROLE weak LOGIN PASSWORD 'secret'");
  const url = await fresh("weakly", "weak");
  const refused = await migrate(url).catch((error: unknown) => error);
  assert.ok(refused instanceof StoreError);
  assert.equal(refused.code, "WOML_DATABASE_RIGHTS_MISSING");
  const [sentence = "", sql = ""] = refused.message.split("; as a superuser run: ");
  const lacks = "create tables in the schema public, nor set the passwords of woml_control and woml_engine";
  assert.equal(sentence, `The database's role weak may not ${lacks}`);
  assert.deepEqual(await ask(url, "SELECT FROM pg_tables WHERE schemaname = 'public'"), []);
  const superuser = Object.assign(new URL(url), { username: "woml", password: new URL(database.url).password }).href;
  await ask(superuser, sql);
  assert.deepEqual(await migrate(url), migrationNames());
  await prepareRoles(url, { control: "control-secret", engine: "engine-secret" });
});
