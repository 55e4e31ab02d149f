// The law of the door for signals: who gets in, whom that reaches, and what it answers.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { asTenantId } from "@woml/run";
import { type Answer, openGiving, type Post, postTo, setSecret } from "./hooked.ts";
import { chain, openForFile, publishText, type Tenant } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const giveDoors = await openGiving(opened);
const acme = await opened.tenant("acme");
const other = await opened.tenant("other");

const listening = (id: string, name: string, secret: string, schema = ""): string =>
  chain(id, { a: "return context.payload;" }).replace('<manual id="go"/>', `<event id="heard" name="${name}" ${secret}>${schema}</event>`);
const secret = (name: string): string => `secret="{{secrets.${name}}}"`;
before(async () => {
  await publishText(acme, listening("inside", "order.paid", ""));
  await publishText(acme, listening("shop", "order.paid", secret("SHOP")));
  await publishText(acme, listening("shop-too", "order.paid", secret("SHOP"), '<schema>{"required":["id"]}</schema>'));
  await publishText(acme, listening("bank", "order.paid", secret("BANK")));
  await publishText(acme, listening("later", "order.late", secret("NEVER_SET")));
  await publishText(acme, listening("private", "order.private", ""));
  await publishText(other, listening("shop", "order.paid", secret("SHOP")));
  await setSecret(acme, "SHOP", "shop-token");
  await setSecret(acme, "BANK", "bank-token");
  await setSecret(other, "SHOP", "others-token");
  await giveDoors();
});

const PLACE = "/t/acme/events/order.paid";
const shop = (more: Readonly<Record<string, string>> = {}): Post["headers"] => ({
  authorization: "Bearer shop-token",
  "event-id": "e1",
  ...more,
});
const refusedWith = (answer: Answer, status: number, code: string): void => {
  assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(answer.body));
  assert.equal(answer.headers.get("cache-control"), "no-store");
};
interface Emitted {
  readonly status: string;
  readonly accepted: number;
  readonly duplicate: number;
  readonly deliveries: readonly { readonly workflow: string; readonly status: string; readonly run: string | null }[];
}
const emitted = ({ body }: Answer): Emitted => body as unknown as Emitted;
const starts = (of: Tenant, workflow: string): Promise<number> =>
  opened.store.withTenant(asTenantId(of.id), async (scope) => {
    const where = `trigger:${workflow}:heard`;
    return (await scope.startedIn([where])).get(where)?.length ?? 0;
  });

test("a bearer reaches those whose secret it is, of this tenant, and nobody else; the same id again starts nothing again", async () => {
  const first = await post(PLACE, { body: '{"id":1}', headers: shop() ?? {} });
  assert.equal(first.status, 202, JSON.stringify(first.body));
  assert.deepEqual(
    emitted(first).deliveries.map(({ workflow, status }) => `${workflow} ${status}`),
    ["shop accepted", "shop-too accepted"],
  );
  const again = await post(PLACE, { body: '{"id":1}', headers: shop() ?? {} });
  assert.deepEqual([again.status, emitted(again).accepted, emitted(again).duplicate], [202, 0, 2]);
  assert.equal(emitted(again).deliveries[0]?.run, emitted(first).deliveries[0]?.run);
  assert.deepEqual([await starts(acme, "inside"), await starts(acme, "bank"), await starts(acme, "shop")], [0, 0, 1]);
  assert.equal(await starts(other, "shop"), 0);
  const bank = await post(PLACE, { headers: { ...shop(), authorization: "Bearer bank-token" } });
  assert.deepEqual(
    emitted(bank).deliveries.map(({ workflow }) => workflow),
    ["bank"],
  );
});

