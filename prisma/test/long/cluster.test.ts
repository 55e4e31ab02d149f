// A cluster's migration over servers of its own: roles belong to the whole server.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "@woml/platform/postgres";
import { openCopy } from "@woml/platform/testing";
import { asTenantId } from "@woml/run";
import { Client } from "pg";
import { StoreError } from "../../error.ts";
import { migrationNames } from "../../history.ts";
import { migrateCluster } from "../../migrate.ts";
import { openControlStore } from "../../postgres-control.ts";
import { openEngineStore } from "../../postgres-engine.ts";
import { newKey, wanted } from "../opened.ts";

const DATABASE = "woml_cluster";

interface Server {
  /** The superuser's. */
  readonly url: string;
  ask(sql: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** The cluster's database as this user, with the password `secret` unless said otherwise. */
  as(user: string, password?: string): string;
}

/** With a database that `owner` owns, who is made with these attributes. */
async function server(t: TestContext, attributes = ""): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "woml-cluster-"));
  const postgres = await openCopy(join(folder, "postgres"));
  t.after(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { url } = postgres;
  const at = (change: { username?: string; password?: string; pathname?: string }): string => Object.assign(new URL(url), change).href;
  const made: Server = {
    url,
    ask: (sql, database = DATABASE) => ask(at({ pathname: `/${database}` }), sql),
    as: (username, password = "secret") => at({ username, password, pathname: `/${DATABASE}` }),
  };
  await made.ask(`CREATE ROLE owner LOGIN PASSWORD 'secret' ${attributes}`, "postgres");
  await made.ask(`CREATE DATABASE ${DATABASE} OWNER owner`, "postgres");
  return made;
}

async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows ?? [];
  } finally {
    await client.end();
  }
}

const refusal = async (work: Promise<unknown>): Promise<StoreError> => {
  const error = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof StoreError, String(error));
  return error;
};

/** Both services at work: a tenant made and read, a run appended. */
async function serves(control: string, engine: string, options: { readonly setRole?: boolean } = {}): Promise<void> {
  const stores = [await openControlStore(control, options), await openEngineStore(engine, undefined, options)] as const;
  const [asked, driven] = stores;
  const [mine, theirs] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
  for (const id of [mine, theirs])
    await asked.createTenant({ id, name: id }, { id: randomUUID(), digest: new Uint8Array(32), scopes: ["tenant"] });
  assert.equal((await asked.withTenant(mine, (scope) => scope.tenantRow()))?.name, mine);
  const { lease } = await driven.openLease(randomUUID(), 15_000);
  const key = newKey();
  assert.equal((await driven.append(wanted(key, lease.engine)))?.head, 2);
  assert.equal((await driven.load(key))?.events.length, 2);
  assert.deepEqual([await asked.pendingMigrations(), await driven.pendingMigrations()], [[], []]);
  await lease.release();
  await Promise.all(stores.map((store) => store.close()));
}

test("the services get the passwords of their URLs, once: what is right already is left alone", async (t) => {
  const { as, ask: asked } = await server(t, "CREATEROLE");
  const strange = encodeURIComponent("ü'\" %/@:&x");
  const cluster = { ownerUrl: as("owner"), controlUrl: as("woml_control", strange), engineUrl: as("woml_engine", "plain") };
  const applied = await Promise.all([migrateCluster(cluster), migrateCluster(cluster), migrateCluster(cluster)]);
  assert.deepEqual(applied.flat(), migrationNames());
  const verifiers = () => asked("SELECT rolname, rolpassword FROM pg_authid WHERE rolname LIKE 'woml\\_%' ORDER BY 1");
  const before = await verifiers();
  assert.ok(before.filter(({ rolpassword }) => /^SCRAM-SHA-256\$/.test(String(rolpassword))).length >= 2);
  await serves(cluster.controlUrl, cluster.engineUrl);
  assert.deepEqual(await migrateCluster(cluster), []);
  assert.deepEqual(await verifiers(), before);
  const changed = { ...cluster, engineUrl: as("woml_engine", "another") };
  await Promise.all([migrateCluster(changed), migrateCluster(changed)]);
  await serves(cluster.controlUrl, changed.engineUrl);
  assert.deepEqual(
    (
      await refusal(
        openEngineStore(cluster.engineUrl).catch((error) => Promise.reject(new StoreError("WOML_DATABASE_UNAVAILABLE", error.code))),
      )
    ).message,
    "28P01",
  );
});

