// The law of a webhook's door: in what order it looks, what it answers, and what it starts.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { DeliveryRow } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { type Answer, hooked, openGiving, type Post, postTo, setSecret, written } from "./hooked.ts";
import { openForFile, publishText, type Tenant } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const giveDoors = await openGiving(opened);
const acme = await opened.tenant("acme hooks");
const other = await opened.tenant("other-hooks");
const SCHEMA = '{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"type":"integer"}}}';
const BEARER = { authorization: "Bearer acme's token" };
const good = { authorization: "Bearer acme's-token" };
const digestOf = (body: string): string => `sha256:${createHash("sha256").update(body).digest("hex")}`;

before(async () => {
  await publishText(acme, hooked("open"));
  await publishText(acme, hooked("root", { path: "/" }));
  await publishText(acme, hooked("shaped", { schema: SCHEMA, auth: 'auth="bearer" secret="{{secrets.HOOK}}"' }));
  await publishText(acme, hooked("unset", { auth: 'auth="bearer" secret="{{secrets.NEVER_SET}}"' }));
  await publishText(other, hooked("theirs", { auth: 'auth="bearer" secret="{{secrets.HOOK}}"' }));
  await publishText(other, hooked("shaped", { auth: 'auth="bearer" secret="{{secrets.HOOK}}"' }));
  await setSecret(acme, "HOOK", "acme's-token");
  await setSecret(other, "HOOK", "others-token");
  await giveDoors();
});

/** Newest first, with their payloads. */
const deliveries = (of: Tenant, workflow: string): Promise<readonly DeliveryRow[]> =>
  opened.store.withTenant(asTenantId(of.id), async (scope) => {
    const { items } = await scope.deliveries({ workflow, trigger: null }, { first: 100, after: null });
    const rows: DeliveryRow[] = [];
    for (const { id } of items) rows.push((await scope.delivery(id)) ?? assert.fail(id));
    return rows;
  });
const audited = (of: Tenant): Promise<readonly string[]> =>
  opened.store.withTenant(asTenantId(of.id), async (scope) =>
    (await scope.audit({ first: 100, after: null })).items.map(({ action, subject }) => `${action} ${subject}`),
  );
const requests = (of: Tenant, scope: string): Promise<number> =>
  opened.store.withTenant(asTenantId(of.id), async (one) => (await one.startedIn([scope])).get(scope)?.length ?? 0);

function refusedWith(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.error?.code, code);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.match(answer.body.requestId ?? "", /^[0-9a-f-]{36}$/);
}