test("the order: what is not there, the method, the bearer, the id, the type, the bytes, the JSON", async () => {
  const bad = { authorization: "Bearer wrong" };
  for (const place of [
    "/t/nobody/events/order.paid",
    "/t/acme/events/none.such",
    "/t/acme/events/order.private",
    "/t/acme/events/woml.run-failed",
  ])
    refusedWith(await post(place, { method: "PUT", headers: bad, body: "{" }), 404, "WOML_EVENT_NOT_FOUND");
  const put = await post(PLACE, { method: "PUT", headers: bad, body: "{" });
  refusedWith(put, 405, "WOML_EVENT_METHOD_NOT_ALLOWED");
  assert.equal(put.headers.get("allow"), "POST");
  refusedWith(await post(PLACE, { headers: bad, body: "{" }), 401, "WOML_EVENT_UNAUTHORIZED");
  refusedWith(await post(PLACE, { body: "{" }), 401, "WOML_EVENT_UNAUTHORIZED");
  const nameless = await post(PLACE, { headers: { authorization: "Bearer shop-token" }, body: "{" });
  refusedWith(nameless, 400, "WOML_EVENT_ID_INVALID");
  assert.match(nameless.body.error?.message ?? "", /^send `Event-ID: …`/);
  refusedWith(await post(PLACE, { headers: { ...shop(), "content-type": "text/plain" }, body: "{" }), 400, "WOML_EVENT_PAYLOAD_INVALID");
  const packed = await post(PLACE, { headers: { ...shop(), "content-encoding": "gzip" }, body: "{" });
  refusedWith(packed, 415, "WOML_CONTENT_ENCODING_UNSUPPORTED");
  refusedWith(await post(PLACE, { headers: shop() ?? {}, body: "{" }), 400, "WOML_EVENT_PAYLOAD_INVALID");
  refusedWith(await post(PLACE, { headers: shop() ?? {}, body: "[]" }), 400, "WOML_EVENT_PAYLOAD_INVALID");
  refusedWith(await post(PLACE, { headers: shop() ?? {}, body: `{"a":"${"x".repeat(1_048_576)}"}` }), 413, "WOML_EVENT_PAYLOAD_TOO_LARGE");
});

test("who takes it and who does not is told; when nobody does, it is refused as a whole", async () => {
  const headers = { ...shop(), "event-id": "e2" };
  const some = await post(PLACE, { body: "{}", headers });
  assert.deepEqual([some.status, emitted(some).status], [202, "partial"]);
  const changed = await post(PLACE, { body: '{"id":2}', headers: { ...headers, authorization: "Bearer bank-token", "event-id": "e1" } });
  assert.deepEqual([changed.status, emitted(changed).status], [400, "rejected"]);
});

test("PC-06: another tenant's secret opens nothing here, and the attempt is written down; a secret that is not there yet is asked for again", async () => {
  refusedWith(await post(PLACE, { headers: { ...shop(), authorization: "Bearer others-token" } }), 401, "WOML_EVENT_UNAUTHORIZED");
  const { items } = await opened.store.withTenant(asTenantId(acme.id), (scope) =>
    scope.deliveries({ workflow: "", trigger: null }, { first: 9, after: null }),
  );
  assert.ok(items.some(({ outcome, code, kind }) => outcome === "refused" && code === "WOML_EVENT_UNAUTHORIZED" && kind === "signal"));
  const late = await post("/t/acme/events/order.late", { headers: { ...shop() } });
  refusedWith(late, 503, "WOML_WEBHOOK_SECRET_MISSING");
  assert.equal(late.headers.get("retry-after"), "1");
});

test("a signal at the door is one delivery of the minute, however many hear it; past the quota it is 429, and nothing of it is there", async () => {
  const input = { tenant: acme.id, name: "DELIVERIES_PER_MINUTE" };
  const SET = "mutation ($input: SetQuotaInput!) { setQuota(input: $input) { quota { limit } } }";
  const limit = (value: number | null): Promise<unknown> => opened.admin.field("setQuota", SET, { input: { ...input, limit: value } });
  const QUOTAS = "{ quotas { name used } }";
  await limit(1_000);
  const used = async (): Promise<number> => (await acme.field<readonly { readonly used: number }[]>("quotas", QUOTAS))[0]?.used ?? -1;
  const [before, begun] = [await used(), await starts(acme, "shop")];
  assert.equal((await post(PLACE, { body: '{"id":3}', headers: shop({ "event-id": "minute" }) ?? {} })).status, 202);
  assert.equal((await post(PLACE, { body: '{"id":3}', headers: shop({ "event-id": "minute" }) ?? {} })).status, 202);
  const after = await used();
  // A minute may have gone by.
  assert.ok(after === before + 1 || after <= 1, `${before} and then ${after}`);
  await limit(0);
  const refused = await post(PLACE, { body: '{"id":4}', headers: shop({ "event-id": "past" }) ?? {} });
  refusedWith(refused, 429, "WOML_QUOTA_EXCEEDED");
  assert.deepEqual([refused.headers.get("retry-after"), await starts(acme, "shop")], ["60", begun + 1]);
  assert.match(refused.body.error?.message ?? "", /quota deliveries-per-minute of 0/);
  await limit(null);
  assert.equal((await post(PLACE, { body: '{"id":4}', headers: shop({ "event-id": "past" }) ?? {} })).status, 202);
});
