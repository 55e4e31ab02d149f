// Signals on a platform that runs: scripts, people and doors emit them, the platform tells of runs that fail, and each starts what it starts once.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ended, field, publish, runUntil, start, upForFile } from "../support/platform.ts";
import { woml } from "../support/woml.ts";

const { platform, folder } = await upForFile();
const origin = new URL(platform.graphql).origin;

const flow = (id: string, trigger: string, script: string): string =>
  `<woml><workflow id="${id}"><triggers>${trigger}</triggers><steps><step id="a"><script>${script}</script></step></steps></workflow></woml>`;
const hears = (id: string, name: string, more = ""): string =>
  flow(id, `<event id="heard" name="${name}" ${more}/>`, "return context.payload;");

interface Listed {
  readonly id: string;
  readonly status: string;
}
/** Runs of a workflow, once there are so many, newest first. */
async function runsOf(workflow: string, count: number): Promise<readonly Listed[]> {
  for (let tries = 0; tries < 400; tries++) {
    const query = "query ($workflow: ID) { runs(workflow: $workflow, first: 100) { edges { node { id status } } } }";
    const { edges } = field<{ edges: { node: Listed }[] }>(await platform.ask(query, { workflow }), "runs");
    if (edges.length >= count) return edges.map(({ node }) => node);
    await sleep(50);
  }
  return assert.fail(`${workflow} has no ${count} runs`);
}

test("a script emits a signal: who listens is started with it, and the answer says which run", async () => {
  await publish(platform, hears("packing", "order.paid"));
  await publish(platform, hears("mailing", "order.paid"));
  const emits = `return await services.events.emit("order.paid", { order: context.payload.order }, { name: "paid" });`;
  await publish(platform, flow("paying", '<manual id="go"/>', emits));
  const run = await start(platform, { workflow: "paying", payload: { order: 7 } });
  const seen = await runUntil(platform, run, ended);
  const said = seen.result as unknown as { accepted: number; depth: number; deliveries: { workflowId: string; runId: string }[] };
  assert.deepEqual([seen.status, said.accepted, said.depth], ["SUCCEEDED", 2, 1]);
  for (const [nth, workflow] of ["mailing", "packing"].entries()) {
    const { workflowId, runId } = said.deliveries[nth] ?? assert.fail("too few");
    const started = await runUntil(platform, runId, ended);
    assert.deepEqual([workflowId, started.status, started.result], [workflow, "SUCCEEDED", { order: 7 }]);
  }
});

test("woml signal emit: from a file, once an id, with a table of who heard it; who does not take it makes it fail", async () => {
  await publish(platform, hears("counting", "shop.opened"));
  await publish(
    platform,
    flow("strict", '<event id="heard" name="shop.closed"><schema>{"required":["till"]}</schema></event>', "return 1;"),
  );
  writeFileSync(join(folder, "opened.json"), '{"shop":"Ghent"}');
  const emit = (...args: string[]) => woml(folder, ["signal", "emit", ...args]);
  const first = await emit("shop.opened", "--payload-file", "opened.json", "--id", "day-1", "-o", "json");
  assert.equal(first.code, 0, first.stderr);
  const again = await emit("shop.opened", "--payload", '{"shop":"Ghent"}', "--id", "day-1");
  assert.match(again.stdout, /^shop\.opened +day-1\n.*WORKFLOW.*\ncounting +heard +duplicate +run_/s);
  const [{ id }] = (await runsOf("counting", 1)) as [Listed];
  assert.equal(first.json().deliveries[0].run, id);
  assert.deepEqual((await runUntil(platform, id, ended)).result, { shop: "Ghent" });
  const refused = await emit("shop.closed", "--payload", "{}");
  assert.deepEqual(
    [refused.code, /rejected WOML_TRIGGER_SCHEMA_INVALID +\/till is missing/.test(refused.stdout)],
    [1, true],
    refused.stdout,
  );
  const nobody = await emit("shop.burnt");
  assert.deepEqual([nobody.code, /nobody listens/.test(nobody.stdout)], [0, true]);
  const reserved = await emit("woml.run-failed");
  assert.deepEqual([reserved.code, /WOML_EVENT_NAME_RESERVED/.test(reserved.stderr)], [1, true]);
});

