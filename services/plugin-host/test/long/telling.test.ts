import assert from "node:assert/strict";
import { test } from "node:test";
import { BOUNDS } from "../../bounds.ts";
import { serve } from "../broker-place.ts";
import { asked, openPlace, plugin } from "../place.ts";

const FINE = plugin({ perform: "return 'fine';" });

test("a code that holds a secret's value is hidden whole, and the engine's connection lives", async (t) => {
  const { door } = await openPlace(t);
  const secrets = { ["N".repeat(128)]: "HTTP" };
  const says = plugin({ perform: "throw failure('HTTP_STATUS_REJECTED', 'no');", operation: { retryable: ["HTTP_STATUS_REJECTED"] } });
  const performed = await door.perform(asked(says, { secrets }));
  assert.ok(performed.status === "failed" && performed.retryable, JSON.stringify(performed));
  assert.equal(performed.code, "WOML_PLUGIN_CODE_HIDDEN");
  const found = plugin({ perform: "", reattach: "return { status: 'failed', code: 'HTTP'.repeat(32), message: 'no' };" });
  const told = await door.reattach(asked(found, { secrets, effect: "reattachable" }));
  assert.deepEqual(told, { status: "failed", code: "WOML_PLUGIN_CODE_HIDDEN", message: "no" });
  assert.equal((await door.perform(asked(FINE))).status, "succeeded");
});

test("a message that quotes a long secret is told without it, and one that is too long is not told", async (t) => {
  const { door } = await openPlace(t);
  const pem = Array.from({ length: 120 }, (_, i) => `${i} abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP`).join("\n");
  const says = (code: string) => door.perform(asked(plugin({ perform: code }), { secrets: { PEM: pem } }));
  const quoted = await says(`throw failure('X', 'bad key: ' + ${JSON.stringify(pem)});`);
  assert.ok(quoted.status === "failed");
  assert.equal(quoted.message, "bad key: [secret PEM]");
  const broke = await says(`throw new Error(${JSON.stringify(pem)}.repeat(100));`);
  assert.ok(broke.status === "failed");
  assert.match(broke.message, /^The plugin broke: Error: \(\d+ characters, too many to be told\)$/);
});

test("where a request wanted to go is told whole or not at all", async (t) => {
  const { door } = await openPlace(t);
  const value = "hunter2hunter2hunter2";
  const asks = plugin({ perform: "await call.http.request(input).catch(() => 0); throw failure('X', 'x');" });
  for (const input of [{ url: `http://${"x".repeat(90)}${value}/` }, { url: "http://x.example/", method: `ABCDEFGHIJ${value}` }]) {
    const performed = await door.perform(asked(asks, { secrets: { KEY: value }, input: JSON.stringify(input) }));
    assert.ok(!JSON.stringify(performed).includes("hunter2"), JSON.stringify(performed));
  }
});

test("values that are too many bytes together are not sent to the host", async (t) => {
  const { door } = await openPlace(t);
  const secrets = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`K${i}`, "x".repeat(65_536)]));
  const performed = await door.perform(asked(FINE, { secrets }));
  assert.deepEqual([performed.status, "code" in performed && performed.code], ["failed", "WOML_PLUGIN_DISPATCH_INVALID"]);
  const { K1 = "", K2 = "" } = secrets;
  assert.equal((await door.perform(asked(FINE, { secrets: { K1, K2 } }))).status, "succeeded");
  assert.equal(BOUNDS.secretsBytes, K1.length + K2.length);
});

/** What gets hold of the channel all the same: whoever shares a realm with its reader can. */
const CHANNEL = `
const symbol = Object.getOwnPropertySymbols(process.stdin).find((one) => String(one) === "Symbol(kFs)");
const fs = process.stdin[symbol];
const still = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms) => Atomics.wait(still, 0, 0, ms);
const forge = (frame) => {
  const text = JSON.stringify(frame);
  const bytes = Buffer.alloc(4 + Buffer.byteLength(text));
  bytes.writeUInt32BE(bytes.length - 4);
  bytes.write(text, 4);
  for (let at = 0; at < bytes.length; ) {
    try { at += fs.writeSync(3, bytes, at); } catch (error) { if (error.code !== "EAGAIN") throw error; sleep(1); }
  }
};`;

test("a forged frame ends its process, and nothing of it is quoted", async (t) => {
  const { door } = await openPlace(t);
  const value = "hunter2".repeat(20);
  const frames = [
    `{ frame: "pong", ${JSON.stringify(value)}: 1 }`,
    `{ frame: ${JSON.stringify(value)} }`,
    `{ frame: "performed", call: 7, result: ${JSON.stringify(value)} }`,
    `{ frame: "request", call: 1, request: 9, asked: "{}" }`,
  ];
  for (const frame of frames) {
    const release = plugin({ outside: CHANNEL, perform: `forge(${frame}); await new Promise(() => {});` });
    const performed = await door.perform(asked(release, { secrets: { KEY: value } }));
    assert.ok(performed.status === "failed" && performed.code === "WOML_PLUGIN_CRASHED", JSON.stringify(performed));
    assert.ok(!performed.message.includes("hunter2"), performed.message);
  }
});

test("a plugin that asks and never reads ends when too much waits for it", async (t) => {
  const body = Buffer.alloc(1_000_000, "x");
  const { port } = await serve(t, (_, response) => void response.end(body));
  const { door } = await openPlace(t, { privateHosts: [`127.0.0.1:${port}`], pongWithinMs: 60_000 });
  const network = [{ host: "127.0.0.1", ports: [port], methods: ["GET"], reason: "test" }];
  const url = JSON.stringify(JSON.stringify({ url: `http://127.0.0.1:${port}/` }));
  const greedy = plugin({
    manifest: { permissions: { network } },
    outside: CHANNEL,
    perform: `for (let n = 1; n <= 900; n++) { forge({ frame: "request", call: 1, request: n, asked: ${url} }); sleep(20); } return 1;`,
  });
  const performed = await door.perform(asked(greedy, { timeoutMs: 60_000 }));
  assert.ok(performed.status === "ambiguous", JSON.stringify(performed));
  assert.match(performed.message, /does not take what it is told/);
  assert.equal((await door.perform(asked(FINE))).status, "succeeded");
});
