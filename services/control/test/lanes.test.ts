import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { asRunId, asTenantId } from "@woml/run";
import { openForFile, publishText, type Tenant } from "./opened.ts";

const opened = await openForFile();
const LANES = `{ lanes { kind workflow most rateCount rateMs queue active waiting resuming holders { run workflow since } } }`;
const QUOTAS = "{ quotas { name limit used resetsAt } }";
const START = "mutation ($w: ID!, $key: String) { startRun(input: { workflow: $w, idempotencyKey: $key }) { run { id } duplicate } }";
const SET = "mutation ($input: SetQuotaInput!) { setQuota(input: $input) { quota { name limit } } }";
const WAITING = "query ($id: ID!) { run(id: $id) { status waiting } }";

const published = (tenant: Tenant, id: string, config = ""): Promise<string> =>
  publishText(
    tenant,
    `<woml><workflow id="${id}">${config}<triggers><manual id="go" /></triggers><steps><step id="s"><script>return 1;</script></step></steps></workflow></woml>`,
  );
const start = (tenant: Tenant, w: string, key: string | null = null) =>
  tenant.field<{ run: { id: string }; duplicate: boolean }>("startRun", START, { w, key });
const quota = (tenant: Tenant, name: string, limit: number | null) =>
  opened.admin.field("setQuota", SET, { input: { tenant: tenant.id, name, limit } });

test("PC-38 what the active version says of its runs is a lane, which says who holds a place, who waits there and behind whom", async () => {
  const tenant = await opened.tenant("lanes-shown");
  await published(tenant, "plain");
  assert.deepEqual(await tenant.field("lanes", LANES), []);
  await published(tenant, "w", '<config concurrency="1" rate-limit="3/1m" queue="billing" />');
  const { run } = await start(tenant, "w");
  const second = await start(tenant, "w");
  const common = { kind: "WORKFLOW", workflow: "w", most: 1, rateCount: 3, rateMs: 60_000, queue: "billing" };
  assert.deepEqual(await tenant.field("lanes", LANES), [{ ...common, active: 0, waiting: 2, resuming: 0, holders: [] }]);
  const engine = randomUUID();
  const { lease } = await opened.engine.openLease(engine, 60_000);
  await opened.engine.append({
    ...{
      tenant: asTenantId(tenant.id),
      run: asRunId(randomUUID()),
      owner: engine,
      epoch: 1,
      expected: 0,
      at: 1_000,
      set: [],
      cleared: [],
      requests: [],
    },
    events: [{ type: "step_started", data: { node: "s", attempt: 1 } }],
    projection: { status: "running", waitingFor: null, nextDue: 1, holds: true },
    admission: { workflow: "w", version: "v", labels: [], begins: true },
  });
  await lease.release();
  const [lane] = await tenant.field<readonly { readonly active: number; readonly holders: readonly { since: string }[] }[]>("lanes", LANES);
  assert.deepEqual([lane?.active, lane?.holders.length], [1, 1]);
  const shown = await tenant.field<{ status: string; waiting: { cause: string; reason: string } }>("run", WAITING, { id: second.run.id });
  assert.deepEqual([shown.status, shown.waiting.cause], ["QUEUED", "queued"]);
  assert.match(
    shown.waiting.reason,
    /^behind concurrency of workflow w, 1 \(held by run_[\w-]+ since 20[\d-]+T[\d:.]+Z\) and rate-limit of workflow w, 3\/1m, 2 in line$/,
  );
  await published(tenant, "w");
  assert.deepEqual(await tenant.field("lanes", LANES), [], "the version that is active now has no policy");
  assert.ok(run.id);
});

test("a quota of starts refuses what is past it, says when it moves, and counts no repeat of a key", async () => {
  const tenant = await opened.tenant("lanes-starts");
  await published(tenant, "w");
  await quota(tenant, "STARTS_PER_SECOND", 0);
  const { errors } = await tenant.ask(START, { w: "w", key: null });
  const { code, quota: name, limit, resetsAt } = errors?.[0]?.extensions ?? {};
  assert.deepEqual([code, name, limit, Number(String(resetsAt).slice(-4, -1))], ["WOML_QUOTA_EXCEEDED", "starts-per-second", 0, 0]);
  assert.equal((await tenant.field<readonly object[]>("quotas", QUOTAS)).length, 1);
  await quota(tenant, "STARTS_PER_SECOND", 1_000);
  const first = await start(tenant, "w", "k");
  await quota(tenant, "STARTS_PER_SECOND", 0);
  assert.deepEqual(await start(tenant, "w", "k"), { ...first, duplicate: true });
  await quota(tenant, "STARTS_PER_SECOND", null);
  await start(tenant, "w");
  assert.deepEqual(await tenant.field("quotas", QUOTAS), []);
});

test("of starts that come at once no more are taken than the quota has", async () => {
  const tenant = await opened.tenant("lanes-at-once");
  await published(tenant, "w");
  await quota(tenant, "DELIVERIES_PER_MINUTE", 3);
  await quota(tenant, "STARTS_PER_SECOND", 3);
  const began = Date.now();
  const answers = await Promise.all(Array.from({ length: 12 }, () => tenant.ask(START, { w: "w", key: null })));
  const taken = answers.filter(({ errors }) => errors.length === 0).length;
  const windows = Math.ceil((Date.now() - began) / 1_000) + 1;
  assert.ok(taken >= 3 && taken <= 3 * windows, `${taken} in ${windows} windows`);
});

