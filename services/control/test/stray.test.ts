// Who asks at a door where nothing is: what is written down of that, for whom, and what the answer says by the time that it takes.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import type { DeliveryRow } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { hooked, openGiving, postTo, setSecret, written } from "./hooked.ts";
import { chain, openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const giveDoors = await openGiving(opened);
const owner = await opened.tenant("strayed");
const BEARER = { authorization: "Bearer somebody's", "event-id": "1" };

const listening = (id: string, name: string): string =>
  chain(id, { a: "return 1;" }).replace('<manual id="go"/>', `<event id="heard" name="${name}" secret="{{secrets.EAR}}"/>`);
const deliveriesOf = (tenant: string): Promise<readonly DeliveryRow[]> =>
  opened.store.withTenant(
    asTenantId(tenant),
    async (scope) => (await scope.deliveries({ workflow: "", trigger: null }, { first: 100, after: null })).items,
  );
const codeAt = async (place: string): Promise<readonly unknown[]> => {
  const { status, body } = await post(place, { headers: BEARER });
  return [status, body.error?.code];
};
const NO_HOOK = [404, "WOML_TRIGGER_NOT_FOUND"];
const NO_SIGNAL = [404, "WOML_EVENT_NOT_FOUND"];

before(async () => {
  await publishText(owner, hooked("open"));
  await publishText(owner, listening("told", "woml.run-failed"));
  await publishText(owner, listening("paid", "order.paid"));
  await setSecret(owner, "EAR", "ear");
  await giveDoors();
});

test("for a tenant that is not there nothing is written down, whatever UUID stands in its place", async () => {
  const nobody = Array.from({ length: 5 }, () => randomUUID());
  for (const id of nobody) {
    assert.deepEqual(await codeAt(`/t/${id}/hooks/open`), NO_HOOK);
    assert.deepEqual(await codeAt(`/t/${id}/events/order.paid`), NO_SIGNAL);
  }
  // One after them whose row is there says that theirs would be.
  assert.deepEqual(await codeAt(`/t/${owner.id}/hooks/none`), NO_HOOK);
  assert.equal((await written(() => deliveriesOf(owner.id))).length, 1);
  for (const id of nobody) assert.deepEqual(await deliveriesOf(id), []);
  assert.equal((await post(`/t/${owner.id}/hooks/open`)).status, 202);
});

test("PC-06: a bearer for a signal that nobody outside may emit is written down, once a minute", async () => {
  for (const name of ["none.such", "order.none"]) assert.deepEqual(await codeAt(`/t/strayed/events/${name}`), NO_SIGNAL);
  const found = await written(async () => (await deliveriesOf(owner.id)).filter(({ kind }) => kind === "signal"));
  assert.deepEqual(
    found.map(({ outcome, code, workflow, detail, payload }) => [outcome, code, workflow, detail, payload]),
    [["refused", "WOML_EVENT_NOT_FOUND", "", undefined, undefined]],
  );
});

test("the answer does not wait for what is written down of it: how long it takes says nothing of who is there", async () => {
  const other = await opened.tenant("strayed-too");
  const held = Promise.withResolvers<void>();
  const standing = Promise.withResolvers<void>();
  // Whoever writes the row of this minute waits for the transaction that does.
  const bucket = ` WOML_TRIGGER_NOT_FOUND ${Math.floor(Date.now() / 60_000)}`;
  const holding = opened.store.withTenant(asTenantId(other.id), async (scope) => {
    await scope.deliver({ id: randomUUID(), workflow: "", trigger: "", kind: "webhook", outcome: "refused", bucket });
    standing.resolve();
    await held.promise;
  });
  await standing.promise;
  try {
    const inTime = AbortSignal.timeout(1_500);
    const late = new Promise((_, reject) => inTime.addEventListener("abort", () => reject(new Error("it waited"))));
    assert.deepEqual(await Promise.race([codeAt("/t/strayed-too/hooks/none"), late]), NO_HOOK);
  } finally {
    held.resolve();
    await holding;
  }
  assert.equal((await written(() => deliveriesOf(other.id))).length, 1);
});

test("no secret lets anybody speak for the platform, and nothing but a name reaches the database", async () => {
  const ear = { authorization: "Bearer ear", "event-id": "forged" };
  for (const name of ["woml.run-failed", "order%00paid", "ORDER.PAID", "a".repeat(1_000), "order%2fpaid"]) {
    const { status, body } = await post(`/t/strayed/events/${name}`, { headers: ear });
    assert.deepEqual([status, body.error?.code], NO_SIGNAL, name);
  }
  assert.equal((await post("/t/strayed/events/order.paid", { headers: ear })).status, 202);
  const { triggers } = (await owner.ask('{ triggers(workflow: "told") { edges { node { signal url } } } }')).data as unknown as {
    triggers: { edges: readonly { node: unknown }[] };
  };
  assert.deepEqual(triggers.edges, [{ node: { signal: "woml.run-failed", url: null } }]);
});

test("a delivery that is rejected for what no text may hold is written down all the same", async () => {
  for (const body of ['{"\\u0000":1}', '{"a":"\\u0000"}', '{"\\ud800":1}'])
    assert.equal((await post("/t/strayed/hooks/open", { body, headers: { "idempotency-key": body.slice(0, 4) } })).status, 400);
  const rows = await opened.store.withTenant(
    asTenantId(owner.id),
    async (scope) => (await scope.deliveries({ workflow: "open", trigger: "in" }, { first: 9, after: null })).items,
  );
  const rejected = rows.filter(({ outcome }) => outcome === "rejected");
  assert.equal(
    rejected.reduce((sum, { count }) => sum + count, 0),
    3,
  );
});

test("deliveries are asked for by what can be a trigger's id", async () => {
  const query = 'query ($trigger: ID!) { deliveries(workflow: "open", trigger: $trigger) { edges { node { id } } } }';
  for (const trigger of ["a\u0000b", "", "in/in", "\ud800"]) {
    const { errors } = await owner.ask(query, { trigger });
    assert.equal(errors[0]?.extensions?.["code"], "WOML_ID_INVALID", JSON.stringify(trigger));
  }
});
