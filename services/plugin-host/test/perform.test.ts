import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BOUNDS } from "../bounds.ts";
import { serve } from "./broker-place.ts";
import { asked, canonical, openPlace, plugin, pluginsOf, releaseNamed } from "./place.ts";

const ECHO = plugin({ perform: "return { input, key: call.key, try: call.try, pid: process.pid };" });

test("a plugin is fetched once, performs, and is told input, key and try", async (t) => {
  const { door, wanted, socket } = await openPlace(t);
  const dispatch = asked(ECHO, { input: '{"n":1}', try: 3 });
  const performed = await door.perform(dispatch);
  assert.equal(performed.status, "succeeded", JSON.stringify(performed));
  const { input, key, try: nth } = JSON.parse(performed.status === "succeeded" ? performed.result : "");
  assert.deepEqual([input, key, nth], [{ n: 1 }, dispatch.key, 3]);
  assert.equal((await door.perform(asked(ECHO))).status, "succeeded");
  assert.deepEqual(wanted, [ECHO]);
  assert.equal(pluginsOf(socket).length, 1);
});

test("a host knows the time before it is given anything, and while it is given nothing: what waited past its lease is late", async (t) => {
  const long = { now: Date.now() - 60_000, notAfter: Date.now() - 30_000 };
  const { door } = await openPlace(t, {}, Date.now);
  assert.equal((await door.perform(asked(ECHO, long))).status, "refused");
  let known: number | null = null;
  const later = await openPlace(t, {}, () => known);
  assert.equal((await later.door.perform(asked(ECHO, long))).status, "succeeded", "nobody has told it the time yet");
  known = Date.now();
  await sleep(BOUNDS.clockEveryMs + 500);
  const refused = await later.door.perform(asked(ECHO, long));
  assert.deepEqual([refused.status, refused.status === "refused" && refused.reason], ["refused", "late"]);
});

test("two tenants, and two releases, never share a process", async (t) => {
  const { door, socket } = await openPlace(t);
  const other = plugin({ perform: "return { pid: process.pid };" });
  const all = [asked(ECHO), asked(ECHO, { tenant: "b" }), asked(other), asked(ECHO)].map((dispatch) => door.perform(dispatch));
  const pids = (await Promise.all(all)).map((performed) => (performed.status === "succeeded" ? JSON.parse(performed.result).pid : 0));
  assert.equal(new Set(pids).size, 3);
  assert.equal(pids[0], pids[3]);
  assert.deepEqual([...pluginsOf(socket)].sort(), [...new Set(pids)].sort());
});

test("what the plugin throws knowingly is its failure, retryable where its manifest says so", async (t) => {
  const { door } = await openPlace(t);
  const throws = plugin({
    perform: "throw failure(input.code, 'no', { ambiguous: input.ambiguous });",
    operation: { retryable: ["BUSY"] },
  });
  const failed = (input: object, more = {}) => door.perform(asked(throws, { input: JSON.stringify(input), ...more }));
  const evidence = "It asked for nothing.";
  assert.deepEqual(await failed({ code: "CARD_DECLINED" }), {
    status: "failed",
    code: "CARD_DECLINED",
    message: "no",
    retryable: false,
    evidence,
  });
  assert.deepEqual(await failed({ code: "BUSY" }), { status: "failed", code: "BUSY", message: "no", retryable: true, evidence });
  assert.deepEqual(await failed({ code: "LOST", ambiguous: true }), { status: "ambiguous", code: "LOST", message: "no" });
  assert.equal((await failed({ code: "LOST", ambiguous: true }, { effect: "pure" })).status, "failed");
});

test("a handle is a text that only the broker can read; a member of an author's called $secret stays one", async (t) => {
  const { port, seen } = await serve(t, (_, response) => response.end("{}"));
  const network = [{ host: "127.0.0.1", ports: [port], methods: ["POST"], reason: "test" }];
  const sends = plugin({
    perform: `await call.http.request({ method: "POST", url: input.url, headers: { authorization: "Bearer " + input.key }, json: input });
      return { echoed: input, leaked: "${"top"}" + "-secret-1" };`,
    manifest: { permissions: { network } },
  });
  const { door } = await openPlace(t, { privateHosts: [`127.0.0.1:${port}`] });
  const input = JSON.stringify({
    url: `http://127.0.0.1:${port}/x`,
    key: { $secret: "KEY" },
    mixed: { $secret: ["a ", { secret: "KEY" }] },
    $$secret: 1,
  });
  const performed = await door.perform(asked(sends, { input, secrets: { KEY: "top-secret-1" } }));
  assert.equal(performed.status, "succeeded", JSON.stringify(performed));
  assert.equal(seen[0]?.headers.authorization, "Bearer top-secret-1");
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ""), {
    url: `http://127.0.0.1:${port}/x`,
    key: "top-secret-1",
    mixed: "a top-secret-1",
    $secret: 1,
  });
  const told = JSON.stringify(performed);
  assert.ok(!told.includes("top-secret-1") && !told.includes("woml_secret"), told);
  assert.match(told, /\[secret KEY\]/);
  assert.match(told, new RegExp(`POST 127.0.0.1:${port}: 200`));
});

