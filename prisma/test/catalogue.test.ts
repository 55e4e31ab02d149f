// What PostgreSQL's own catalogue says of our tables: who may do what, and what binds them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { openControlStore } from "../postgres-control.ts";
import { openEngineStore } from "../postgres-engine.ts";
import { prepareRoles } from "../role.ts";
import { type Database, openServer } from "./database.ts";
import { newKey } from "./opened.ts";

let database: Database;
before(async () => {
  database = await openServer();
});
after(() => database.close());

/** Everything that is granted on our tables to anybody but their owner; a column in brackets where it is not the whole table. */
const GRANTS = `
_prisma_migrations woml_control SELECT(finished_at,migration_name,rolled_back_at)
_prisma_migrations woml_engine SELECT(finished_at,migration_name,rolled_back_at)
api_key woml_control INSERT SELECT UPDATE(revoked_at,scopes)
audit_entry woml_control INSERT SELECT
definition_version woml_control INSERT SELECT
definition_version woml_engine SELECT
delivery woml_control INSERT SELECT UPDATE(at,count)
delivery woml_engine INSERT SELECT
door woml_control DELETE INSERT SELECT UPDATE(expires_at)
door woml_engine SELECT
door_secret woml_control DELETE SELECT
door_secret woml_engine DELETE INSERT SELECT UPDATE(sealed,set_at)
engine woml_control SELECT(expires_at,fenced_at,id)
engine woml_engine DELETE INSERT SELECT UPDATE(expires_at,fenced_at)
lane woml_control INSERT SELECT UPDATE(most,queue,rate_count,rate_ms)
lane woml_engine SELECT UPDATE(active,counted,start_no,started_by)
module woml_control INSERT SELECT
module woml_engine SELECT
plugin_approval woml_control INSERT SELECT
plugin_approval woml_engine SELECT
plugin_grant woml_control DELETE INSERT SELECT
plugin_grant woml_engine SELECT
plugin_release woml_control INSERT SELECT
plugin_release woml_engine SELECT
plugin_revocation woml_control INSERT SELECT
plugin_revocation woml_engine SELECT
quota woml_control DELETE INSERT SELECT UPDATE(set_at,value)
quota woml_engine SELECT
request woml_control INSERT SELECT
request woml_engine INSERT SELECT UPDATE(answer,consumed_at)
run woml_control SELECT
run woml_engine INSERT SELECT UPDATE(at,begun_at,claimed_at,claims,epoch,head,held,held_at,holds,labels,lined_at,needs,next_due,owner,start_no,status,version,waiting_for,workflow)
run_event woml_control SELECT
run_event woml_engine INSERT SELECT
secret woml_control DELETE INSERT SELECT UPDATE(sealed,updated_at)
secret woml_engine SELECT
state woml_engine DELETE INSERT SELECT UPDATE(bytes,updated_at,value,version)
state_total woml_engine INSERT SELECT UPDATE(bytes,floor,keys)
tenant woml_control INSERT SELECT UPDATE(on_ambiguous)
tenant woml_engine SELECT(id,on_ambiguous)
timer woml_control SELECT
timer woml_engine DELETE INSERT SELECT UPDATE(due_at)
trigger_binding woml_control DELETE INSERT SELECT UPDATE(kind,next_at,route,secrets,since,spec,version)
trigger_binding woml_engine SELECT UPDATE(next_at)
trigger_setting woml_control DELETE INSERT SELECT UPDATE(setting,updated_at)
trigger_setting woml_engine SELECT
usage woml_control INSERT SELECT UPDATE(amount)
usage woml_engine DELETE INSERT SELECT UPDATE(amount)
workflow woml_control INSERT SELECT UPDATE(active)
workflow woml_engine SELECT
`;
const OWN = "(tenant = (NULLIF(current_setting('app.tenant'::text, true), ''::text))::uuid)";
const ADMIN = "(current_setting('app.admin'::text, true) = 'on'::text)";
const POLICIES = `
api_key control_admin woml_control ALL ${ADMIN}
api_key control_own woml_control ALL ${OWN}
api_key control_presented woml_control SELECT (id = NULLIF(current_setting('app.key'::text, true), ''::text))
audit_entry control_admin woml_control ALL ${ADMIN}
audit_entry control_own woml_control ALL ${OWN}
definition_version control_own woml_control ALL ${OWN}
definition_version engine_all woml_engine SELECT true
delivery control_own woml_control ALL ${OWN}
delivery engine_all woml_engine ALL true
door control_all woml_control ALL true
door engine_all woml_engine SELECT true
door_secret control_own woml_control ALL ${OWN}
door_secret engine_all woml_engine ALL true
lane control_admin woml_control ALL ${ADMIN}
lane control_own woml_control ALL ${OWN}
lane engine_all woml_engine ALL true
module control_own woml_control ALL ${OWN}
module engine_all woml_engine SELECT true
plugin_approval control_approves woml_control INSERT check ${ADMIN}
plugin_approval control_reads woml_control SELECT true
plugin_approval engine_all woml_engine SELECT true
plugin_grant control_admin woml_control ALL ${ADMIN}
plugin_grant control_own woml_control SELECT ${OWN}
plugin_grant engine_all woml_engine SELECT true
plugin_release control_reads woml_control SELECT true
plugin_release control_submits woml_control INSERT check (${OWN.replace("tenant", "submitter")} OR ${ADMIN})
plugin_release engine_all woml_engine SELECT true
plugin_revocation control_reads woml_control SELECT true
plugin_revocation control_revokes woml_control INSERT check ${ADMIN}
plugin_revocation engine_all woml_engine SELECT true
quota control_admin woml_control ALL ${ADMIN}
quota control_own woml_control ALL ${OWN}
quota engine_all woml_engine SELECT true
request control_own woml_control ALL ${OWN}
request engine_all woml_engine ALL true
run control_own woml_control SELECT ${OWN}
run engine_all woml_engine ALL true
run_event control_own woml_control SELECT ${OWN}
run_event engine_all woml_engine ALL true
secret control_own woml_control ALL ${OWN}
secret engine_all woml_engine SELECT true
state engine_all woml_engine ALL true
state_total engine_all woml_engine ALL true
tenant control_admin woml_control ALL ${ADMIN}
tenant control_named woml_control SELECT (name = NULLIF(current_setting('app.door'::text, true), ''::text))
tenant control_own woml_control ALL (id = (NULLIF(current_setting('app.tenant'::text, true), ''::text))::uuid)
tenant engine_all woml_engine SELECT true
timer control_own woml_control SELECT ${OWN}
timer engine_all woml_engine ALL true
trigger_binding control_own woml_control ALL ${OWN}
trigger_binding engine_all woml_engine ALL true
trigger_setting control_own woml_control ALL ${OWN}
trigger_setting engine_all woml_engine SELECT true
usage control_own woml_control ALL ${OWN}
usage engine_all woml_engine ALL true
workflow control_own woml_control ALL ${OWN}
workflow engine_all woml_engine SELECT true
`;
const lines = (text: string): string[] => text.trim().split("\n");

