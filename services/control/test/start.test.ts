import assert from "node:assert/strict";
import { test } from "node:test";
import { SHARED } from "@woml/boot";
import { asRunId, asTenantId } from "@woml/run";
import { PAYLOAD_BYTES } from "../payload.ts";
import { chain, openForFile, publishText, START, start } from "./opened.ts";

const opened = await openForFile();
const RUN =
  "query ($id: ID!) { run(id: $id) { id status payload result failure waiting labels workflow version createdAt endedAt steps { edges { node { id } } } events { edges { node { seq } } pageInfo { hasNextPage } } } }";
const CANCEL = "mutation ($run: ID!) { cancelRun(input: { run: $run }) { run { id status } } }";
const tenant = await opened.tenant("start");
const version = await publishText(tenant, chain("w", { s: "return 1;" }));
const refusal = async (input: object) => (await tenant.ask(START, { input })).errors[0]?.extensions ?? {};

test("an accepted run is stored, rings the doorbell, and is answerable at once as queued", async () => {
  const before = opened.rung.length;
  const { run, duplicate } = await start(tenant, { workflow: "w", payload: { a: 1 }, labels: ["x", "y"] });
  assert.deepEqual([run.status, run.payload, run.version, duplicate], ["QUEUED", { a: 1 }, version, false]);
  assert.deepEqual(opened.rung.slice(before), [SHARED]);
  const seen = await tenant.field<{ createdAt: string; waiting: { cause: string } }>("run", RUN, { id: run.id });
  const { createdAt, waiting, ...rest } = seen;
  assert.deepEqual(rest, {
    ...{ id: run.id, status: "QUEUED", payload: { a: 1 }, result: null, failure: null, labels: ["x", "y"], workflow: "w", version },
    ...{ endedAt: null, steps: { edges: [] }, events: { edges: [], pageInfo: { hasNextPage: false } } },
  });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  assert.equal(waiting.cause, "queued");
});

test("without a payload it is {}, without a key every start is a run of its own", async () => {
  const [one, two] = [await start(tenant, { workflow: "w" }), await start(tenant, { workflow: "w" })];
  assert.deepEqual([one.run.payload, one.duplicate, two.duplicate], [{}, false, false]);
  assert.notEqual(one.run.id, two.run.id);
});

test("the same key and request is the same run, even at once, and even after another version became active", async () => {
  const input = { workflow: "w", payload: { b: 1, a: [2] }, idempotencyKey: "same" };
  const all = await Promise.all(Array.from({ length: 8 }, () => start(tenant, input)));
  assert.equal(new Set(all.map(({ run }) => run.id)).size, 1);
  assert.equal(all.filter(({ duplicate }) => !duplicate).length, 1);
  await publishText(tenant, chain("w", { s: "return 2;" }));
  const again = await start(tenant, { ...input, payload: { a: [2], b: 1 } });
  assert.deepEqual([again.run.id, again.duplicate, again.run.version], [all[0]?.run.id, true, version]);
  await publishText(tenant, chain("w", { s: "return 1;" }));
});

test("the same key with another request is a conflict; in another workflow or tenant it is another key", async () => {
  await start(tenant, { workflow: "w", payload: { a: 1 }, idempotencyKey: "k" });
  for (const other of [{ payload: { a: 2 } }, { payload: { a: 1 }, labels: ["l"] }, { payload: { a: 1 }, version }]) {
    assert.equal((await refusal({ workflow: "w", idempotencyKey: "k", ...other }))["code"], "WOML_IDEMPOTENCY_CONFLICT");
  }
  await publishText(tenant, chain("w2", { s: "return 1;" }));
  assert.equal((await start(tenant, { workflow: "w2", idempotencyKey: "k" })).duplicate, false);
  const stranger = await opened.tenant("start-stranger");
  await publishText(stranger, chain("w", { s: "return 1;" }));
  assert.equal((await start(stranger, { workflow: "w", payload: { z: 1 }, idempotencyKey: "k" })).duplicate, false);
});

