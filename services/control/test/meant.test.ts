// What starts with the active version, while that changes: nothing of the old one is stored once somebody was told that it is out of use.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "@woml/model";
import { asTenantId } from "@woml/run";
import { hooked, openGiving, setSecret } from "./hooked.ts";
import { chain, openForFile, publishText, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const giveDoors = await openGiving(opened);
const ACTIVATE = "mutation ($v: ID!) { activate(input: { version: $v }) { changed } }";
const DEACTIVATE = "mutation ($w: ID!) { deactivate(input: { workflow: $w }) { changed } }";
const SET = "mutation ($input: SetTriggerInput!) { setTrigger(input: $input) { trigger { id } } }";
const EMIT = 'mutation { emitSignal(input: { name: "a.b" }) { accepted deliveries { workflow run } } }';

interface Late {
  readonly status: number;
  readonly body: { readonly runId?: string; readonly error?: { readonly code: string } };
}
/** A delivery of which all but the end has come, and been looked at; what answers is called to send the rest. */
async function begun(tenant: Tenant, workflow: string, headers: Readonly<Record<string, string>> = {}): Promise<() => Promise<Late>> {
  const url = new URL(`/t/${tenant.id}/hooks/${workflow}`, opened.url);
  const sent = request(url, { method: "POST", headers: { "content-type": "application/json", "content-length": "2", ...headers } });
  const answer = once(sent, "response");
  sent.write("{");
  await sleep(300);
  return async () => {
    sent.end("}");
    const [response] = await answer;
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(parts).toString("utf8")) };
  };
}
const startsOf = (tenant: Tenant, scope: string): Promise<readonly string[]> =>
  opened.store.withTenant(asTenantId(tenant.id), async (one) => {
    const bodies: string[] = [];
    for (const run of (await one.startedIn([scope])).get(scope) ?? [])
      bodies.push(String(((await one.startOf(run))?.body as { version?: Json } | undefined)?.version));
    return bodies;
  });
const hashOf = (version: string): string => version.replace("ver_", "sha256:");
const shaped = (id: string, name: string): string => hooked(id, { schema: `{"type":"object","properties":{"${name}":{"type":"string"}}}` });
const codeOf = ({ status, body }: Late): readonly unknown[] => [status, body.error?.code];

for (const afterMs of [0, 1_100])
  test(`a delivery whose end comes ${afterMs} ms after its workflow was taken out of use starts nothing`, async () => {
    const tenant = await opened.tenant(`meant-off-${afterMs}`);
    await publishText(tenant, hooked("hook"));
    const end = await begun(tenant, "hook");
    await tenant.field("deactivate", DEACTIVATE, { w: "hook" });
    await sleep(afterMs);
    assert.deepEqual(codeOf(await end()), [404, "WOML_TRIGGER_NOT_FOUND"]);
    assert.deepEqual(await startsOf(tenant, "trigger:hook:in"), []);
  });

test("a delivery whose end comes after another version was made active is that one's", async () => {
  const tenant = await opened.tenant("meant-other");
  const first = await publishText(tenant, shaped("hook", "a"));
  const second = await publishText(tenant, shaped("hook", "b"));
  await tenant.field("activate", ACTIVATE, { v: first });
  const end = await begun(tenant, "hook");
  await tenant.field("activate", ACTIVATE, { v: second });
  assert.equal((await end()).status, 202);
  assert.deepEqual(await startsOf(tenant, "trigger:hook:in"), [hashOf(second)]);
});

test("a delivery whose end comes after it has to be signed, or after its secret was replaced, is nobody's", async () => {
  const tenant = await opened.tenant("meant-set");
  await setSecret(tenant, "HOOK", "the-old-one");
  await publishText(tenant, hooked("open"));
  await publishText(tenant, hooked("closed", { auth: 'auth="bearer" secret="{{secrets.HOOK}}"' }));
  await giveDoors();
  const [unsigned, old] = [await begun(tenant, "open"), await begun(tenant, "closed", { authorization: "Bearer the-old-one" })];
  const setting = { verification: { scheme: "github", secrets: ["HOOK"] } };
  await tenant.field("setTrigger", SET, { input: { workflow: "open", trigger: "in", setting } });
  assert.deepEqual(codeOf(await unsigned()), [401, "WOML_TRIGGER_UNAUTHORIZED"]);
  await setSecret(tenant, "HOOK", "the-new-one");
  await giveDoors();
  await sleep(1_000);
  assert.deepEqual(codeOf(await old()), [401, "WOML_TRIGGER_UNAUTHORIZED"]);
  assert.deepEqual([...(await startsOf(tenant, "trigger:open:in")), ...(await startsOf(tenant, "trigger:closed:in"))], []);
});

/** What is asked while another version is being made active, before that is stored. */
async function meanwhile<T>(
  tenant: Tenant,
  { to, of }: { readonly to: string | null; readonly of: string },
  ask: () => Promise<T>,
): Promise<T> {
  const { promise: isChanged, resolve: changed } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const changing = opened.store.withTenant(asTenantId(tenant.id), async (scope) => {
    await scope.activate(of, to === null ? null : hashOf(to), []);
    changed();
    await mayEnd;
  });
  await isChanged;
  const asked = ask();
  await sleep(300);
  end();
  await changing;
  return asked;
}

test("a run that is asked for while another version is being made active is that one's, and so is a rerun", async () => {
  const tenant = await opened.tenant("meant-run");
  const [first, second] = [
    await publishText(tenant, chain("w", { s: "return 1;" })),
    await publishText(tenant, chain("w", { s: "return 2;" })),
  ];
  const change = (to: string) => ({ of: "w", to });
  const { run } = await meanwhile(tenant, change(first), () => start(tenant, { workflow: "w" }));
  assert.equal(run.version, first);
  const rerun = "mutation ($run: ID!) { rerun(input: { run: $run }) { run { version } } }";
  const again = await meanwhile(tenant, change(second), () => tenant.field("rerun", rerun, { run: run.id }));
  assert.deepEqual(again, { run: { version: second } });
});

test("a run and a signal that come while a workflow is being taken out of use start nothing of it; whoever names the version starts it", async () => {
  const tenant = await opened.tenant("meant-none");
  const heard = `<woml><workflow id="w"><triggers><manual id="go"/><event id="on" name="a.b"/></triggers><steps><step id="s"><script>return 1;</script></step></steps></workflow></woml>`;
  const version = await publishText(tenant, heard);
  const off = { of: "w", to: null };
  const query = 'mutation { startRun(input: { workflow: "w" }) { duplicate } }';
  assert.deepEqual((await meanwhile(tenant, off, () => tenant.ask(query))).codes, ["WOML_WORKFLOW_NOT_ACTIVE"]);
  await tenant.field("activate", ACTIVATE, { v: version });
  assert.deepEqual(await meanwhile(tenant, off, () => tenant.field("emitSignal", EMIT)), { accepted: 0, deliveries: [] });
  assert.equal((await start(tenant, { workflow: "w", version })).run.version, version);
});