test("grants are these and no others", async () => {
  const rows = await database.ask<{ line: string }>(`
    WITH whole AS (
      SELECT table_name, grantee, privilege_type FROM information_schema.role_table_grants WHERE table_schema = 'public' AND grantee <> 'woml'
    ), cells AS (
      SELECT c.table_name, c.grantee, c.privilege_type || '(' || string_agg(c.column_name, ',' ORDER BY c.column_name) || ')' AS what
      FROM information_schema.column_privileges c LEFT JOIN whole w USING (table_name, grantee, privilege_type)
      WHERE c.table_schema = 'public' AND c.grantee <> 'woml' AND w.table_name IS NULL GROUP BY 1, 2, c.privilege_type
    )
    SELECT table_name || ' ' || grantee || ' ' || string_agg(what, ' ' ORDER BY what COLLATE "C") AS line
    FROM (SELECT table_name, grantee, privilege_type AS what FROM whole UNION ALL SELECT * FROM cells) a
    GROUP BY table_name, grantee ORDER BY table_name, grantee`);
  assert.deepEqual(
    rows.map(({ line }) => line),
    lines(GRANTS),
  );
});

test("policies are these and no others", async () => {
  const rows = await database.ask<{ line: string }>(`
    SELECT tablename || ' ' || policyname || ' ' || array_to_string(roles, ',') || ' ' || cmd || ' ' ||
      concat_ws(' ', qual, 'check ' || with_check) AS line FROM pg_policies
    WHERE schemaname = 'public' AND permissive = 'PERMISSIVE' ORDER BY tablename, policyname`);
  assert.deepEqual(
    rows.map(({ line }) => line),
    lines(POLICIES),
  );
});

test("every table with a tenant: row-level security forced, a policy, an index that begins with the tenant", async () => {
  const rows = await database.ask<{ name: string; forced: boolean; policies: number; led: boolean }>(`
    SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS forced,
      (SELECT count(*)::int FROM pg_policy p WHERE p.polrelid = c.oid) AS policies,
      EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indkey[0] = a.attnum) AS led
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`);
  assert.deepEqual(
    rows.map(({ name }) => name),
    [
      ...["api_key", "audit_entry", "definition_version", "delivery", "door_secret", "lane", "module", "plugin_grant"],
      ...["quota", "request", "run", "run_event", "secret", "state", "state_total", "timer", "trigger_binding", "trigger_setting"],
      ...["usage", "workflow"],
    ],
  );
  for (const { name, forced, policies, led } of rows) assert.deepEqual([name, forced, policies > 0, led], [name, true, true, true]);
});

test("what is nobody's alone is bound by row-level security too", async () => {
  const rows = await database.ask<{ name: string }>(`SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1`);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["_prisma_migrations", "engine"],
  );
});