test("a version is the workflow's own and may be an old one", async () => {
  const other = await publishText(tenant, chain("w3", { s: "return 1;" }));
  const newer = await publishText(tenant, chain("w3", { s: "return 2;" }));
  assert.equal((await start(tenant, { workflow: "w3" })).run.version, newer);
  assert.equal((await start(tenant, { workflow: "w3", version: other })).run.version, other);
  assert.equal((await refusal({ workflow: "w", version: other }))["code"], "WOML_VERSION_NOT_FOUND");
  await publishText(tenant, chain("idle", { s: "return 1;" }), false);
  assert.equal((await refusal({ workflow: "idle" }))["code"], "WOML_WORKFLOW_NOT_ACTIVE");
});

test("a manual trigger is the one that was named, or the first; the same key with another one is a conflict", async () => {
  await publishText(tenant, chain("two", { s: "return 1;" }).replace('<manual id="go"/>', '<manual id="go"/><manual id="again"/>'));
  const input = { workflow: "two", trigger: "again", idempotencyKey: "again" };
  const { run } = await start(tenant, input);
  const stored = await opened.store.withTenant(asTenantId(tenant.id), (scope) => scope.startOf(asRunId(run.id.slice("run_".length))));
  assert.deepEqual(Object(stored?.body).trigger, { kind: "manual", id: "again" });
  assert.equal((await start(tenant, input)).duplicate, true);
  assert.equal((await refusal({ ...input, trigger: "go" }))["code"], "WOML_IDEMPOTENCY_CONFLICT");
  assert.equal((await refusal({ workflow: "two", trigger: "nobody" }))["code"], "WOML_TRIGGER_NOT_FOUND");
  assert.equal((await refusal({ workflow: "two", trigger: "No Id" }))["code"], "WOML_ID_INVALID");
});

test("a payload is kept as it was sent, in a variable and in the query's text", async () => {
  const payload = { n: 1.5, big: 1e21, t: 'é\u2028"', nothing: null, list: [[], {}], constructor: { prototype: 1 }, "": { " ": true } };
  assert.deepEqual((await start(tenant, { workflow: "w", payload })).run.payload, payload);
  const query = `mutation ($v: JSON) { startRun(input: { workflow: "w", payload: { n: -1.5e3, t: "x", none: null, flag: true, l: [1, [2]], v: $v, absent: $v } })
    { run { payload } } }`;
  const inText = await tenant.field<{ run: { payload: unknown } }>("startRun", query, { v: { deep: [1] } });
  const deep = { deep: [1] };
  assert.deepEqual(inText.run.payload, { n: -1500, t: "x", none: null, flag: true, l: [1, [2]], v: deep, absent: deep });
});

test("a key __proto__ is never lost: it is refused, in a variable and in the query's text", async () => {
  const body = `{"query":${JSON.stringify(START)},"variables":{"input":{"workflow":"w","payload":{"a":{"__proto__":{"b":1}}}}}}`;
  const headers = { "content-type": "application/json", authorization: `Bearer ${tenant.key}` };
  const { errors } = await (await fetch(opened.url, { method: "POST", body, headers })).json();
  assert.deepEqual([errors[0].extensions.code, errors[0].extensions.path], ["WOML_JSON_FORBIDDEN_KEY", "/a/__proto__"]);
  const query = 'mutation { startRun(input: { workflow: "w", payload: { __proto__: { b: 1 } } }) { run { payload } } }';
  assert.deepEqual((await tenant.ask(query)).codes, ["WOML_JSON_FORBIDDEN_KEY"]);
});

test("a bare word in a payload's text is refused", async () => {
  assert.deepEqual((await tenant.ask('mutation { startRun(input: { workflow: "w", payload: { a: RED } }) { run { id } } }')).codes, [
    "WOML_QUERY_INVALID",
  ]);
});

