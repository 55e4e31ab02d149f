import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { canonical, type Definition, type Json } from "@woml/model";
import { asTenantId } from "@woml/run";
import { digestOf } from "../digest.ts";
import { chain, openForFile, publishText, start, type Tenant, tenantOf } from "./opened.ts";

const opened = await openForFile();
const ACTIVATE = "mutation ($v: ID!) { activate(input: { version: $v }) { changed workflow { id active { id } } } }";
const DEACTIVATE = "mutation ($w: ID!) { deactivate(input: { workflow: $w }) { changed workflow { id active { id } } } }";
const AUDIT = "{ audit { edges { node { actor action subject detail } } } }";
const DEFINITION = "query ($id: ID!) { version(id: $id) { definition } }";

interface Audit {
  readonly edges: readonly { readonly node: { readonly action: string; readonly subject: string; readonly detail: unknown } }[];
}
const scripted = (id: string, n: number): string => chain(id, { s: `return ${n};` });

/** A version with these triggers, stored past `publish`. */
async function stored(tenant: Tenant, workflow: string, triggers: Definition["triggers"]): Promise<string> {
  const base = await publishText(tenant, scripted(workflow, triggers.length), false);
  const { definition } = await tenant.field<{ definition: { [key: string]: Json } }>("version", DEFINITION, { id: base });
  const changed = { ...definition, triggers: triggers as Json };
  const hash = digestOf(changed);
  await opened.store.withTenant(asTenantId(tenant.id), (scope) =>
    scope.publish({ hash, workflow, definition: canonical(changed), source: null, sourceMap: null }),
  );
  return `ver_${hash.slice("sha256:".length)}`;
}

