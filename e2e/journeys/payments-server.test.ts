// The provider of the example, as the tests of recovery rely on it: what it does, what it says, and what its ledger keeps.
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, test } from "node:test";

const MAIN = join(import.meta.dirname, "../../examples/payments-server/main.ts");
const folder = mkdtempSync(join(tmpdir(), "woml-payments-"));
const running = new Set<ChildProcessWithoutNullStreams>();
const PAYMENT = { amount: 1_000, currency: "EUR", customer: "cu_1" };

async function start(ledger: string, ...more: readonly string[]): Promise<{ readonly url: string; readonly kill: () => Promise<void> }> {
  const args = ["--disable-warning=ExperimentalWarning", MAIN, "--port", "0", "--ledger", ledger, ...more];
  const child = spawn(process.execPath, args);
  running.add(child);
  const kill = async (): Promise<void> => {
    running.delete(child);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  for await (const line of createInterface(child.stdout)) return { url: JSON.parse(line).listening, kill };
  throw new Error("the server did not start");
}
const ledgerOf = (name: string): string => join(folder, `${name}.ledger`);
const linesOf = (path: string): number => readFileSync(path, "utf8").split("\n").length - 1;

async function ask(url: string, path: string, { body, key, method }: { body?: object; key?: string; method?: string } = {}) {
  const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
  const init = body === undefined ? { method: method ?? "GET" } : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url + path, { ...init, headers }).catch(() => null);
  if (response === null) return { status: 0, body: null };
  const text = await response.text();
  return { status: response.status, body: text.startsWith("<") ? text : JSON.parse(text) };
}

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("a key de-duplicates over kills; refunds know none; a card has its limit; a line is an effect", async () => {
  const ledger = ledgerOf("keys");
  let { url, kill } = await start(ledger);
  const first = await ask(url, "/charges", { body: PAYMENT, key: "k1" });
  assert.equal(first.status, 201);
  assert.deepEqual(await ask(url, "/charges", { body: PAYMENT, key: "k1" }), { ...first, status: 200 });
  assert.equal((await ask(url, "/charges", { body: { ...PAYMENT, amount: 2 }, key: "k1" })).status, 422);
  await kill();
  appendFileSync(ledger, '{"at":1,"kind":"char');
  ({ url, kill } = await start(ledger));
  assert.deepEqual(await ask(url, "/charges", { body: PAYMENT, key: "k1" }), { ...first, status: 200 });
  assert.deepEqual((await ask(url, "/charges/by-key/k1")).body, { status: "succeeded", charge: first.body });
  const refund = { charge: first.body.id, amount: 1, currency: "EUR" };
  for (const _ of [1, 2]) assert.equal((await ask(url, "/refunds", { body: refund, key: "r1" })).status, 201);
  assert.equal((await ask(url, "/refunds", { body: { ...refund, charge: "ch_9" } })).status, 404);
  assert.equal((await ask(url, "/charges", { body: { ...PAYMENT, amount: 1_000_000 }, key: "big" })).status, 402);
  assert.deepEqual((await ask(url, "/charges/by-key/big")).body, { status: "failed", error: "card_declined" });
  assert.equal((await ask(url, "/charges/by-key/none")).status, 404);
  assert.equal((await ask(url, "/holds", { body: PAYMENT, key: "h1" })).status, 201);
  assert.deepEqual((await ask(url, "/quotes?amount=1000&currency=EUR")).body, { amount: 1_000, fee: 40, total: 1_040, currency: "EUR" });
  assert.equal((await ask(url, "/ledger")).body.effects, 4);
  assert.equal(linesOf(ledger), 4);
});

test("a key is known for its window; the charge can be asked for ever", async () => {
  const { url } = await start(ledgerOf("window"));
  const ids = new Set<string>();
  for (const _ of [1, 2]) {
    ids.add((await ask(url, "/charges", { body: PAYMENT, key: "k" })).body.id);
    await ask(url, "/forget-keys", { method: "POST" });
  }
  assert.equal(ids.size, 2);
  assert.equal((await ask(url, "/charges/by-key/k")).status, 200);
  const short = await start(ledgerOf("short"), "--key-window-ms", "0");
  for (const _ of [1, 2]) {
    await ask(short.url, "/holds", { body: PAYMENT, key: "k" });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal((await ask(short.url, "/ledger")).body.effects, 2);
});

const faults: readonly (readonly [fault: object, key: string | undefined, status: number, effects: number])[] = [
  [{ kind: "lose-request", on: "charge" }, "k", 0, 0],
  [{ kind: "lose-answer", on: "charge" }, "k", 0, 1],
  [{ kind: "late", on: "charge", ms: 50 }, "k", 0, 1],
  [{ kind: "slow", on: "charge", ms: 50 }, "k", 201, 1],
  [{ kind: "delay", on: "charge", ms: 50 }, "k", 201, 1],
  [{ kind: "double", on: "charge" }, "k", 200, 1],
  [{ kind: "double", on: "charge" }, undefined, 201, 2],
  [{ kind: "answer", on: "charge", status: 429 }, "k", 429, 0],
  [{ kind: "break", on: "charge", status: 500 }, "k", 500, 1],
  [{ kind: "break", on: "charge", status: 200 }, "k", 200, 1],
];
test("each fault does what it says, once", async () => {
  const { url } = await start(ledgerOf("faults"));
  let counted = 0;
  for (const [at, [fault, key, status, effects]] of faults.entries()) {
    assert.equal((await ask(url, "/faults", { body: fault })).status, 200);
    const named = key === undefined ? {} : { key: `${key}${at}` };
    assert.equal((await ask(url, "/charges", { body: PAYMENT, ...named })).status, status, JSON.stringify(fault));
    await new Promise((resolve) => setTimeout(resolve, 80));
    counted += effects;
    assert.equal((await ask(url, "/ledger")).body.effects, counted, JSON.stringify(fault));
    if (key !== undefined) assert.ok((await ask(url, "/charges", { body: PAYMENT, ...named })).status < 300);
    if (key !== undefined && effects === 0) counted += 1;
  }
  assert.equal((await ask(url, "/faults", { body: { kind: "unheard-of", on: "charge" } })).status, 400);
});

test("faults of the status, as often as asked, until they are cleared", async () => {
  const { url } = await start(ledgerOf("status"), "--api-key", "secret");
  assert.equal((await ask(url, "/charges/by-key/k")).status, 401);
  const open = await start(ledgerOf("status"));
  await ask(open.url, "/charges", { body: PAYMENT, key: "k" });
  await ask(open.url, "/faults", { body: { kind: "pending", on: "status", times: 2 } });
  await ask(open.url, "/faults", { body: { kind: "cannot-tell", on: "status" } });
  await ask(open.url, "/faults", { body: { kind: "not-found", on: "status", times: 9 } });
  const seen = [];
  for (let i = 0; i < 4; i++) seen.push((await ask(open.url, "/charges/by-key/k")).status);
  assert.deepEqual(seen, [200, 200, 500, 404]);
  await ask(open.url, "/faults", { method: "DELETE" });
  assert.equal((await ask(open.url, "/charges/by-key/k")).body.status, "succeeded");
});