test("the quota of active runs is a lane of the tenant; who is not the administrator sets none", async () => {
  const tenant = await opened.tenant("lanes-active");
  await quota(tenant, "ACTIVE_RUNS", 2);
  const [lane] = await tenant.field<readonly { readonly kind: string; readonly most: number }[]>("lanes", LANES);
  assert.deepEqual([lane?.kind, lane?.most], ["TENANT", 2]);
  assert.deepEqual(await tenant.field("quotas", QUOTAS), [{ name: "ACTIVE_RUNS", limit: 2, used: 0, resetsAt: null }]);
  const input = { tenant: tenant.id, name: "ACTIVE_RUNS", limit: 3 };
  assert.equal((await tenant.ask(SET, { input })).codes[0], "WOML_FORBIDDEN");
  assert.equal((await opened.admin.ask(SET, { input: { ...input, limit: -1 } })).codes[0], "WOML_QUOTA_INVALID");
  const audit = await opened.store.withTenant(asTenantId(tenant.id), (scope) => scope.audit({ first: 5, after: null }));
  assert.ok(JSON.stringify(audit).includes("tenant.quota"));
});

test("10,000 starts wait in lines of a tenant, and the next is refused; one without a policy is taken", async () => {
  const tenant = await opened.tenant("lanes-full");
  await published(tenant, "w", '<config concurrency="1" />');
  await published(tenant, "free");
  const body = { kind: "start", workflow: "w", version: "v", trigger: { kind: "manual", id: "go" }, payload: {}, labels: [] };
  const waiting = Array.from({ length: 9_999 }, () => ({
    id: randomUUID(),
    run: asRunId(randomUUID()),
    scope: "x",
    key: null,
    digest: "",
    body,
  }));
  await Promise.all(waiting.map((one) => opened.store.submit(asTenantId(tenant.id), one)));
  await start(tenant, "w");
  const { errors } = await tenant.ask(START, { w: "w", key: null });
  const { code, limit, retryAfterMs } = errors?.[0]?.extensions ?? {};
  assert.deepEqual([code, limit, retryAfterMs], ["WOML_POLICY_QUEUE_FULL", 10_000, 1_000]);
  await start(tenant, "free");
});

test("a minute's CPU that is used up says so, in the quotas and of what waits for it, and moves with the clock", async () => {
  const tenant = await opened.tenant("lanes-cpu");
  await published(tenant, "w");
  await quota(tenant, "CPU_MS_PER_MINUTE", 0);
  const { run } = await start(tenant, "w");
  const [shown] = await tenant.field<readonly { name: string; limit: number; used: number; resetsAt: string }[]>("quotas", QUOTAS);
  assert.deepEqual([shown?.name, shown?.limit, shown?.used, shown?.resetsAt.slice(17)], ["CPU_MS_PER_MINUTE", 0, 0, "00.000Z"]);
  const found = await tenant.field<{ waiting: { cause: string; reason: string } }>("run", WAITING, { id: run.id });
  assert.match(
    found.waiting.reason,
    /^behind quota cpu-ms-per-minute of the tenant, 0 \(0 used, new at 20[\d-]+T[\d:]+:00\.000Z\), 1 in line$/,
  );
  await quota(tenant, "CPU_MS_PER_MINUTE", null);
  const free = await tenant.field<{ waiting: { reason?: string } }>("run", WAITING, { id: run.id });
  assert.doesNotMatch(String(free.waiting.reason), /quota/);
});

test("who stores more than its quota starts nothing new, is told how much, and waits for no clock", async () => {
  const tenant = await opened.tenant("lanes-stored");
  await published(tenant, "w");
  await quota(tenant, "STORED_BYTES", 5_000_000_000);
  await start(tenant, "w", "k");
  assert.deepEqual(await tenant.field("quotas", QUOTAS), [{ name: "STORED_BYTES", limit: 5_000_000_000, used: 0, resetsAt: null }]);
  await opened.engine.meter();
  await quota(tenant, "STORED_BYTES", 0);
  const { errors } = await tenant.ask(START, { w: "w", key: null });
  const { code, quota: name, limit, used, resetsAt } = errors?.[0]?.extensions ?? {};
  assert.deepEqual([code, name, limit, used, resetsAt], ["WOML_QUOTA_EXCEEDED", "stored-bytes", 0, 0, undefined]);
  assert.equal((await start(tenant, "w", "k")).duplicate, true);
  const wrong = { tenant: tenant.id, name: "STORED_BYTES", limit: 0.5 };
  assert.equal((await opened.admin.ask(SET, { input: wrong })).codes[0], "WOML_QUOTA_INVALID");
  assert.equal((await opened.admin.ask(SET, { input: { ...wrong, name: "ACTIVE_RUNS", limit: 2e9 } })).codes[0], "WOML_QUOTA_INVALID");
});