test("a service that was given the other's URL, or a stranger's, is told whose it needs", async (t) => {
  const { as, ask: asked } = await server(t, "CREATEROLE");
  const [control, engine] = [as("woml_control", "one"), as("woml_engine", "two")];
  await migrateCluster({ ownerUrl: as("owner"), controlUrl: control, engineUrl: engine });
  await asked("CREATE ROLE app LOGIN PASSWORD 'secret'");
  for (const [open, user, role] of [
    [() => openControlStore(engine), "woml_engine", "woml_control"],
    [() => openEngineStore(control), "woml_control", "woml_engine"],
    [() => openControlStore(as("app")), "app", "woml_control"],
  ] as const) {
    const { code, message } = await refusal(open());
    assert.equal(code, "WOML_DATABASE_RIGHTS_MISSING");
    assert.equal(message.split(":")[0], `The database's user "${user}" is not ${role} and has none of its rights`);
  }
});

test("a single user who may make no roles is told the SQL before anything is written, and serves once it was run", async (t) => {
  const { as, ask: asked } = await server(t);
  const url = as("owner");
  const cluster = { ownerUrl: url, controlUrl: url, engineUrl: url };
  const refused = await refusal(migrateCluster(cluster));
  const [sentence = "", sql = ""] = refused.message.split("; as a superuser run: ");
  assert.equal(refused.code, "WOML_DATABASE_RIGHTS_MISSING");
  assert.equal(sentence, "The database's role owner may not create roles, nor take the roles woml_control and woml_engine");
  assert.equal(
    sql,
    `CREATE ROLE "woml_control" NOLOGIN NOINHERIT; CREATE ROLE "woml_engine" NOLOGIN NOINHERIT; ` +
      `GRANT "woml_control", "woml_engine" TO "owner" WITH INHERIT FALSE, SET TRUE;`,
  );
  assert.deepEqual(await asked("SELECT FROM pg_tables WHERE schemaname = 'public'"), []);
  assert.equal((await refusal(migrateCluster({ ownerUrl: url }))).message, refused.message);
  await asked(sql);
  assert.deepEqual(await migrateCluster(cluster), migrationNames());
  assert.deepEqual(await migrateCluster({ ownerUrl: url }), []);
  await serves(url, url, { setRole: true });
});

test("what a single user could do is taken from it by SET ROLE; without it the services refuse to open", async (t) => {
  const { as, url: superuser } = await server(t, "CREATEROLE");
  const url = as("owner");
  assert.deepEqual(await migrateCluster({ ownerUrl: url, controlUrl: url, engineUrl: url }), migrationNames());
  const powerful = Object.assign(new URL(superuser), { pathname: `/${DATABASE}` }).href;
  for (const [place, powers] of [
    [url, /CREATEROLE, owner of tables/],
    [powerful, /superuser/],
  ] as const) {
    for (const open of [() => openControlStore(place), () => openEngineStore(place)]) {
      const { code, message } = await refusal(open());
      assert.deepEqual([code, powers.test(message)], ["WOML_DATABASE_ROLE_TOO_POWERFUL", true], message);
    }
    await serves(place, place, { setRole: true });
  }
});

test("a user of its own for both services takes their roles; without the right it is told what to run", async (t) => {
  const { as, ask: asked } = await server(t, "CREATEROLE");
  await migrateCluster({ ownerUrl: as("owner") });
  await asked("CREATE ROLE app LOGIN PASSWORD 'secret'");
  for (const open of [
    () => openControlStore(as("app"), { setRole: true }),
    () => openEngineStore(as("app"), undefined, { setRole: true }),
  ]) {
    const { code, message } = await refusal(open());
    assert.equal(code, "WOML_DATABASE_RIGHTS_MISSING");
    assert.match(message, /GRANT woml_control, woml_engine TO "app" WITH SET TRUE;$/);
  }
  await asked('GRANT woml_control, woml_engine TO "app" WITH SET TRUE');
  await serves(as("app"), as("app"), { setRole: true });
  await serves(`${as("app")}?options=-c%20statement_timeout%3D4000`, as("app"), { setRole: true });
});

