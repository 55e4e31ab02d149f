// The two plugins of this repository as the platform runs them: types stripped, in a process of their own, through broker and judge.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { type Manifest, manifestOf, readManifest, termsOf } from "@woml/capability";
import { canonical, type Json } from "@woml/model";
import { type Dispatch, openPluginHost, type PluginHost, type Release, startPluginHost } from "@woml/plugin-host";

const ROOT = join(import.meta.dirname, "../..");
const { startPayments } = await import(join(ROOT, "examples/payments-server/payments.ts"));
const folder = mkdtempSync(join(tmpdir(), "woml-released-"));
const PAYMENT = { amount: 1_000, currency: "EUR", customer: "cu_1" };
const payments = await startPayments({ port: 0, ledger: join(folder, "ledger"), apiKey: "k-1234567" });
const { url, port } = payments;
let host: PluginHost;
let stop: () => Promise<void>;
let calls = 0;

const hex = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
async function released(path: string): Promise<Release & { readonly described: Manifest }> {
  const text = readFileSync(join(ROOT, path), "utf8").replaceAll("4010", String(port));
  const artefact = Buffer.from(stripTypeScriptTypes(text));
  const { default: plugin } = await import(join(ROOT, path));
  const read = readManifest(JSON.parse(JSON.stringify(manifestOf(plugin)).replaceAll("4010", String(port))));
  const described = "manifest" in read ? read.manifest : assert.fail(read.complaints.join());
  const manifest = canonical(described as unknown as Json);
  const digests = { artefact: `sha256:${hex(artefact)}`, manifest: `sha256:${hex(manifest)}` };
  return { described, manifest, artefact, digest: `sha256:${hex(canonical(digests))}` };
}
const acme = await released("examples/plugins/acme-payments/plugin.ts");
const http = await released("plugins/http/plugin.ts");

