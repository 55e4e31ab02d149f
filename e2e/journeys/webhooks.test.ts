// Webhooks on a platform that runs: from a secret's first second to the run's end, and every command that the documentation shows.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ended, field, publish, ROOT, runUntil, upForFile } from "../support/platform.ts";
import { woml } from "../support/woml.ts";

const { platform, folder } = await upForFile();
const run = promisify(execFile);
const origin = new URL(platform.graphql).origin;
const hook = (id: string, auth: string, schema = ""): string =>
  `<woml><workflow id="${id}"><triggers><webhook id="in" path="/${id}" ${auth}>${schema}</webhook></triggers>
    <steps><step id="a"><script>return context.payload;</script></step></steps></workflow></woml>`;

interface Told {
  readonly status: number;
  readonly body: { readonly runId?: string; readonly duplicate?: boolean; readonly error?: { readonly code: string } };
}
async function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Told> {
  const response = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  return { status: response.status, body: (await response.json()) as Told["body"] };
}
async function urlOf(workflow: string): Promise<string> {
  const query = "query ($workflow: ID) { triggers(workflow: $workflow) { edges { node { url } } } }";
  const { edges } = field<{ edges: { node: { url: string } }[] }>(await platform.ask(query, { workflow }), "triggers");
  return edges[0]?.node.url ?? assert.fail("no address");
}
async function setSecret(name: string, value: string): Promise<void> {
  const set = await woml(folder, ["secrets", "set", name], { stdin: value });
  assert.equal(set.code, 0, set.stderr);
}

test("a webhook with a bearer starts a run that gets what was sent; its secret is at the door within a second", async () => {
  await publish(platform, hook("orders", 'auth="bearer" secret="{{secrets.SHOP_TOKEN}}"', '<schema>{"required":["id"]}</schema>'));
  const url = await urlOf("orders");
  assert.equal(url, `${origin}/t/demo/hooks/orders`);
  const headers = { authorization: "Bearer t0ken" };
  assert.equal((await post(url, "{}", headers)).body.error?.code, "WOML_WEBHOOK_SECRET_MISSING");
  await setSecret("SHOP_TOKEN", "t0ken");
  const since = performance.now();
  let told = await post(url, '{"id":"42"}', headers);
  for (; told.status === 503; told = await post(url, '{"id":"42"}', headers)) await sleep(25);
  const waitedMs = performance.now() - since;
  assert.equal(told.status, 202, JSON.stringify(told.body));
  assert.ok(waitedMs < 5_000, `${waitedMs} ms`);
  const seen = await runUntil(platform, told.body.runId ?? "", ended);
  assert.deepEqual([seen.status, seen.result], ["SUCCEEDED", { id: "42" }]);
  assert.equal((await post(url, "{}", headers)).body.error?.code, "WOML_TRIGGER_SCHEMA_INVALID");
  assert.equal((await post(url, "{}")).body.error?.code, "WOML_TRIGGER_UNAUTHORIZED");
  const listed = await woml(folder, ["triggers", "deliveries", "orders", "-o", "json"]);
  const outcomes = (JSON.parse(listed.stdout) as { outcome: string; run: string | null }[]).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["refused", "rejected", "accepted"]);
});

test("what was delivered is delivered again from the command line, to the version that is active now", async () => {
  await publish(platform, hook("again", 'auth="none"'));
  const first = await post(await urlOf("again"), '{"n":1}');
  const version = await publish(
    platform,
    hook("again", 'auth="none"').replace("return context.payload;", "return { again: context.payload.n };"),
  );
  const listed = await woml(folder, ["triggers", "deliveries", "again", "in", "-o", "json"]);
  const [{ id }] = JSON.parse(listed.stdout);
  const said = await woml(folder, ["triggers", "redeliver", id, "-o", "json"]);
  assert.equal(said.code, 0, said.stderr);
  const again = JSON.parse(said.stdout);
  assert.notEqual(again.run, first.body.runId);
  const seen = await runUntil(platform, again.run, ended);
  assert.deepEqual([seen.result, seen.version], [{ again: 1 }, version]);
});

/** What docs/webhooks.md shows for each scheme, with its comment as a name. */
function examples(): ReadonlyMap<string, string> {
  const page = readFileSync(join(ROOT, "docs", "webhooks.md"), "utf8");
  const [, block = ""] = /```sh\n(# standard\n[^`]*)```/.exec(page) ?? [];
  const parts = block.split(/^# /m).filter((part) => part !== "");
  return new Map(parts.map((part) => [part.split(/[:\n]/)[0] ?? "", part.slice(part.indexOf("\n") + 1)]));
}

test("each scheme's command in the documentation is taken as it stands, and with another secret is not", async () => {
  const found = examples();
  assert.deepEqual([...found.keys()], ["standard", "github", "stripe", "slack", "hmac"]);
  await setSecret("SIGNING", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const set = "mutation ($input: SetTriggerInput!) { setTrigger(input: $input) { trigger { id } } }";
  for (const scheme of found.keys()) {
    await publish(platform, hook(scheme, 'auth="none"'));
    const declared = scheme === "hmac" ? { header: "X-Signature", algorithm: "sha1", encoding: "hex" } : {};
    const verification = { scheme, ...declared, secrets: ["SIGNING"] };
    field(await platform.ask(set, { input: { workflow: scheme, trigger: "in", setting: { verification } } }), "setTrigger");
  }
  await sleep(1_500);
  for (const [scheme, script] of found) {
    const said = async (SECRET: string): Promise<string> => {
      const env = { ...process.env, SECRET, BODY: '{"id": "42"}', URL: await urlOf(scheme) };
      return (await run("sh", ["-ec", script.replaceAll("curl ", "curl -s ")], { env })).stdout;
    };
    assert.match(await said("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), /"status":"accepted"/, scheme);
    assert.match(await said("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), /WOML_TRIGGER_UNAUTHORIZED/, scheme);
  }
});