test("an owner without CREATEROLE needs no more where an administrator made roles and passwords", async (t) => {
  const { as, ask: asked } = await server(t);
  for (const role of ["woml_control", "woml_engine"]) await asked(`CREATE ROLE ${role} LOGIN NOINHERIT PASSWORD 'theirs'`);
  const cluster = { ownerUrl: as("owner"), controlUrl: as("woml_control", "theirs"), engineUrl: as("woml_engine", "theirs") };
  const { message } = await refusal(migrateCluster({ ...cluster, engineUrl: as("woml_engine", "mine") }));
  assert.match(
    message,
    /may not set the passwords of woml_engine; as a superuser run: ALTER ROLE "owner" CREATEROLE; GRANT "woml_engine" TO "owner" WITH ADMIN OPTION;$/,
  );
  assert.deepEqual(await migrateCluster(cluster), migrationNames());
  await serves(cluster.controlUrl, cluster.engineUrl);
});

test("a database that does not answer yet is waited for; one that stays away, or refuses, is told without its URL", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "woml-late-"));
  const first = await openCopy(join(folder, "postgres"));
  const { url } = first;
  await first.stop();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const hidden = new URL(url).password;
  const gone = await refusal(migrateCluster({ ownerUrl: url }));
  assert.deepEqual(
    [gone.code, gone.message.includes(hidden), gone.message.includes("postgres")],
    ["WOML_DATABASE_UNAVAILABLE", false, false],
  );
  assert.match(gone.message, /^The database cannot be used: .*ECONNREFUSED/);
  const migrated = migrateCluster({ ownerUrl: url, patienceMs: 20_000 });
  await sleep(700);
  const postgres = await openPostgres(join(folder, "postgres"), Number(new URL(url).port));
  t.after(() => postgres.stop());
  assert.deepEqual(await migrated, migrationNames());
  const wrong = Object.assign(new URL(url), { password: "s3cr3t" }).href;
  const refused = await refusal(migrateCluster({ ownerUrl: wrong, patienceMs: 20_000 }));
  assert.equal(refused.message, 'The database cannot be used: 28P01: password authentication failed for user "woml".');
});

test("PC-52: a database of the build before is brought up to date, whatever its migrations' texts were then; a service says what it lacks meanwhile", async (t) => {
  const { as, ask: asked } = await server(t, "CREATEROLE");
  const cluster = { ownerUrl: as("owner"), controlUrl: as("woml_control", "c"), engineUrl: as("woml_engine", "e") };
  await migrateCluster(cluster);
  const [last = ""] = migrationNames().slice(-1);
  const back = [
    "UPDATE _prisma_migrations SET checksum = repeat('0', 64)",
    `DELETE FROM _prisma_migrations WHERE migration_name = '${last}'`,
    "REVOKE ALL ON _prisma_migrations FROM woml_control, woml_engine",
    "REVOKE SELECT (migration_name, finished_at, rolled_back_at) ON _prisma_migrations FROM woml_control, woml_engine",
    "DROP POLICY control_admin ON api_key; ALTER TABLE api_key DROP COLUMN revoked_at",
  ];
  for (const statement of back) await asked(statement);
  const stores = [await openControlStore(cluster.controlUrl), await openEngineStore(cluster.engineUrl)] as const;
  for (const store of stores) assert.deepEqual(await store.pendingMigrations(), [last]);
  assert.deepEqual(await migrateCluster(cluster), [last]);
  await asked(`INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
    VALUES ('later', '', now(), '99990101000000_later', 1)`);
  for (const store of stores) assert.deepEqual(await store.pendingMigrations(), []);
  await asked(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${last}'`);
  for (const store of stores) assert.deepEqual(await store.pendingMigrations(), [last]);
  await Promise.all(stores.map((store) => store.close()));
});

test("a service that comes before the first migration says that all are missing", async (t) => {
  const { as, ask: asked } = await server(t);
  await asked("CREATE ROLE woml_control LOGIN PASSWORD 'c'");
  const store = await openControlStore(as("woml_control", "c"));
  assert.deepEqual(await store.pendingMigrations(), migrationNames());
  await store.close();
});