test("a release arrives in pieces, however large; one that was touched is not run, nor one that nobody has", async (t) => {
  const large = plugin({ perform: "return padding.length;", outside: `const padding = "${"x".repeat(3_000_000)}";` });
  const { door, instead, socket } = await openPlace(t);
  assert.deepEqual(await door.perform(asked(large)), { status: "succeeded", result: "3000000", evidence: "It asked for nothing." });

  const original = releaseNamed(ECHO);
  assert.ok(original !== null);
  const manifest = canonical({ ...JSON.parse(original.manifest), title: "Another" });
  const touched = [{ artefact: Buffer.concat([original.artefact, Buffer.from(" ")]) }, { manifest }];
  for (const touch of touched) {
    instead.set(ECHO, { ...original, ...touch });
    const performed = await door.perform(asked(ECHO));
    assert.ok(
      performed.status === "failed" && performed.code === "WOML_PLUGIN_RELEASE_INVALID" && !performed.retryable,
      JSON.stringify(performed),
    );
  }
  instead.set(ECHO, null);
  const missing = await door.perform(asked(ECHO));
  assert.ok(missing.status === "failed" && missing.code === "WOML_PLUGIN_RELEASE_MISSING", JSON.stringify(missing));
  assert.equal(pluginsOf(socket).length, 1, "only the large one runs");
});

test("what is not as the manifest says is refused before the plugin is given anything", async (t) => {
  const { door } = await openPlace(t);
  const typed = plugin({
    perform: "return 1;",
    operation: { input: { type: "object", required: ["n"], properties: { n: { type: "integer" } } }, maxInputBytes: 64 },
  });
  const claims = plugin({ perform: "return 1;", claims: 'title: "Another",' });
  const code = async (dispatch: ReturnType<typeof asked>) => {
    const performed = await door.perform(dispatch);
    return performed.status === "failed" && !performed.retryable ? performed.code : JSON.stringify(performed);
  };
  assert.equal(await code(asked(typed)), "WOML_PLUGIN_INPUT_INVALID");
  assert.equal(await code(asked(typed, { input: '{"n":"x"}' })), "WOML_PLUGIN_INPUT_INVALID");
  assert.equal(await code(asked(typed, { input: `{"n":1,"x":"${"x".repeat(64)}"}` })), "WOML_PLUGIN_INPUT_INVALID");
  assert.equal(await code(asked(typed, { input: '{"n":1,"x":{"$secret":1}}' })), "WOML_PLUGIN_INPUT_INVALID");
  assert.equal(await code(asked(typed, { operation: "constructor" })), "WOML_PLUGIN_OPERATION_UNKNOWN");
  assert.equal(await code(asked(claims)), "WOML_PLUGIN_MANIFEST_MISMATCH");
  assert.equal(await code(asked(typed, { timeoutMs: 0 })), "WOML_PLUGIN_DISPATCH_INVALID");
  assert.equal((await door.perform(asked(typed, { input: '{"n":1}' }))).status, "succeeded");
});

test("reattach: what the plugin finds is parsed strictly; what is not a finding means that it cannot tell", async (t) => {
  const { door } = await openPlace(t);
  const finds = plugin({
    perform: "return 1;",
    reattach: "if (input.throws) throw new Error('no'); if (input.dies) process.exit(1); return input.found;",
    operation: { output: { type: "number" } },
  });
  const found = (input: object) => door.reattach(asked(finds, { effect: "reattachable", input: JSON.stringify(input) }));
  assert.deepEqual(await found({ found: { status: "succeeded", result: 7 } }), { status: "succeeded", result: "7" });
  assert.deepEqual(await found({ found: { status: "failed", code: "DECLINED", message: "no" } }), {
    status: "failed",
    code: "DECLINED",
    message: "no",
  });
  assert.deepEqual(await found({ found: { status: "pending" } }), { status: "pending", askAgainMs: 1_000 });
  assert.deepEqual(await found({ found: { status: "pending", askAgainMs: 1 } }), { status: "pending", askAgainMs: 100 });
  assert.deepEqual(await found({ found: { status: "not_found" } }), { status: "not_found" });
  const garbage = [
    { status: "succeeded", result: "7" },
    { status: "succeeded" },
    { status: "not_found", really: true },
    { status: "gone" },
    null,
    7,
  ];
  for (const one of garbage) assert.equal((await found({ found: one })).status, "unknown", JSON.stringify(one));
  for (const input of [{ throws: true }, { dies: true }]) assert.equal((await found(input)).status, "unknown");
});