test("modules, releases, what was said of them, and the audit are never changed, not by the superuser either", async () => {
  for (const table of ["module", "plugin_release", "plugin_approval", "plugin_revocation", "audit_entry"])
    for (const statement of [`DELETE FROM ${table}`, `TRUNCATE ${table}`, `DELETE FROM ${table} WHERE false`])
      await assert.rejects(database.ask(statement), /is append-only/, statement);
  await assert.rejects(database.ask("UPDATE plugin_approval SET reviewer = 'x'"), /is append-only/);
});

test("the log is append-only, for the superuser and a replica's session too", async () => {
  const [tenant, run] = Object.values(newKey());
  await database.ask(`INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data) VALUES ($1, $2, 1, 't', 1, 1, $1, '{}')`, [
    tenant,
    run,
  ]);
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  for (const role of ["origin", "replica"]) {
    await admin.query(`SET session_replication_role = ${role}`);
    for (const statement of [
      "UPDATE run_event SET at = 2",
      "DELETE FROM run_event",
      "TRUNCATE run_event",
      "DELETE FROM run_event WHERE false",
    ])
      await assert.rejects(admin.query(statement), /run_event is append-only/, `${role} ${statement}`);
  }
  await admin.end();
  assert.equal((await database.ask("SELECT FROM run_event")).length, 1);
});

test("what each role tries beyond its part is refused by PostgreSQL", async () => {
  const refused = {
    [database.control]: [
      "INSERT INTO run_event SELECT * FROM run_event",
      "UPDATE run SET status = 'succeeded'",
      "DELETE FROM request",
      "UPDATE definition_version SET definition = '{}'",
      "UPDATE api_key SET tenant = tenant",
      "SELECT * FROM engine",
      "SELECT logs FROM _prisma_migrations",
      "UPDATE api_key SET digest = ''",
      "DELETE FROM api_key",
      "UPDATE secret SET name = 'x'",
      "UPDATE module SET text = 'x'",
      "UPDATE plugin_release SET artefact = ''",
      "DELETE FROM plugin_revocation",
      "UPDATE plugin_grant SET capability = 'x'",
      "DELETE FROM audit_entry",
      "CREATE TABLE mine ()",
      "CREATE TEMPORARY TABLE mine ()",
      "SET ROLE woml_engine",
    ],
    [database.engine]: [
      "SELECT * FROM api_key",
      "SELECT * FROM tenant",
      "UPDATE workflow SET active = NULL",
      "DELETE FROM request",
      "SELECT * FROM audit_entry",
      "INSERT INTO module SELECT * FROM module",
      "DELETE FROM secret",
      "INSERT INTO plugin_grant SELECT * FROM plugin_grant",
      "INSERT INTO plugin_approval SELECT * FROM plugin_approval",
      "UPDATE request SET run = run",
      "UPDATE run SET tenant = tenant",
      "UPDATE run_event SET at = 2",
      "DELETE FROM run_event",
      "CREATE TABLE mine ()",
      "SET ROLE woml",
    ],
  };
  for (const [url, statements] of Object.entries(refused)) {
    const client = new Client({ connectionString: url });
    await client.connect();
    for (const statement of statements) await assert.rejects(client.query(statement), { code: "42501" }, statement);
    await client.end();
  }
});

test("a service refuses to open as a role that is too powerful", async () => {
  const named = async (name: string, more: string): Promise<string> => {
    await database.ask(`CREATE ROLE ${name} LOGIN PASSWORD 'x' ${more}`);
    return Object.assign(new URL(database.url), { username: name, password: "x" }).href;
  };
  const urls = [
    [database.url, /superuser/],
    [await named("bypassing", "BYPASSRLS"), /BYPASSRLS/],
    [await named("creating", "CREATEROLE"), /CREATEROLE/],
    [await named("member", "NOINHERIT IN ROLE bypassing"), /BYPASSRLS/],
    [await named("deleting", ""), /able to change the log/],
    [await named("owning", ""), /owner of tables/],
  ] as const;
  await database.ask("GRANT DELETE ON run_event TO deleting");
  await database.ask("CREATE TABLE owned (); ALTER TABLE owned OWNER TO owning");
  for (const [url, message] of urls) {
    const refused = { code: "WOML_DATABASE_ROLE_TOO_POWERFUL", message };
    await assert.rejects(openEngineStore(url), refused);
    await assert.rejects(openControlStore(url), refused);
  }
});

test("a start gives the roles new passwords, and the old ones end", async () => {
  const before = new Client({ connectionString: database.engine });
  await before.connect();
  await before.end();
  const strange = "ü'\"\\ %/@:&x";
  const urls = await prepareRoles(database.url, { control: strange, engine: strange });
  const store = await openEngineStore(urls.engine);
  await store.close();
  await assert.rejects(openEngineStore(database.engine), { code: "28P01" });
  const control = await openControlStore(urls.control);
  await control.close();
});
