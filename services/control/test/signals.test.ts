// Signals from outside: who is started, what each makes of it, and once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asTenantId } from "@woml/run";
import type { Emitted } from "../signal.ts";
import { chain, openForFile, publishText, type Tenant } from "./opened.ts";

const opened = await openForFile();
const EMIT =
  "mutation ($input: EmitSignalInput!) { emitSignal(input: $input) { id name status accepted duplicate rejected deliveries { workflow trigger status run code message issues { path message } } } }";
const emit = (tenant: Tenant, input: object): Promise<Emitted> => tenant.field("emitSignal", EMIT, { input });
const refusal = async (tenant: Tenant, input: object): Promise<unknown> => {
  return (await tenant.ask(EMIT, { input })).errors[0]?.extensions?.["code"];
};

const listening = (id: string, name: string, schema = ""): string =>
  chain(id, { a: "return context.payload;" }).replace('<manual id="go"/>', `<event id="heard" name="${name}">${schema}</event>`);
const startsOf = (tenant: Tenant, workflow: string): Promise<number> =>
  opened.store.withTenant(asTenantId(tenant.id), async (scope) => {
    const of = `trigger:${workflow}:heard`;
    return (await scope.startedIn([of])).get(of)?.length ?? 0;
  });
const deliveriesOf = (tenant: Tenant, workflow: string): Promise<readonly unknown[]> =>
  opened.store.withTenant(asTenantId(tenant.id), async (scope) => {
    const { items } = await scope.deliveries({ workflow, trigger: "heard" }, { first: 100, after: null });
    return items.map(({ outcome, code, source, kind }) => ({ outcome, source, kind, ...(code !== undefined && { code }) }));
  });

test("a signal starts a run of each workflow that listens, by the version that is active; another tenant hears nothing", async () => {
  const [mine, other] = [await opened.tenant("signals-mine"), await opened.tenant("signals-other")];
  for (const id of ["b", "a"]) await publishText(mine, listening(id, "order.paid"));
  await publishText(mine, listening("c", "order.sent"));
  await publishText(other, listening("a", "order.paid"));
  const before = opened.rung.length;
  const said = await emit(mine, { name: "order.paid", payload: { order: 7 } });
  assert.deepEqual([said.name, said.status, said.accepted, said.duplicate, said.rejected], ["order.paid", "accepted", 2, 0, 0]);
  assert.deepEqual(
    said.deliveries.map(({ workflow, trigger, status }) => `${workflow} ${trigger} ${status}`),
    ["a heard accepted", "b heard accepted"],
  );
  assert.ok(opened.rung.length > before);
  const run = await mine.field<{ payload: unknown; workflow: unknown; status: unknown }>(
    "run",
    "query ($id: ID!) { run(id: $id) { payload status } }",
    { id: said.deliveries[0]?.run },
  );
  assert.deepEqual([run.payload, run.status], [{ order: 7 }, "QUEUED"]);
  assert.deepEqual([await startsOf(mine, "c"), await startsOf(other, "a")], [0, 0]);
  const { audit } = (await mine.ask("{ audit { edges { node { action subject detail } } } }")).data as unknown as {
    audit: { edges: readonly { node: { action: string; subject: string; detail: unknown } }[] };
  };
  const [entry] = audit.edges.map(({ node }) => node).filter(({ action }) => action === "signal.emit");
  assert.deepEqual(entry, {
    action: "signal.emit",
    subject: "order.paid",
    detail: { id: said.id, accepted: 2, duplicate: 0, rejected: 0 },
  });
});

test("the same id again starts nothing again, and says which runs it had; with another payload it is refused by each", async () => {
  const tenant = await opened.tenant("signals-kept-back");
  await publishText(tenant, listening("a", "order.paid"));
  const first = await emit(tenant, { name: "order.paid", payload: { n: 1 }, id: "evt-1" });
  await publishText(tenant, listening("b", "order.paid"));
  const again = await emit(tenant, { name: "order.paid", payload: { n: 1 }, id: "evt-1" });
  assert.deepEqual([again.id, again.accepted, again.duplicate, again.deliveries[0]?.run], ["evt-1", 1, 1, first.deliveries[0]?.run]);
  const changed = await emit(tenant, { name: "order.paid", payload: { n: 2 }, id: "evt-1" });
  assert.deepEqual(
    [changed.status, changed.deliveries.map(({ status, code, run }) => [status, code, run])],
    ["rejected", [0, 1].map(() => ["rejected", "WOML_TRIGGER_IDEMPOTENCY_CONFLICT", null])],
  );
  assert.deepEqual([await startsOf(tenant, "a"), await startsOf(tenant, "b")], [1, 1]);
  assert.deepEqual(await deliveriesOf(tenant, "a"), [
    { outcome: "rejected", code: "WOML_TRIGGER_IDEMPOTENCY_CONFLICT", source: "evt-1", kind: "signal" },
    { outcome: "duplicate", source: "evt-1", kind: "signal" },
    { outcome: "accepted", source: "evt-1", kind: "signal" },
  ]);
});