test("PC-19: every bad part of a start has its code, and no run comes of it", async () => {
  const count = async () => (await opened.engine.inbox("019a0000-0000-7000-8000-0000000000ff", 1_000, true)).length;
  const before = await count();
  const cases: readonly (readonly [object, string])[] = [
    [{ workflow: "" }, "WOML_ID_INVALID"],
    [{ workflow: "w\0" }, "WOML_ID_INVALID"],
    [{ workflow: "unknown" }, "WOML_WORKFLOW_NOT_FOUND"],
    [{ workflow: "w", version: "" }, "WOML_ID_INVALID"],
    [{ workflow: "w", version: `ver_${"0".repeat(64)}` }, "WOML_VERSION_NOT_FOUND"],
    [{ workflow: "w", payload: [] }, "WOML_PAYLOAD_INVALID"],
    [{ workflow: "w", payload: null }, "WOML_PAYLOAD_INVALID"],
    [{ workflow: "w", payload: { a: "\0" } }, "WOML_JSON_NUL_CHARACTER"],
    [{ workflow: "w", payload: { a: "\ud800" } }, "WOML_JSON_LONE_SURROGATE"],
    [{ workflow: "w", payload: { a: "x".repeat(PAYLOAD_BYTES) } }, "WOML_PAYLOAD_TOO_LARGE"],
    [{ workflow: "w", labels: [""] }, "WOML_LABELS_INVALID"],
    [{ workflow: "w", idempotencyKey: "" }, "WOML_IDEMPOTENCY_KEY_INVALID"],
  ];
  for (const [input, code] of cases) assert.equal((await refusal(input))["code"], code, code);
  const { limit, actual, path } = await refusal({ workflow: "w", payload: { a: "x".repeat(PAYLOAD_BYTES) } });
  assert.deepEqual([limit, actual, path], [PAYLOAD_BYTES, PAYLOAD_BYTES + 8, "/a"]);
  assert.equal(await count(), before);
});

test("a queued run can be cancelled, however often it is asked: one request", async () => {
  const { run } = await start(tenant, { workflow: "w" });
  for (let i = 0; i < 3; i++)
    assert.deepEqual(await tenant.field("cancelRun", CANCEL, { run: run.id }), { run: { id: run.id, status: "QUEUED" } });
  const cancels = (await opened.engine.inbox("019a0000-0000-7000-8000-0000000000ff", 1_000, true)).filter(
    (one) => `run_${one.run}` === run.id,
  );
  assert.ok(cancels.filter(({ body }) => body.kind === "cancel").length <= 1);
  assert.equal(opened.rung.at(-1), SHARED, "nobody drives it yet");
  for (const [id, code] of [
    ["", "WOML_ID_INVALID"],
    ["run_019a0000-0000-7000-8000-000000000000", "WOML_RUN_NOT_FOUND"],
  ]) {
    assert.deepEqual((await tenant.ask(CANCEL, { run: id })).codes, [code]);
  }
});

test("a start that no engine could admit shows as failed, and is not cancelled any more", async () => {
  const cases = {
    RUN_NOT_ADMISSIBLE: "WOML_RUN_NOT_ADMISSIBLE",
    REQUEST_NOT_READABLE: "WOML_REQUEST_NOT_READABLE",
    "": "WOML_RUN_NOT_ADMISSIBLE",
  };
  for (const [answer, code] of Object.entries(cases)) {
    const { run } = await start(tenant, { workflow: "w", payload: { never: answer } });
    const asked = await opened.engine.inbox("019a0000-0000-7000-8000-0000000000ff", 1_000, true);
    const mine = asked.filter((one) => `run_${one.run}` === run.id);
    await opened.engine.answer(mine.map((one) => ({ tenant: one.tenant, id: one.id, answer })));
    type Seen = { status: string; failure: { code: string; message: string }; endedAt: string; waiting: null };
    const seen = await tenant.field<Seen>("run", RUN, { id: run.id });
    assert.deepEqual([seen.status, seen.failure.code, seen.waiting], ["FAILED", code, null]);
    assert.ok(seen.endedAt);
    assert.deepEqual((await tenant.ask(CANCEL, { run: run.id })).codes, ["WOML_RUN_ALREADY_TERMINAL"]);
  }
});