describe("the order", () => {
  test("what is not there is not there, whichever of tenant and path it is: 404, all alike", async () => {
    const places = ["/t/nobody/hooks/open", "/t/acme%20hooks/hooks/none", `/t/${randomUUID()}/hooks/open`, "/t/acme%20hooks/hooks/op%65n"];
    const answers = await Promise.all(places.map((place) => post(place, { method: "PUT", body: "{" })));
    for (const answer of answers) refusedWith(answer, 404, "WOML_TRIGGER_NOT_FOUND");
    assert.equal(new Set(answers.map(({ body }) => body.error?.message)).size, 1);
  });
  test("the method is looked at before the bearer, and says which there is", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await post("/t/acme%20hooks/hooks/shaped", { method });
      refusedWith(answer, 405, "WOML_TRIGGER_METHOD_NOT_ALLOWED");
      assert.equal(answer.headers.get("allow"), "POST");
    }
    assert.equal((await post("/t/acme%20hooks/hooks/shaped", { method: "HEAD" })).status, 405);
  });
  test("the bearer is looked at before type, size, JSON and schema", async () => {
    const bodies: readonly Post[] = [
      { headers: { "content-type": "text/plain" } },
      { headers: { "content-type": "no type" } },
      { body: "x".repeat(1_100_000) },
      { body: "{" },
      { body: "{}" },
    ];
    for (const one of bodies) {
      refusedWith(await post("/t/acme%20hooks/hooks/shaped", { ...one }), 401, "WOML_TRIGGER_UNAUTHORIZED");
      const wrong = { ...one, headers: { ...BEARER, ...one.headers } };
      const answer = await post("/t/acme%20hooks/hooks/shaped", wrong);
      refusedWith(answer, 401, "WOML_TRIGGER_UNAUTHORIZED");
      assert.deepEqual(Object.keys(answer.body.error ?? {}), ["code", "message"]);
    }
  });
  test("type before size, size before JSON, JSON before schema, schema before key", async () => {
    const place = "/t/acme%20hooks/hooks/shaped";
    const long = "x".repeat(1_100_000);
    const of = (body: string, headers = {}): Promise<Answer> => post(place, { body, headers: { ...good, ...headers } });
    refusedWith(await of(long, { "content-type": "text/plain" }), 400, "WOML_TRIGGER_PAYLOAD_INVALID");
    refusedWith(await of(long), 413, "WOML_TRIGGER_PAYLOAD_TOO_LARGE");
    for (const body of [
      "",
      "{",
      "[]",
      '"a"',
      "null",
      "1",
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
    ])
      assert.equal((await of(body, { "idempotency-key": "" })).body.error?.code, "WOML_TRIGGER_PAYLOAD_INVALID", body.slice(0, 20));
    const shaped = await of('{"n":1.5}', { "idempotency-key": "k".repeat(513) });
    refusedWith(shaped, 400, "WOML_TRIGGER_SCHEMA_INVALID");
    assert.deepEqual(
      shaped.body.error?.issues?.map(({ path }) => path),
      ["/id", "/n"],
    );
    for (const key of ["k".repeat(513), ""])
      refusedWith(await of('{"id":"1"}', { "idempotency-key": key }), 400, "WOML_IDEMPOTENCY_KEY_INVALID");
    assert.equal((await of('{"id":"1"}', { "idempotency-key": "k".repeat(512) })).status, 202);
  });
  test("what was packed is not unpacked: 415, after who it is and the type, and before a byte is read", async () => {
    const place = "/t/acme%20hooks/hooks/shaped";
    const packed = gzipSync('{"id":"1"}');
    for (const encoding of ["gzip", "br", "deflate", "zstd", "GZIP", "identity, gzip", "x"]) {
      const headers = { ...good, "content-encoding": encoding };
      const answer = await post(place, { body: packed, headers });
      refusedWith(answer, 415, "WOML_CONTENT_ENCODING_UNSUPPORTED");
      assert.equal(answer.headers.get("accept-encoding"), "identity");
      refusedWith(await post(place, { headers: { ...headers, ...BEARER } }), 401, "WOML_TRIGGER_UNAUTHORIZED");
      refusedWith(await post(place, { headers: { ...headers, "content-type": "text/plain" } }), 400, "WOML_TRIGGER_PAYLOAD_INVALID");
      refusedWith(await post(place, { body: "x".repeat(1_100_000), headers }), 415, "WOML_CONTENT_ENCODING_UNSUPPORTED");
    }
    for (const encoding of ["identity", "Identity", ""])
      assert.equal((await post(place, { body: '{"id":"1"}', headers: { ...good, "content-encoding": encoding } })).status, 202, encoding);
  });
  test("where what cannot be taken stands is said once, however deep it lies", async () => {
    const deep = `${'{"member":'.repeat(300)}1${"}".repeat(300)}`;
    const answer = await post("/t/acme%20hooks/hooks/open", { body: deep });
    refusedWith(answer, 400, "WOML_TRIGGER_PAYLOAD_INVALID");
    const [issue, ...others] = answer.body.error?.issues ?? [];
    assert.deepEqual([others.length, issue?.path.startsWith("/member/member"), issue?.message], [0, true, answer.body.error?.message]);
    assert.ok(JSON.stringify(answer.body).length < 1_024 + 400, JSON.stringify(answer.body));
  });
  test("bytes that are no UTF-8 are none", async () => {
    const body = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d);
    refusedWith(await post("/t/acme%20hooks/hooks/open", { body }), 400, "WOML_TRIGGER_PAYLOAD_INVALID");
  });
  test("a secret that nobody has set: 503, and which it is stands in no answer", async () => {
    const answer = await post("/t/acme%20hooks/hooks/unset", { headers: good });
    refusedWith(answer, 503, "WOML_WEBHOOK_SECRET_MISSING");
    assert.equal(answer.headers.get("retry-after"), "1");
    assert.doesNotMatch(JSON.stringify(answer.body), /NEVER_SET/);
  });
});