test("each that listens judges by its own schema: who does not take it is written down, and the others start", async () => {
  const tenant = await opened.tenant("signals-schema");
  const schema = '<schema>{"properties":{"n":{"type":"string"}},"required":["id"]}</schema>';
  await publishText(tenant, listening("a", "order.paid", schema));
  await publishText(tenant, listening("b", "order.paid"));
  const said = await emit(tenant, { name: "order.paid", payload: { n: 1 }, id: "1" });
  assert.deepEqual([said.status, said.accepted, said.rejected], ["partial", 1, 1]);
  assert.deepEqual(said.deliveries[0], {
    ...{ workflow: "a", trigger: "heard", status: "rejected", run: null, code: "WOML_TRIGGER_SCHEMA_INVALID" },
    message: "The payload is not as the schema of the trigger says.",
    issues: [
      { path: "/id", message: "is missing" },
      { path: "/n", message: "must be string" },
    ],
  });
  assert.deepEqual(await deliveriesOf(tenant, "a"), [
    { outcome: "rejected", code: "WOML_TRIGGER_SCHEMA_INVALID", source: "1", kind: "signal" },
  ]);
  assert.deepEqual([await startsOf(tenant, "a"), await startsOf(tenant, "b")], [0, 1]);
});

test("what is no signal is refused, and so are names of the platform's own; nobody has to listen", async () => {
  const tenant = await opened.tenant("signals-refused");
  const nobody = await emit(tenant, { name: "order.paid" });
  assert.deepEqual([nobody.status, nobody.deliveries], ["accepted", []]);
  assert.equal(await refusal(tenant, { name: "Order" }), "WOML_EVENT_NAME_INVALID");
  assert.equal(await refusal(tenant, { name: "woml.run-failed" }), "WOML_EVENT_NAME_RESERVED");
  assert.equal(await refusal(tenant, { name: "order.paid", id: "" }), "WOML_EVENT_ID_INVALID");
  assert.equal(await refusal(tenant, { name: "order.paid", payload: [] }), "WOML_PAYLOAD_INVALID");
  assert.equal((await opened.admin.ask(EMIT, { input: { name: "order.paid" } })).errors[0]?.extensions?.["code"], "WOML_FORBIDDEN");
});

const NAMES = Array.from({ length: 1_000 }, (_, nth) => `heard${nth}`);
/** A thousand triggers of one workflow. */
async function crowd(name: string, some: object = {}): Promise<Tenant> {
  const tenant = await opened.tenant(name);
  const common = {
    kind: "signal",
    route: "order.paid",
    spec: { kind: "signal", name: "order.paid", ...some },
    secrets: [],
    nextAt: null,
  } as const;
  await opened.store.withTenant(asTenantId(tenant.id), (scope) =>
    scope.activate(
      "w",
      "sha256:00",
      NAMES.map((trigger) => ({ trigger, ...common })),
    ),
  );
  return tenant;
}

test("a thousand that listen are started in one transaction; a payload that is too much for all of them starts none", async () => {
  const tenant = await crowd("signals-thousand");
  const said = await emit(tenant, { name: "order.paid", payload: { n: 1 }, id: "1" });
  assert.deepEqual([said.accepted, new Set(said.deliveries.map(({ run }) => run)).size], [1_000, 1_000]);
  assert.equal((await emit(tenant, { name: "order.paid", payload: { n: 1 }, id: "1" })).duplicate, 1_000);
  assert.equal((await emit(tenant, { name: "order.paid", payload: { text: "x".repeat(8_300) } })).accepted, 1_000);
  assert.equal(await refusal(tenant, { name: "order.paid", payload: { text: "x".repeat(8_400) } }), "WOML_EVENT_FANOUT_TOO_LARGE");
});

