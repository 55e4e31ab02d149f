// Senders that name a delivery in what they send: it is one run, however often it comes, and nobody who has not signed it gives it a name.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, describe, test } from "node:test";
import type { Verification } from "@woml/model";
import { namedIn } from "../hook-verify/in-body.ts";
import { type Answer, type Headed, hooked, openGiving, postTo, setSecret } from "./hooked.ts";
import { openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const giveDoors = await openGiving(opened);
const acme = await opened.tenant("named-acme");
const SET = "mutation ($input: SetTriggerInput!) { setTrigger(input: $input) { trigger { id } } }";

before(async () => {
  for (const [name, value] of Object.entries({ OLD: "old value", NEW: "new value" })) await setSecret(acme, name, value);
  for (const scheme of ["stripe", "slack", "github"]) {
    await publishText(acme, hooked(scheme));
    const setting = { verification: { scheme, secrets: ["OLD", "NEW"] } };
    await acme.field("setTrigger", SET, { input: { workflow: scheme, trigger: "in", setting } });
  }
  await publishText(acme, hooked("open"));
  await giveDoors();
});

const hex = (key: string, text: string): string => createHmac("sha256", key).update(text).digest("hex");
const now = (): string => String(Math.floor(Date.now() / 1_000));
const SIGNED: Readonly<Record<string, (body: string, key: string) => Headed>> = {
  stripe: (body, key) => ((t) => ({ "stripe-signature": `t=${t},v1=${hex(key, `${t}.${body}`)}` }))(now()),
  slack: (body, key) => ((t) => ({ "x-slack-request-timestamp": t, "x-slack-signature": `v0=${hex(key, `v0:${t}:${body}`)}` }))(now()),
  github: (body, key) => ({ "x-hub-signature-256": `sha256=${hex(key, body)}` }),
};
const send = (scheme: string, what: object, { key = "old value", headers = {} } = {}): Promise<Answer> => {
  const body = JSON.stringify(what);
  return post(`/t/named-acme/hooks/${scheme}`, { body, headers: { ...SIGNED[scheme]?.(body, key), ...headers } });
};
interface Seen {
  readonly outcome: string;
  readonly source: string | null;
  readonly run: string | null;
}
const DELIVERIES = "query ($workflow: ID) { deliveries(workflow: $workflow, first: 50) { edges { node { outcome source run } } } }";
const seen = async (workflow: string): Promise<readonly Seen[]> =>
  (await acme.field<{ edges: { node: Seen }[] }>("deliveries", DELIVERIES, { workflow })).edges.map(({ node }) => node);

const EVENTS = [
  ["stripe", "evt_1", (id: string, more = {}) => ({ id, object: "event", pending_webhooks: 2, ...more })],
  ["slack", "Ev01", (id: string, more = {}) => ({ type: "event_callback", event_id: id, ...more })],
] as const;

for (const [scheme, id, event] of EVENTS)
  describe(scheme, () => {
    test("the same event twice is one run, whichever secret it is signed with, and the second answer says so", async () => {
      const first = await send(scheme, event(id));
      assert.deepEqual([first.status, first.body.duplicate], [202, false], JSON.stringify(first.body));
      const again = await send(scheme, event(id), { key: "new value" });
      assert.deepEqual(again.body, { ...first.body, duplicate: true });
      const other = await send(scheme, event(`${id}b`));
      assert.deepEqual([other.body.duplicate, other.body.runId === first.body.runId], [false, false]);
      const [, second, one] = await seen(scheme);
      assert.deepEqual([one?.outcome, second?.outcome, second?.source], ["accepted", "duplicate", `delivery:${id}`]);
      assert.deepEqual([one?.run, second?.run], [first.body.runId, first.body.runId]);
    });
    test("many at once are one run", async () => {
      const many = await Promise.all(Array.from({ length: 20 }, () => send(scheme, event("at once"))));
      assert.deepEqual([...new Set(many.map(({ status }) => status))], [202]);
      assert.equal(new Set(many.map(({ body }) => body.runId)).size, 1);
      assert.equal(many.filter(({ body }) => body.duplicate === false).length, 1);
    });
    test("whoever has not signed it gives nothing a name: the event that comes after it is the first", async () => {
      const forged = await send(scheme, event("taken"), { key: "nobody's" });
      assert.equal(forged.body.error?.code, "WOML_TRIGGER_UNAUTHORIZED");
      const body = JSON.stringify(event("taken"));
      const recorded = await post(`/t/named-acme/hooks/${scheme}`, { body });
      assert.equal(recorded.body.error?.code, "WOML_TRIGGER_UNAUTHORIZED");
      assert.deepEqual((await send(scheme, event("taken"))).body.duplicate, false);
    });
    test("another event under a name that was used is a conflict", async () => {
      await send(scheme, event("changed", { a: 1 }));
      const other = await send(scheme, event("changed", { a: 2 }));
      assert.deepEqual([other.status, other.body.error?.code], [409, "WOML_TRIGGER_IDEMPOTENCY_CONFLICT"]);
    });
    test("a caller's key goes before it, and they never meet", async () => {
      const keyed = await send(scheme, event("own"), { headers: { "idempotency-key": "own" } });
      const named = await send(scheme, event("own"));
      assert.notEqual(keyed.body.runId, named.body.runId);
      const again = await send(scheme, event("own"), { headers: { "idempotency-key": "own" } });
      assert.deepEqual(again.body, { ...keyed.body, duplicate: true });
    });
    test("without a name each is one of its own, and what is no name is refused", async () => {
      const { event_id: _, id: __, ...nameless } = event("x") as Record<string, unknown>;
      const runs = [await send(scheme, nameless), await send(scheme, nameless)].map(({ body }) => body.runId);
      assert.equal(new Set(runs).size, 2);
      for (const odd of ["", "a\u0007", "x".repeat(513)]) {
        const { status, body } = await send(scheme, event(odd));
        assert.deepEqual([status, body.error?.code], [400, "WOML_TRIGGER_PAYLOAD_INVALID"], odd);
      }
    });
  });

test("Stripe's number of those whom it has still to tell may be another when it sends an event again", async () => {
  const first = await send("stripe", { id: "evt_count", pending_webhooks: 2, data: {} });
  const again = await send("stripe", { id: "evt_count", pending_webhooks: 1, data: {} });
  assert.deepEqual(again.body, { ...first.body, duplicate: true });
});

test("where nobody signs, or the header names it, the body names nothing", async () => {
  for (const scheme of ["open", "github"]) {
    const runs = [await send(scheme, { id: "evt_1", event_id: "Ev01" }), await send(scheme, { id: "evt_1", event_id: "Ev01" })];
    assert.equal(new Set(runs.map(({ body }) => body.runId)).size, 2, scheme);
  }
});

test("what is no text, and what is no object, is no name", () => {
  const by = (scheme: string): Verification => ({ scheme, secrets: ["A"] }) as Verification;
  for (const odd of [1, null, ["evt_1"], { id: "evt_1" }, true]) {
    assert.equal(namedIn(by("stripe"), { id: odd }), null);
    assert.equal(namedIn(by("slack"), { event_id: odd }), null);
  }
  for (const payload of [null, "id", ["id"]]) assert.equal(namedIn(by("stripe"), payload), null);
  assert.equal(namedIn(by("standard"), { id: "evt_1", event_id: "Ev01" }), null);
});