describe("what is accepted", () => {
  test("a run is asked for as it came, and the delivery says so with the digest of the bytes", async () => {
    const body = '{ "id" : "1",\n "n": 1 }';
    const rung = opened.rung.length;
    const answer = await post("/t/acme%20hooks/hooks/shaped", { body, headers: good });
    assert.equal(answer.status, 202);
    assert.deepEqual(answer.body, { runId: answer.body.runId, status: "accepted", duplicate: false });
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(opened.rung.length, rung + 1);
    const run = await acme.field<{ payload: unknown; workflow: { id: string } }>("run", "query ($id: ID!) { run(id: $id) { payload } }", {
      id: answer.body.runId,
    });
    assert.deepEqual(run.payload, { id: "1", n: 1 });
    const [delivery] = await deliveries(acme, "shaped");
    assert.equal(`run_${delivery?.run}`, answer.body.runId);
    assert.deepEqual(
      [delivery?.outcome, delivery?.secret, delivery?.bodyDigest, delivery?.payload],
      ["accepted", "HOOK", digestOf(body), undefined],
    );
  });
  test("by the tenant's UUID as by its name, and at the path that is a slash alone", async () => {
    assert.equal((await post(`/t/${acme.id}/hooks/open?from=here`)).status, 202);
    assert.equal((await post("/t/acme%20hooks/hooks/")).status, 202);
    refusedWith(await post("/t/acme%20hooks/hooks/open/"), 404, "WOML_TRIGGER_NOT_FOUND");
  });
  test("an Idempotency-Key stands for one run; another payload under it is a conflict, and both are written down", async () => {
    const headers = { "idempotency-key": "order-1" };
    const first = await post("/t/acme%20hooks/hooks/open", { body: '{"a":1,"b":2}', headers });
    const again = await post("/t/acme%20hooks/hooks/open", { body: '{"b":2, "a":1}', headers });
    assert.deepEqual(again.body, { ...first.body, duplicate: true });
    refusedWith(await post("/t/acme%20hooks/hooks/open", { body: '{"a":2}', headers }), 409, "WOML_TRIGGER_IDEMPOTENCY_CONFLICT");
    const came = (await deliveries(acme, "open")).filter(({ source }) => source === "key:order-1").toReversed();
    assert.deepEqual(
      came.map(({ outcome, run, code }) => [outcome, `run_${run}`, code]),
      [
        ["accepted", first.body.runId, undefined],
        ["duplicate", first.body.runId, undefined],
        ["rejected", first.body.runId, "WOML_TRIGGER_IDEMPOTENCY_CONFLICT"],
      ],
    );
  });
  test("without a key each is one of its own; 40 at once with one key are one run", async () => {
    const [one, two] = await Promise.all([post("/t/acme%20hooks/hooks/open"), post("/t/acme%20hooks/hooks/open")]);
    assert.notEqual(one.body.runId, two.body.runId);
    const before = await requests(acme, "trigger:open:in");
    const many = await Promise.all(
      Array.from({ length: 40 }, () => post("/t/acme%20hooks/hooks/open", { headers: { "idempotency-key": "many" } })),
    );
    assert.equal(new Set(many.map(({ body }) => body.runId)).size, 1);
    assert.equal(many.filter(({ body }) => body.duplicate === false).length, 1);
    assert.equal(await requests(acme, "trigger:open:in"), before + 1);
  });
});

