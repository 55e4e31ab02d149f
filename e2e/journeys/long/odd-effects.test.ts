// What comes to mind only later: scripts that do not wait for what they called, ends that come while nobody knows, and texts that look like secrets.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startFar } from "../../support/far.ts";
import { ended, field, flat, publish, ROOT, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";
import { acmeFor, approve, handIn, review, tenantOf } from "../../support/review.ts";
import { woml } from "../../support/woml.ts";

const { startPayments } = await import(join(ROOT, "examples/payments-server/payments.ts"));
const far = await startFar();
const { platform, folder } = await upForFile({ privateHosts: ["127.0.0.1:4018", `127.0.0.1:${far.port}`], heard: () => {} });
const payments = await startPayments({ port: 4018, ledger: join(folder, "ledger"), apiKey: "k-7654321" });
after(async () => {
  await payments.close();
  await far.close();
});
beforeEach(() => payments.clearFaults());
await review(platform, await acmeFor(4018), [await tenantOf(platform)]);
for (const [name, stdin] of Object.entries({ ACME_API_KEY: "k-7654321", CANARY: "canary-5e1f" })) {
  assert.equal((await woml(folder, ["secrets", "set", name], { stdin })).code, 0);
}

interface Operation {
  readonly id: string;
  readonly outcome: string;
  readonly tries: number;
  readonly evidence: string;
}
const operationsOf = async (id: string): Promise<readonly Operation[]> => {
  const query = "query ($id: ID!) { run(id: $id) { operations(first: 100) { edges { node { id outcome tries evidence } } } } }";
  return flat<{ operations: readonly Operation[] }>(field(await platform.ask(query, { id }), "run")).operations;
};
const lastOf = async (id: string): Promise<readonly unknown[]> => {
  const last = (await operationsOf(id)).at(-1);
  return [last?.id, last?.outcome, last?.tries];
};
function workflow(id: string, script: string, config = ""): string {
  return `<woml><imports><uses capability="acme.payments" version="^1" as="payments"/></imports>
    <workflow id="${id}">${config}<triggers><manual id="go"/></triggers><steps><step id="only"><script>${script}</script></step></steps></workflow></woml>`;
}
async function begun(id: string, script: string, config?: string): Promise<string> {
  await publish(platform, workflow(id, script, config));
  return start(platform, { workflow: id });
}
const until = (id: string, status: string): Promise<SeenRun> => runUntil(platform, id, (run) => run.status === status);
const REFUND = 'services.payments.refund({ charge: "ch_1", amount: 5, currency: "EUR" })';
const CHARGE = 'services.payments.charge({ amount: 1000, currency: "EUR", customer: "cu_1" }, { name: "order" })';
const effects = (): number => payments.effects().length;
/** A charge that a refund can be made of. */
const CHARGED = `const charge = await ${CHARGE}; const refund = () => services.payments.refund({ charge: charge.id, amount: 5, currency: "EUR" });`;

test("a script that does not wait for its call ends when the call has; where nobody knows it waits for a person, and then ends as it did", async () => {
  payments.inject({ kind: "slow", on: "refund", ms: 500 });
  const run = await until(await begun("unwaited", `${CHARGED} refund().catch(() => {}); return "gone";`), "SUCCEEDED");
  assert.equal(run.result, "gone");
  assert.deepEqual(await lastOf(run.id), ["only:1:2", "succeeded", 1]);

  payments.inject({ kind: "lose-answer", on: "refund" });
  const before = effects();
  const unknown = await begun("unwaited-unknown", `${CHARGED} refund().catch(() => {}); return "gone";`);
  await until(unknown, "NEEDS_RESOLUTION");
  assert.equal((await woml(folder, ["runs", "resolve", unknown, "only:1:2", "--failed", "no trace"])).code, 0);
  assert.equal((await until(unknown, "SUCCEEDED")).result, "gone");
  assert.equal(effects(), before + 2);
});

test("a script that loses patience: the timer wins the race, the call still counts, and a replay does the same", async () => {
  payments.inject({ kind: "slow", on: "charge", ms: 1_500 });
  const script = `const late = new Promise((resolve) => setTimeout(() => resolve("late"), 100));
    const first = await Promise.race([${CHARGE}.then(() => "charged"), late]);
    return [first, (await services.payments.quote({ amount: 1, currency: "EUR" })).currency];`;
  const before = effects();
  const run = await until(await begun("race", script), "SUCCEEDED");
  assert.deepEqual(run.result, ["late", "EUR"]);
  assert.equal(effects(), before + 1);
  const outcomes = (await operationsOf(run.id)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["succeeded", "succeeded"]);
});

test("the same name twice at once, and a retry in a loop of the script's own, are one effect each", async () => {
  const before = effects();
  const twice = await begun(
    "twice",
    `return (await Promise.allSettled([${CHARGE}, ${CHARGE}])).map((one) => one.status + " " + (one.reason?.code ?? ""));`,
  );
  const run = await runUntil(platform, twice, ended);
  assert.equal(effects(), before + 1, JSON.stringify(run.result ?? run.failure));
});

test("cancelled while a call is under way: the script is gone at once, the run ends when the call has, and what it did stands in the log", async () => {
  payments.inject({ kind: "slow", on: "charge", ms: 1_500 });
  const before = effects();
  const id = await begun("stopped", `await ${CHARGE}; return await ${REFUND};`);
  await runUntil(platform, id, ({ events }) => events.edges.some(({ node }) => node.type === "operation_started"));
  await sleep(200);
  assert.equal((await woml(folder, ["runs", "cancel", id])).code, 0);
  await until(id, "CANCELLING");
  await until(id, "CANCELLED");
  assert.deepEqual(await lastOf(id), ["only:1:1", "succeeded", 1]);
  assert.equal(effects(), before + 1);
});

test("a run's time ends while nobody knows: it fails, and the unknown one stays on its list", async () => {
  payments.inject({ kind: "lose-answer", on: "refund" });
  const id = await begun("timed", `${CHARGED} return await refund();`, '<config timeout="2s"/>');
  await until(id, "NEEDS_RESOLUTION");
  const run = await until(id, "FAILED");
  assert.equal(run.failure?.code, "WOML_WORKFLOW_TIMED_OUT");
  assert.deepEqual(await lastOf(id), ["only:1:2", "unknown", 1]);
});

test("revoked while its provider is being asked: it is still asked and found; to perform something again is refused", async () => {
  payments.inject({ kind: "lose-answer", on: "charge" });
  payments.inject({ kind: "pending", on: "status", times: 2 });
  payments.inject({ kind: "lose-answer", on: "refund" });
  const before = effects();
  const unknown = await begun("revoked-unknown", `return await ${REFUND.replace("ch_1", "ch_000001")};`);
  await until(unknown, "NEEDS_RESOLUTION");
  const asked = await begun("revoked-asked", `return (await ${CHARGE}).amount;`);
  await runUntil(platform, asked, ({ events }) => events.edges.some(({ node }) => node.type === "operation_doubted"));
  assert.equal((await woml(folder, ["plugins", "revoke", "acme.payments@1.0.0", "--reason", "a test"])).code, 0);
  assert.equal((await until(asked, "SUCCEEDED")).result, 1000);
  assert.deepEqual((await lastOf(asked)).slice(1), ["succeeded", 1]);
  await sleep(1_100);
  assert.equal((await woml(folder, ["runs", "resolve", unknown, "only:1:1", "--retry"])).code, 0);
  // Whoever has it performed again has said that it was not done: what is not begun then has failed.
  const run = await until(unknown, "FAILED");
  assert.equal(run.failure?.code, "WOML_PLUGIN_REVOKED");
  assert.deepEqual(await lastOf(unknown), ["only:1:1", "failed", 2]);
  assert.equal(effects(), before + 2);
});

test("what only looks like a secret is a text: members called $secret, handles of other steps, made-up handles", async () => {
  const made = `woml_secret.${"0".repeat(32)}.n.CANARY.`;
  const payload = { json: { $secret: "CANARY", $$secret: [{ secret: "CANARY" }], deep: [{ $secret: ["a", { secret: "CANARY" }] }] }, made };
  const ask = (json: string): string =>
    `return (await services.http.request({ url: "${far.url}/ok", method: "POST", json: ${json}, headers: { "x-made": context.payload.made } })).status;`;
  const text = `<woml><workflow id="looks"><triggers><manual id="go"/></triggers><steps>
    <step id="give"><script>return { own: secrets.CANARY, encoded: btoa("user:" + secrets.CANARY) };</script></step>
    <step id="take"><script>${ask("[context.payload.json, context.steps.give]")}</script></step></steps></workflow></woml>`;
  await publish(platform, text);
  const before = far.heard.length;
  const run = await until(await start(platform, { workflow: "looks", payload }), "SUCCEEDED");
  const heard = far.heard[before];
  const [json, given] = JSON.parse(heard?.body ?? "");
  assert.deepEqual([json, heard?.headers["x-made"]], [payload.json, made]);
  assert.match(given.own, /^woml_secret\.[0-9a-f]{32}\.n\.CANARY\.$/);
  assert.ok(!JSON.stringify([heard, run]).includes("canary-5e1f"));
  assert.ok(!JSON.stringify([heard, run]).includes(btoa("user:canary-5e1f")));
});

test("a version handed in again after its release was revoked is another one; nothing of all this differs from the logs", async () => {
  const release = await handIn(platform, { ...(await acmeFor(4018)), manifest: { ...(await acmeFor(4018)).manifest, version: "1.0.1" } });
  assert.equal((await approve(platform, release)).errors, undefined);
  assert.equal((await woml(folder, ["verify"])).code, 0);
});
