// Signed deliveries at a real door: what is signed is what came, a delivery is taken once, and secrets change while the door is open.
import assert from "node:assert/strict";
import { createHash, createHmac, randomUUID } from "node:crypto";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openControlStore } from "@woml/prisma";
import { asRunId, asTenantId } from "@woml/run";
import { type Answer, type Headed, hooked, openGiving, postTo, setSecret } from "./hooked.ts";
import { openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const giveDoors = await openGiving(opened);
const acme = await opened.tenant("signed-acme");
const SET = "mutation ($input: SetTriggerInput!) { setTrigger(input: $input) { trigger { id } } }";
const setVerification = (workflow: string, verification: object): Promise<unknown> =>
  acme.field("setTrigger", SET, { input: { workflow, trigger: "in", setting: { verification } } });
const REMOVE = "mutation ($input: RemoveSecretInput!) { removeSecret(input: $input) { removed } }";

before(async () => {
  for (const id of ["standard", "github", "declared", "both", "turning"])
    await publishText(acme, hooked(id, id === "both" ? { auth: 'auth="bearer" secret="{{secrets.TOKEN}}"' } : {}));
  for (const [name, value] of Object.entries({ OLD: "old value", NEW: "new value", TOKEN: "a-token" })) await setSecret(acme, name, value);
  await setVerification("standard", { scheme: "standard", secrets: ["OLD", "NEW"] });
  await setVerification("github", { scheme: "github", secrets: ["OLD"] });
  await setVerification("both", { scheme: "github", secrets: ["OLD"] });
  await setVerification("turning", { scheme: "github", secrets: ["TURNING"] });
  await setVerification("declared", {
    ...{ scheme: "hmac", header: "X-Tawk-Signature", algorithm: "sha1", encoding: "hex", deliveryHeader: "X-Event", secrets: ["OLD"] },
  });
  await giveDoors();
});

const hmac = (key: string, text: string, algorithm = "sha256"): ReturnType<typeof createHmac> => createHmac(algorithm, key).update(text);
const to = (workflow: string, body: string, headers: Headed): Promise<Answer> =>
  post(`/t/signed-acme/hooks/${workflow}`, { body, headers });
const standard = (id: string, body: string, keys: readonly string[], seconds = Math.floor(Date.now() / 1_000)): Headed => ({
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
  "webhook-signature": keys.map((key) => `v1,${hmac(key, `${id}.${seconds}.${body}`).digest("base64")}`).join(" "),
});
const github = (body: string, key: string, delivery: string): Headed => ({
  "x-hub-signature-256": `sha256=${hmac(key, body).digest("hex")}`,
  "x-github-delivery": delivery,
});
const ODD = '{\r\n\t"b" : [ 1.0 ],   "a": "ß"\n}';
interface Seen {
  readonly id: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly secret: string | null;
  readonly source: string | null;
  readonly run: string | null;
  readonly bodyDigest: string | null;
  readonly detail: { readonly reason?: string; readonly redeliveryOf?: string } | null;
}
const DELIVERIES = `query ($workflow: ID, $first: Int, $after: String) { deliveries(workflow: $workflow, first: $first, after: $after) {
  edges { node { id outcome code secret source run bodyDigest detail } } pageInfo { endCursor hasNextPage } } }`;
type Listed = { edges: { node: Seen }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
const seen = async (workflow: string): Promise<readonly Seen[]> =>
  (await acme.field<Listed>("deliveries", DELIVERIES, { workflow })).edges.map(({ node }) => node);

describe("signed", () => {
  test("PC-01 a pretty-printed body is verified over its bytes, and their digest is kept", async () => {
    const answer = await to("standard", ODD, standard("msg_odd", ODD, ["old value"]));
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const [delivery] = await seen("standard");
    assert.equal(delivery?.bodyDigest, `sha256:${createHash("sha256").update(ODD).digest("hex")}`);
    const altered = await to("standard", JSON.stringify(JSON.parse(ODD)), standard("msg_other", ODD, ["old value"]));
    assert.equal(altered.body.error?.code, "WOML_TRIGGER_UNAUTHORIZED");
  });
  test("PC-02 of two signatures and two secrets one pair is enough, and which secret it was is recorded", async () => {
    const answer = await to("standard", "{}", standard("msg_turn", "{}", ["retired value", "new value"]));
    assert.equal(answer.status, 202);
    const [delivery] = await seen("standard");
    assert.deepEqual([delivery?.outcome, delivery?.secret, delivery?.source], ["accepted", "NEW", "delivery:msg_turn"]);
  });
  test("a body that is no JSON and not signed is refused, not read: 401, and the same signed is 400", async () => {
    assert.equal((await to("standard", "{", standard("msg_x", "{", ["nobody's"]))).body.error?.code, "WOML_TRIGGER_UNAUTHORIZED");
    assert.equal((await to("standard", "{", standard("msg_x", "{", ["old value"]))).body.error?.code, "WOML_TRIGGER_PAYLOAD_INVALID");
    const plain = { ...standard("msg_x", "{", ["nobody's"]), "content-type": "text/plain" };
    assert.equal((await to("standard", "{", plain)).body.error?.code, "WOML_TRIGGER_UNAUTHORIZED");
  });
  test("a recording is taken for 300 s", async () => {
    const late = Math.floor(Date.now() / 1_000) - 400;
    assert.equal((await to("standard", "{}", standard("msg_late", "{}", ["old value"], late))).status, 401);
    const [delivery] = await seen("standard");
    assert.deepEqual([delivery?.outcome, delivery?.detail], ["refused", { reason: "timestamp_out_of_range" }]);
  });
  test("a second delivery of one name is the first one's run, whatever else comes with it", async () => {
    const first = await to("github", '{"n":1}', github('{"n":1}', "old value", "d-1"));
    const key = { "idempotency-key": "of its own" };
    const again = await to("github", '{"n":1}', { ...github('{"n":1}', "old value", "d-1"), ...key });
    assert.deepEqual(again.body, { ...first.body, duplicate: true });
    const other = await to("github", '{"n":2}', github('{"n":2}', "old value", "d-1"));
    assert.equal(other.body.error?.code, "WOML_TRIGGER_IDEMPOTENCY_CONFLICT");
    const named = await post("/t/signed-acme/hooks/declared", {
      body: "{}",
      headers: { "x-tawk-signature": hmac("old value", "{}", "sha1").digest("hex"), "x-event": "d-1" },
    });
    assert.equal(named.body.duplicate, false, "another trigger's names are its own");
    const outcomes = (await seen("github")).map(({ outcome, run }) => `${outcome} ${run === first.body.runId}`);
    assert.deepEqual(outcomes, ["rejected true", "duplicate true", "accepted true"]);
  });
  test("a key of a caller and a name of a sender never meet", async () => {
    const signature = { "x-tawk-signature": hmac("old value", "{}", "sha1").digest("hex") };
    const keyed = await to("declared", "{}", { ...signature, "idempotency-key": "same" });
    const named = await to("declared", "{}", { ...signature, "x-event": "same" });
    assert.notEqual(keyed.body.runId, named.body.runId);
    assert.equal((await to("declared", "{}", { ...signature, "x-event": "x".repeat(513) })).status, 400);
  });
  test("where the source wants a bearer and the setting a signature, both are wanted", async () => {
    const signed = github("{}", "old value", "b-1");
    assert.equal((await to("both", "{}", signed)).status, 401);
    assert.equal((await to("both", "{}", { authorization: "Bearer a-token" })).status, 401);
    assert.equal((await to("both", "{}", { ...signed, authorization: "Bearer a-token" })).status, 202);
  });
});

describe("secrets change", () => {
  test("one that is not set yet, was just set, was set anew, was taken away", async () => {
    const send = async (value: string, delivery: string): Promise<string> => {
      const { status, body } = await to("turning", "{}", github("{}", value, delivery));
      return body.error?.code ?? String(status);
    };
    assert.equal(await send("one", "t-1"), "WOML_WEBHOOK_SECRET_MISSING");
    await setSecret(acme, "TURNING", "one");
    assert.equal(await send("one", "t-1"), "WOML_WEBHOOK_SECRET_MISSING");
    await giveDoors();
    assert.equal(await send("one", "t-1"), "202");
    await setSecret(acme, "TURNING", "two");
    assert.equal(await send("one", "t-2"), "WOML_WEBHOOK_SECRET_MISSING", "a value that was replaced opens nothing");
    await giveDoors();
    assert.equal(await send("one", "t-2"), "WOML_TRIGGER_UNAUTHORIZED");
    assert.equal(await send("two", "t-2"), "202");
    await acme.field("removeSecret", REMOVE, { input: { name: "TURNING" } });
    assert.equal(await send("two", "t-3"), "WOML_WEBHOOK_SECRET_MISSING");
  });
  test("of several one may be missing: what the others signed is taken, what they did not may be the missing one's", async () => {
    await setVerification("turning", { scheme: "github", secrets: ["OLD", "NEVER_SET"] });
    assert.equal((await to("turning", "{}", github("{}", "old value", "u-1"))).status, 202);
    const other = await to("turning", "{}", github("{}", "who knows", "u-2"));
    assert.deepEqual([other.status, other.body.error?.code], [503, "WOML_WEBHOOK_SECRET_MISSING"]);
  });
});

describe("committed", () => {
  test("H2 nobody is told 202 before it is stored: the answer waits for whoever holds its key, and is 503 where that takes too long", async () => {
    const store = await openControlStore(opened.databaseUrl);
    const hold = async (key: string): Promise<() => Promise<void>> => {
      const [held, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = store.withTenant(asTenantId(acme.id), async (scope) => {
        const wanted = { id: randomUUID(), run: asRunId(randomUUID()), scope: "trigger:held:in", key, digest: "another's" };
        await scope.submit({ ...wanted, body: { kind: "start" } });
        held.resolve();
        await left.promise;
        throw new Error("rolled back");
      });
      await held.promise;
      return async () => {
        left.resolve();
        await assert.rejects(holding, /rolled back/);
      };
    };
    const send = async (key: string): Promise<Answer> => to("held", "{}", { "idempotency-key": key });
    await publishText(acme, hooked("held"));
    const leave = await hold("key:short");
    let isAnswered = false;
    const short = send("short").finally(() => {
      isAnswered = true;
    });
    await sleep(500);
    assert.equal(isAnswered, false);
    await leave();
    const { status, body } = await short;
    assert.deepEqual([status, body.duplicate], [202, false]);
    const leaveAtLast = await hold("key:long");
    const long = await send("long");
    assert.deepEqual([long.status, long.body.error?.code, long.headers.get("retry-after")], [503, "WOML_TRIGGER_UNAVAILABLE", "1"]);
    await leaveAtLast();
    assert.equal((await send("long")).body.duplicate, false);
    await store.close();
  });
});

describe("delivered again", () => {
  const REDELIVER =
    "mutation ($input: RedeliverInput!) { redeliver(input: $input) { run { id payload version } delivery { id outcome detail } } }";
  type Again = { run: { id: string; payload: unknown; version: string }; delivery: Seen };
  const redeliver = (delivery: string): Promise<Again> => acme.field<Again>("redeliver", REDELIVER, { input: { delivery } });
  const codesOf = async (delivery: string): Promise<readonly string[]> => (await acme.ask(REDELIVER, { input: { delivery } })).codes;
  const shaped = (schema: string): string => hooked("again", { schema });

  test("what was accepted starts a run of the version that is active now, as often as it is asked for, audited", async () => {
    await publishText(acme, shaped('{"type":"object"}'));
    const first = await to("again", '{"n":1}', {});
    const version = await publishText(acme, shaped('{"type":"object","title":"another"}'));
    const [old] = await seen("again");
    const [one, two] = [await redeliver(old?.id ?? ""), await redeliver(old?.id ?? "")];
    assert.equal(new Set([first.body.runId, one.run.id, two.run.id]).size, 3);
    assert.deepEqual([one.run.payload, one.run.version], [{ n: 1 }, version]);
    assert.deepEqual([one.delivery.outcome, one.delivery.detail], ["accepted", { redeliveryOf: old?.id }]);
    const listed = await seen("again");
    assert.deepEqual(
      listed.map(({ run }) => run),
      [two.run.id, one.run.id, first.body.runId],
    );
    const { edges } = await acme.field<{ edges: { node: { action: string; subject: string } }[] }>(
      "audit",
      "{ audit(first: 2) { edges { node { action subject } } } }",
    );
    assert.deepEqual(
      edges.map(({ node }) => `${node.action} ${node.subject}`),
      Array(2).fill(`delivery.redeliver ${old?.id}`),
    );
  });
  test("what was rejected by a schema is taken once the schema takes it", async () => {
    await publishText(acme, hooked("again", { schema: '{"required":["id"]}', auth: 'auth="bearer" secret="{{secrets.TOKEN}}"' }));
    const rejected = await to("again", '{"n":2}', { authorization: "Bearer a-token" });
    assert.equal(rejected.body.error?.code, "WOML_TRIGGER_SCHEMA_INVALID");
    const [old] = await seen("again");
    assert.deepEqual(await codesOf(old?.id ?? ""), ["WOML_TRIGGER_SCHEMA_INVALID"]);
    await publishText(acme, shaped("{}"));
    assert.deepEqual((await redeliver(old?.id ?? "")).run.payload, { n: 2 });
  });
  test("what nobody verified, what is not there and what no trigger is bound for is not", async () => {
    const [, refused] = (await seen("both")).map(({ id }) => id);
    assert.deepEqual(await codesOf(refused ?? ""), ["WOML_DELIVERY_WITHOUT_PAYLOAD"]);
    assert.deepEqual(await codesOf("00000000-0000-7000-8000-000000000000"), ["WOML_DELIVERY_NOT_FOUND"]);
    assert.deepEqual(await codesOf("no id"), ["WOML_ID_INVALID"]);
    const [old] = await seen("again");
    await acme.field("deactivate", 'mutation { deactivate(input: { workflow: "again" }) { changed } }');
    assert.deepEqual(await codesOf(old?.id ?? ""), ["WOML_TRIGGER_NOT_FOUND"]);
    const stranger = await opened.tenant("signed-other");
    assert.deepEqual((await stranger.ask(REDELIVER, { input: { delivery: old?.id } })).codes, ["WOML_DELIVERY_NOT_FOUND"]);
  });
  test("the list is paged, newest first", async () => {
    const all = await seen("again");
    const paged: string[] = [];
    for (let after: string | null = null, isMore = true; isMore; ) {
      const { edges, pageInfo }: Listed = await acme.field<Listed>("deliveries", DELIVERIES, { workflow: "again", first: 2, after });
      paged.push(...edges.map(({ node }) => node.id));
      [after, isMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    assert.deepEqual(
      paged,
      all.map(({ id }) => id),
    );
  });
});