describe("who is refused", () => {
  test("PC-04 a mismatch is 401, written down with its reason and in the audit once, and nothing of the body is", async () => {
    await publishText(acme, hooked("guarded", { auth: 'auth="bearer" secret="{{secrets.HOOK}}"' }));
    for (let n = 0; n < 3; n++)
      refusedWith(await post("/t/acme%20hooks/hooks/guarded", { body: '{"a":"b"}', headers: BEARER }), 401, "WOML_TRIGGER_UNAUTHORIZED");
    const came = await deliveries(acme, "guarded");
    assert.ok(came.length <= 2, "a minute's refusals are one row");
    assert.equal(
      came.reduce((sum, { count }) => sum + count, 0),
      3,
    );
    for (const { outcome, code, detail, payload, bodyDigest } of came) {
      assert.deepEqual([outcome, code, payload, bodyDigest], ["refused", "WOML_TRIGGER_UNAUTHORIZED", undefined, undefined]);
      assert.deepEqual(detail, { reason: "bearer_mismatch" });
    }
    assert.equal((await audited(acme)).filter((entry) => entry === "webhook.refuse guarded/in").length, came.length);
  });
  test("PC-06 another tenant's token: 404 where this tenant has no such path, 401 where it has, and both are recorded here", async () => {
    const theirs = { authorization: "Bearer acme's-token" };
    refusedWith(await post("/t/other-hooks/hooks/open", { headers: theirs }), 404, "WOML_TRIGGER_NOT_FOUND");
    refusedWith(await post("/t/other-hooks/hooks/shaped", { headers: theirs }), 401, "WOML_TRIGGER_UNAUTHORIZED");
    const [strayed] = await written(() => deliveries(other, ""));
    assert.deepEqual([strayed?.outcome, strayed?.code], ["refused", "WOML_TRIGGER_NOT_FOUND"]);
    const [mistaken] = await deliveries(other, "shaped");
    assert.deepEqual([mistaken?.outcome, mistaken?.code], ["refused", "WOML_TRIGGER_UNAUTHORIZED"]);
    const entries = await audited(other);
    for (const entry of ["webhook.refuse ", "webhook.refuse shaped/in"]) assert.ok(entries.includes(entry), entry);
    assert.equal(await requests(other, "trigger:shaped:in"), 0);
  });
});

describe("what is rejected", () => {
  test("what was verified and is wrong is kept with its payload; of what anybody may send a minute is one row", async () => {
    const before = (await deliveries(acme, "shaped")).length;
    await post("/t/acme%20hooks/hooks/shaped", { body: '{"n":1}', headers: good });
    await post("/t/acme%20hooks/hooks/shaped", { body: '{"n":2}', headers: good });
    const [second, first, ...others] = await deliveries(acme, "shaped");
    assert.equal(others.length, before);
    for (const [n, one] of [first, second].entries()) {
      assert.deepEqual([one?.outcome, one?.code, one?.secret], ["rejected", "WOML_TRIGGER_SCHEMA_INVALID", "HOOK"]);
      assert.deepEqual(one?.payload, { n: n + 1 });
    }
    for (let n = 0; n < 4; n++) await post("/t/acme%20hooks/hooks/", { body: "[]" });
    const counted = (await deliveries(acme, "root")).filter(({ outcome }) => outcome === "rejected");
    assert.ok(counted.length <= 2);
    assert.equal(
      counted.reduce((sum, { count }) => sum + count, 0),
      4,
    );
  });
  test("PC-19 a payload above the maximum: 413 with the limit, no run, and no payload kept", async () => {
    const before = await requests(acme, "trigger:open:in");
    const fits = JSON.stringify({ a: "x".repeat(1024 * 1024 - 8) });
    assert.equal((await post("/t/acme%20hooks/hooks/open", { body: fits })).status, 202);
    refusedWith(await post("/t/acme%20hooks/hooks/open", { body: `${fits} ` }), 413, "WOML_TRIGGER_PAYLOAD_TOO_LARGE");
    assert.equal(await requests(acme, "trigger:open:in"), before + 1);
    const [last] = await deliveries(acme, "open");
    assert.deepEqual([last?.outcome, last?.code, last?.payload], ["rejected", "WOML_TRIGGER_PAYLOAD_TOO_LARGE", undefined]);
  });
  test("a body without a length is bounded while it comes, and one that breaks off starts nothing", async () => {
    const { hostname, port } = new URL(opened.url);
    const before = await requests(acme, "trigger:open:in");
    const talk = (after: (socket: ReturnType<typeof connect>) => void): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(Number(port), hostname);
        let said = "";
        socket
          .on("data", (bytes) => (said += bytes.toString()))
          .on("close", () => resolve(said))
          .on("error", () => {});
        const head =
          "POST /t/acme%20hooks/hooks/open HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        socket.write(head);
        after(socket);
      });
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const said = await talk((socket) => void socket.write(chunk.repeat(17)));
    assert.match(said, /^HTTP\/1.1 413 /);
    await talk((socket) => void socket.write('2\r\n{"\r\n', () => socket.destroy()));
    assert.equal(await requests(acme, "trigger:open:in"), before);
  });
});