test("the door: a signal comes in with the secret of the trigger, and starts it once an Event-ID", async () => {
  await publish(platform, hears("arrival", "parcel.arrived", 'secret="{{secrets.PARCELS}}"'));
  assert.equal((await woml(folder, ["secrets", "set", "PARCELS"], { stdin: "let-me-in" })).code, 0);
  const headers = { authorization: "Bearer let-me-in", "event-id": "p-1", "content-type": "application/json" };
  const send = async (): Promise<{ status: number; body: { accepted?: number; duplicate?: number; deliveries?: { run: string }[] } }> => {
    const response = await fetch(`${origin}/t/demo/events/parcel.arrived`, { method: "POST", headers, body: '{"parcel":1}' });
    return { status: response.status, body: (await response.json()) as never };
  };
  let first = await send();
  for (; first.status === 503; first = await send()) await sleep(50);
  assert.deepEqual([first.status, first.body.accepted], [202, 1], JSON.stringify(first.body));
  const again = await send();
  assert.deepEqual([again.status, again.body.duplicate], [202, 1]);
  const seen = await runUntil(platform, first.body.deliveries?.[0]?.run ?? "", ended);
  assert.deepEqual(seen.result, { parcel: 1 });
  assert.equal((await runsOf("arrival", 1)).length, 1);
});

test("woml.run-failed: a workflow listens to runs that fail, whichever they are of, and one of its own that fails starts it no more", async () => {
  await publish(platform, flow("fragile", '<manual id="go"/>', 'throw new Error("broken");'));
  const listening = '<event id="heard" name="woml.run-failed"/>';
  await publish(
    platform,
    flow("alarm", listening, 'if (context.payload.workflowId === "fragile") throw new Error("no"); return context.payload;'),
  );
  await publish(platform, flow("second-alarm", listening, "return context.payload;"));
  const run = await start(platform, { workflow: "fragile" });
  assert.equal((await runUntil(platform, run, ended)).status, "FAILED");
  const [alarm] = (await runsOf("alarm", 1)) as [Listed];
  const failed = await runUntil(platform, alarm.id, ended);
  assert.equal(failed.status, "FAILED");
  // Of the failure of fragile, and of that of alarm.
  const heard = await Promise.all((await runsOf("second-alarm", 2)).map(({ id }) => runUntil(platform, id, ended)));
  const payloads = heard.map(
    ({ result }) => result as unknown as { workflowId: string; runId: string; code: string; message: string; at: string },
  );
  assert.deepEqual(payloads.map(({ workflowId, runId }) => `${workflowId} ${runId}`).toSorted(), [`alarm ${alarm.id}`, `fragile ${run}`]);
  for (const { code, message, at } of payloads) assert.ok(code.startsWith("WOML_") && message !== "" && Date.parse(at) > 0);
  await sleep(2_500);
  assert.deepEqual([(await runsOf("alarm", 1)).length, (await runsOf("second-alarm", 2)).length], [1, 2]);
  const listed = await woml(folder, ["triggers", "deliveries", "alarm", "-o", "json"]);
  const outcomes = (listed.json() as { outcome: string; code: string | null }[]).map(({ outcome, code }) => [outcome, code]);
  assert.deepEqual(outcomes, [
    ["rejected", "WOML_EVENT_CYCLE"],
    ["accepted", null],
  ]);
});

test("a quota of starts holds for what a script starts: as many as may begin, the log of deliveries says why not, and who listens to quotas hears of it", async () => {
  for (const id of ["one", "two", "three"]) await publish(platform, hears(id, "crowd.came"));
  await publish(platform, hears("watching", "woml.quota-reached"));
  const later = "await new Promise((resolve) => setTimeout(resolve, 1500));";
  await publish(
    platform,
    flow("crowd", '<manual id="go"/>', `${later} return await services.events.emit("crowd.came", { n: 1 }, { name: "e" });`),
  );
  const quota = (limit: string) => woml(folder, ["tenants", "quota", "demo", "starts-per-second", limit]);
  assert.equal((await quota("2")).code, 0);
  const run = await start(platform, { workflow: "crowd" });
  const { result } = await runUntil(platform, run, ended);
  const said = result as unknown as {
    status: string;
    accepted: number;
    deliveries: { workflowId: string; status: string; code?: string }[];
  };
  assert.deepEqual([said.status, said.accepted], ["partial", 2]);
  const kept = said.deliveries.find(({ status }) => status === "rejected");
  assert.deepEqual([kept?.workflowId, kept?.code], ["two", "WOML_QUOTA_EXCEEDED"]);
  const [heard] = (await runsOf("watching", 1)) as [Listed];
  const reached = (await runUntil(platform, heard.id, ended)).result as unknown as { quota: string; limit: number };
  assert.deepEqual([reached.quota, reached.limit], ["starts-per-second", 2]);
  assert.equal((await quota("none")).code, 0);
  const listed = (await woml(folder, ["triggers", "deliveries", "two", "-o", "json"])).json() as {
    id: string;
    outcome: string;
    code: string;
  }[];
  assert.deepEqual(
    listed.map(({ outcome, code }) => [outcome, code]),
    [["rejected", "WOML_QUOTA_EXCEEDED"]],
  );
  assert.equal((await woml(folder, ["triggers", "redeliver", listed[0]?.id ?? ""])).code, 0);
  const [again] = (await runsOf("two", 1)) as [Listed];
  assert.deepEqual((await runUntil(platform, again.id, ended)).result, { n: 1 });
});