/** A further process of control over the same database; answers its address. */
async function another(t: TestContext): Promise<string> {
  const env = { ...process.env, WOML_DATABASE_URL: opened.databaseUrl };
  const child = spawn(process.execPath, [join(import.meta.dirname, "process.ts")], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const [url = ""] = await once(createInterface(child.stdout), "line");
  return url;
}

test("an old version is made active again, a workflow is taken out of use, and who did it stands in the audit", async () => {
  const tenant = await opened.tenant("activate");
  const [first, second] = [await publishText(tenant, scripted("w", 1)), await publishText(tenant, scripted("w", 2))];
  const to = (id: string | null, changed = true) => ({ changed, workflow: { id: "w", active: id === null ? null : { id } } });
  assert.deepEqual(await tenant.field("activate", ACTIVATE, { v: first }), to(first));
  assert.deepEqual(await tenant.field("activate", ACTIVATE, { v: first }), to(first, false));
  assert.equal((await start(tenant, { workflow: "w" })).run.version, first);
  assert.deepEqual(await tenant.field("deactivate", DEACTIVATE, { w: "w" }), to(null));
  assert.deepEqual(await tenant.field("deactivate", DEACTIVATE, { w: "w" }), to(null, false));
  assert.equal((await start(tenant, { workflow: "w", version: second })).run.version, second);
  const unnamed = 'mutation { startRun(input: { workflow: "w" }) { duplicate } }';
  assert.deepEqual((await tenant.ask(unnamed)).codes, ["WOML_WORKFLOW_NOT_ACTIVE"]);
  const { edges } = await tenant.field<Audit>("audit", AUDIT);
  assert.deepEqual(
    edges.map(({ node }) => [node.action, node.subject, node.detail]),
    [
      ["workflow.deactivate", "w", { before: first }],
      ["workflow.activate", "w", { version: first, before: second }],
    ],
  );
});

test("what is not there, or another tenant's, cannot be activated, and nothing is written", async () => {
  const [mine, theirs] = [await opened.tenant("activate-mine"), await opened.tenant("activate-theirs")];
  const [first, second] = [await publishText(mine, scripted("w", 1)), await publishText(mine, scripted("w", 2))];
  for (const [tenant, query, variables, code] of [
    [theirs, ACTIVATE, { v: first }, "WOML_VERSION_NOT_FOUND"],
    [mine, ACTIVATE, { v: `ver_${"0".repeat(64)}` }, "WOML_VERSION_NOT_FOUND"],
    [mine, ACTIVATE, { v: "w" }, "WOML_ID_INVALID"],
    [theirs, DEACTIVATE, { w: "w" }, "WOML_WORKFLOW_NOT_FOUND"],
    [mine, DEACTIVATE, { w: "W" }, "WOML_ID_INVALID"],
    [opened.admin, ACTIVATE, { v: first }, "WOML_FORBIDDEN"],
    [opened.admin, DEACTIVATE, { w: "w" }, "WOML_FORBIDDEN"],
  ] as const)
    assert.deepEqual((await tenant.ask(query, variables)).codes, [code]);
  assert.equal((await start(mine, { workflow: "w" })).run.version, second);
  assert.deepEqual(await theirs.field("audit", AUDIT), { edges: [] });
});

test("a path is one workflow's: another's version that has it is not activated until the first is taken out of use", async () => {
  const tenant = await opened.tenant("activate-route");
  const hook = (path: string) => ({ id: "in", kind: "webhook", path }) as const;
  const [first, second] = [await stored(tenant, "first", [hook("/orders")]), await stored(tenant, "second", [hook("/orders")])];
  await tenant.field("activate", ACTIVATE, { v: first });
  const refused = await tenant.ask(ACTIVATE, { v: second });
  assert.deepEqual([refused.codes, refused.errors[0]?.extensions["path"]], [["WOML_WEBHOOK_ROUTE_CONFLICT"], "/orders"]);
  assert.match(refused.errors[0]?.message ?? "", /^the path \/orders is a webhook of the workflow first:/);
  const bound = () => opened.store.withTenant(asTenantId(tenant.id), async (scope) => (await scope.webhook("/orders"))?.workflow ?? null);
  assert.equal(await bound(), "first");
  await tenant.field("deactivate", DEACTIVATE, { w: "first" });
  assert.equal(await bound(), null);
  await tenant.field("activate", ACTIVATE, { v: second });
  assert.equal(await bound(), "second");
});

test("a path is one trigger's: a version with two that take it is not activated, and triggers of one workflow may change paths", async () => {
  const tenant = await opened.tenant("activate-paths");
  const hook = (id: string, path: string) => ({ id, kind: "webhook", path }) as const;
  const versions = await Promise.all([
    stored(tenant, "w", [hook("a", "/x"), hook("b", "/y")]),
    stored(tenant, "w", [hook("a", "/y"), hook("b", "/x"), { id: "c", kind: "manual" }]),
    stored(tenant, "w", [{ id: "b", kind: "manual" }, hook("a", "/x"), hook("c", "/y"), hook("d", "/z")]),
    stored(tenant, "w", [hook("a", "/x"), hook("b", "/x"), hook("c", "/c"), hook("d", "/d"), hook("e", "/e")]),
  ]);
  const bound = (path: string) => opened.store.withTenant(asTenantId(tenant.id), async (scope) => (await scope.webhook(path))?.trigger);
  await tenant.field("activate", ACTIVATE, { v: versions[0] });
  await tenant.field("activate", ACTIVATE, { v: versions[1] });
  assert.deepEqual([await bound("/x"), await bound("/y")], ["b", "a"]);
  await tenant.field("activate", ACTIVATE, { v: versions[2] });
  assert.deepEqual([await bound("/x"), await bound("/y"), await bound("/z")], ["a", "c", "d"]);
  const refused = await tenant.ask(ACTIVATE, { v: versions[3] });
  assert.deepEqual([refused.codes, refused.errors[0]?.extensions["path"]], [["WOML_WEBHOOK_ROUTE_CONFLICT"], "/x"]);
  assert.match(refused.errors[0]?.message ?? "", /^two triggers of w have the path \/x: a and b/);
});

const RUN = "query ($id: ID!) { run(id: $id) { version } }";
const hooked = (n: number): string =>
  scripted("hooked", n).replace('<manual id="go"/>', '<manual id="go"/><webhook id="in" path="/hooked" auth="none"/>');

test("two controls: while versions are changed at one, every start and delivery at either is of the one or the other, and none is lost", async (t) => {
  const tenant = await opened.tenant("activate-two");
  const elsewhere = tenantOf(await another(t), tenant.id, tenant.key);
  const urls = [opened.url, elsewhere.url].map((url) => `${new URL(url).origin}/t/activate-two/hooks/hooked`);
  const versions = [await publishText(tenant, hooked(1)), await publishText(tenant, hooked(2))];
  const deliver = async (url: string): Promise<string> => {
    const answer = await fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    assert.equal(answer.status, 202);
    const { runId } = (await answer.json()) as { runId: string };
    return (await tenant.field<{ version: string }>("run", RUN, { id: runId })).version;
  };
  const begin = async (by: Tenant): Promise<string> => (await start(by, { workflow: "hooked" })).run.version;
  let isOver = false;
  const seen = new Set<string>();
  const again = async (ask: () => Promise<string>): Promise<void> => {
    while (!isOver) seen.add(await ask());
  };
  const crowd = [...urls.map((url) => () => deliver(url)), () => begin(elsewhere)].map(again);
  for (let turn = 0; turn < 4; turn += 1) {
    const version = versions[turn % 2];
    await tenant.field("activate", ACTIVATE, { v: version });
    assert.deepEqual([await begin(elsewhere), ...(await Promise.all(urls.map(deliver)))], [version, version, version]);
  }
  isOver = true;
  await Promise.all(crowd);
  assert.deepEqual(seen, new Set(versions));
  await tenant.field("deactivate", DEACTIVATE, { w: "hooked" });
  const after = await Promise.all(urls.map(async (url) => (await fetch(url, { method: "POST" })).status));
  assert.deepEqual(after, [404, 404]);
});
