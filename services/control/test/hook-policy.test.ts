// What a webhook is answered where its runs stand in line, and where its tenant has used up a quota.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hooked, postTo } from "./hooked.ts";
import { openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const post = postTo(opened);
const SET = "mutation ($input: SetQuotaInput!) { setQuota(input: $input) { quota { limit } } }";

test("a workflow with a policy that makes a line answers queued, one without or with a time-out alone accepted", async () => {
  const tenant = await opened.tenant("policy-hooks");
  const status = async (config: string): Promise<string | undefined> => {
    await publishText(tenant, hooked("lined", { config }));
    return (await post("/t/policy-hooks/hooks/lined")).body.status;
  };
  for (const policy of ['concurrency="1"', 'rate-limit="3/1m"', 'queue="slow"', 'timeout="1h" concurrency="2"'])
    assert.equal(await status(`<config ${policy} />`), "queued", policy);
  for (const config of ["", '<config timeout="1h" />']) assert.equal(await status(config), "accepted", config);
});

test("past a quota of deliveries it is 429 with when to come again, and a repeat of what was taken is still told its run", async () => {
  const tenant = await opened.tenant("quota-hooks");
  await publishText(tenant, hooked("counted"));
  const send = (key: string) => post("/t/quota-hooks/hooks/counted", { headers: { "idempotency-key": key } });
  const first = await send("one");
  await opened.admin.field("setQuota", SET, { input: { tenant: tenant.id, name: "DELIVERIES_PER_MINUTE", limit: 0 } });
  const refused = await send("two");
  assert.deepEqual([refused.status, refused.body.error?.code], [429, "WOML_QUOTA_EXCEEDED"]);
  const retryAfter = Number(refused.headers.get("retry-after"));
  assert.ok(retryAfter >= 1 && retryAfter <= 60, String(retryAfter));
  assert.match(refused.body.error?.message ?? "", /deliveries-per-minute of 0/);
  assert.deepEqual((await send("one")).body, { ...first.body, duplicate: true });
  await opened.admin.field("setQuota", SET, { input: { tenant: tenant.id, name: "DELIVERIES_PER_MINUTE", limit: null } });
  assert.deepEqual((await send("two")).body.duplicate, false, "what was refused had left nothing");
});