before(async () => {
  const socket = join(folder, "s");
  const supervisor = await startPluginHost({ socket, options: { privateHosts: [`127.0.0.1:${port}`] } });
  host = await openPluginHost(socket, { release: async (digest) => [acme, http].find((one) => one.digest === digest) ?? null });
  stop = async () => {
    await host.close();
    await supervisor.stop();
  };
});
after(async () => {
  await stop();
  await payments.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => payments.clearFaults());

function asked(release: typeof acme, operation: string, input: object, more: Partial<Dispatch> = {}): Dispatch {
  calls += 1;
  const now = Date.now();
  const described = release.described.operations[operation] ?? assert.fail(operation);
  return {
    ...{ engine: "e", run: `r${calls}`, epoch: 1, now, notAfter: now + 60_000, tenant: "t", attempt: 1, key: hex(String(calls)), try: 1 },
    ...{ release: release.digest, operation, effect: termsOf(described, input).class, input: JSON.stringify(input), timeoutMs: 10_000 },
    secrets: release === acme ? { ACME_API_KEY: "k-1234567" } : {},
    ...more,
  };
}
const told = async (dispatch: Dispatch) => {
  const performed = await host.perform(dispatch);
  return { ...performed, value: performed.status === "succeeded" ? JSON.parse(performed.result) : null };
};
const codeOf = (performed: Awaited<ReturnType<typeof told>>) => [performed.status, "code" in performed && performed.code];

test("each operation of acme.payments answers, and only effects are in the ledger", async () => {
  const before = payments.effects().length;
  assert.equal((await told(asked(acme, "quote", { amount: 1_000, currency: "EUR" }))).value.total, 1_040);
  const charge = await told(asked(acme, "charge", PAYMENT));
  assert.equal(charge.value.amount, 1_000);
  assert.equal((await told(asked(acme, "hold", PAYMENT))).value.customer, "cu_1");
  assert.equal((await told(asked(acme, "refund", { charge: charge.value.id, amount: 5, currency: "EUR" }))).value.charge, charge.value.id);
  assert.equal(payments.effects().length, before + 3);
});

test("charge and hold are sent with the operation's key: a second try is the same effect", async () => {
  for (const operation of ["charge", "hold"]) {
    const before = payments.effects().length;
    payments.inject({ kind: "lose-answer", on: operation });
    const first = asked(acme, operation, PAYMENT);
    assert.equal((await told(first)).status, "ambiguous");
    assert.equal((await told({ ...first, try: 2 })).status, "succeeded");
    assert.equal(payments.effects().length, before + 1);
    assert.equal(payments.effects().at(-1)?.key, first.key);
  }
});

test("a charge is found again, as it stands with the provider", async () => {
  const dispatch = asked(acme, "charge", PAYMENT);
  assert.equal((await host.reattach(dispatch)).status, "not_found");
  payments.inject({ kind: "lose-answer", on: "charge" });
  assert.equal((await told(dispatch)).status, "ambiguous");
  for (const kind of ["pending", "cannot-tell", "not-found"]) payments.inject({ kind, on: "status" });
  const seen = [];
  for (let i = 0; i < 4; i++) seen.push((await host.reattach(dispatch)).status);
  assert.deepEqual(seen, ["pending", "unknown", "not_found", "succeeded"]);
  const big = asked(acme, "charge", { ...PAYMENT, amount: 1_000_000 });
  assert.deepEqual(codeOf(await told(big)), ["failed", "ACME_CARD_DECLINED"]);
  assert.equal((await host.reattach(big)).status, "failed");
});

test("what a provider says is told apart: no, later, and nobody knows", async () => {
  const refund = { charge: "none", amount: 5, currency: "EUR" };
  assert.deepEqual(codeOf(await told(asked(acme, "refund", refund))), ["failed", "ACME_REFUSED"]);
  payments.inject({ kind: "answer", on: "refund", status: 429 });
  const busy = await told(asked(acme, "refund", refund));
  assert.deepEqual([...codeOf(busy), "retryable" in busy && busy.retryable], ["failed", "ACME_BUSY", true]);
  for (const status of [200, 500]) {
    payments.inject({ kind: "break", on: "charge", status });
    assert.deepEqual(codeOf(await told(asked(acme, "charge", PAYMENT))), ["ambiguous", "ACME_BROKE"]);
  }
});

test("http: pure, keyed and unsafe against the same provider", async () => {
  const before = payments.effects().length;
  const headers = { authorization: "Bearer k-1234567" };
  const quote = await told(asked(http, "request", { url: `${url}/quotes`, query: { amount: 100, currency: "EUR" }, headers }));
  assert.deepEqual([quote.value.status, quote.value.ok, quote.value.data.total], [200, true, 127]);
  const post = { url: `${url}/charges`, method: "POST", headers, json: PAYMENT };
  const keyed = asked(http, "request", { ...post, idempotency: { header: "Idempotency-Key" } });
  assert.equal(keyed.effect, "keyed");
  payments.inject({ kind: "break", on: "charge", status: 503 });
  assert.deepEqual(codeOf(await told(keyed)), ["ambiguous", "HTTP_STATUS_TEMPORARY"]);
  assert.equal((await told({ ...keyed, try: 2 })).value.status, 200);
  assert.deepEqual([payments.effects().length, payments.effects().at(-1)?.key], [before + 1, keyed.key]);
  const own = asked(http, "request", { ...post, idempotency: { header: "Idempotency-Key", value: "mine" } });
  assert.equal((await told(own)).value.status, 201);
  assert.equal(payments.effects().at(-1)?.key, "mine");
  payments.inject({ kind: "lose-answer", on: "charge" });
  assert.equal((await told(asked(http, "request", post))).status, "ambiguous");
  assert.deepEqual(codeOf(await told(asked(http, "request", { ...post, json: {} }))), ["failed", "HTTP_STATUS_REJECTED"]);
  assert.deepEqual(codeOf(await told(asked(http, "request", { url: "http://169.254.169.254/" }))), [
    "failed",
    "WOML_EGRESS_ADDRESS_FORBIDDEN",
  ]);
});