test("of a signal that a thousand reject some keep its payload, for more than a mebibyte none does", async () => {
  const tenant = await crowd("signals-rejected", { schema: { required: ["id"] } });
  const said = await emit(tenant, { name: "order.paid", payload: { text: "x".repeat(60_000) } });
  assert.deepEqual([said.status, said.rejected], ["rejected", 1_000]);
  const rows = await opened.store.withTenant(asTenantId(tenant.id), (scope) =>
    scope.lastDeliveries(NAMES.map((trigger) => ({ workflow: "w", trigger }))),
  );
  assert.deepEqual([rows.length, rows.filter(({ payload }) => payload !== undefined).length], [1_000, 17]);
});

const limit = (tenant: Tenant, name: string, value: number | null): Promise<unknown> =>
  opened.admin.field("setQuota", "mutation ($input: SetQuotaInput!) { setQuota(input: $input) { quota { limit } } }", {
    input: { tenant: tenant.id, name, limit: value },
  });

test("of a signal as much is started as the quota has; the others are written down, and the same id starts them when there is room", async () => {
  const tenant = await opened.tenant("signals-quota");
  for (const id of ["a", "b", "c"]) await publishText(tenant, listening(id, "order.paid"));
  await limit(tenant, "STARTS_PER_SECOND", 2);
  const said = await emit(tenant, { name: "order.paid", payload: { n: 1 }, id: "one" });
  assert.deepEqual([said.status, said.accepted, said.rejected], ["partial", 2, 1]);
  const [, , kept] = said.deliveries;
  assert.deepEqual([kept?.workflow, kept?.status, kept?.code], ["c", "rejected", "WOML_QUOTA_EXCEEDED"]);
  assert.match(kept?.message ?? "", /^the tenant's quota starts-per-second of 2 is used up until 20[\d-]+T[\d:]+\.000Z\.$/);
  assert.deepEqual(await deliveriesOf(tenant, "c"), [{ outcome: "rejected", source: "one", kind: "signal", code: "WOML_QUOTA_EXCEEDED" }]);
  await limit(tenant, "STARTS_PER_SECOND", 0);
  const { errors } = await tenant.ask(EMIT, { input: { name: "order.paid", payload: {}, id: "two" } });
  const { code, quota, retryAfterMs } = errors[0]?.extensions ?? {};
  assert.deepEqual([code, quota, retryAfterMs], ["WOML_QUOTA_EXCEEDED", "starts-per-second", 1_000]);
  assert.equal((await deliveriesOf(tenant, "a")).length, 1, "where none of it can start, nothing of it is stored");
  await limit(tenant, "STARTS_PER_SECOND", null);
  const again = await emit(tenant, { name: "order.paid", payload: { n: 1 }, id: "one" });
  assert.deepEqual([again.accepted, again.duplicate, again.rejected, await startsOf(tenant, "c")], [1, 2, 0, 1]);
});

test("what a quota kept back of a signal is delivered again from the log", async () => {
  const tenant = await opened.tenant("signals-quota-again");
  for (const id of ["a", "b"]) await publishText(tenant, listening(id, "order.paid"));
  await limit(tenant, "STARTS_PER_SECOND", 1);
  const said = await emit(tenant, { name: "order.paid", payload: { n: 7 } });
  assert.deepEqual([said.accepted, said.rejected], [1, 1]);
  await limit(tenant, "STARTS_PER_SECOND", null);
  const workflow = said.deliveries.find(({ status }) => status === "rejected")?.workflow ?? "";
  const found = await tenant.field<{ edges: readonly { node: { id: string } }[] }>(
    "deliveries",
    "query ($of: ID) { deliveries(workflow: $of) { edges { node { id } } } }",
    { of: workflow },
  );
  const AGAIN = "mutation ($input: RedeliverInput!) { redeliver(input: $input) { run { payload } } }";
  const { run } = await tenant.field<{ run: { payload: unknown } }>("redeliver", AGAIN, { input: { delivery: found.edges[0]?.node.id } });
  assert.deepEqual([run.payload, await startsOf(tenant, workflow)], [{ n: 7 }, 1]);
});
