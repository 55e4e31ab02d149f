// One trace over the processes of a cluster, of which the engine is killed in the middle of the run and started again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { briefly, type OtlpSpan, startCollector } from "../support/otlp.ts";
import { ended, field, publish, runUntil, START, undo } from "../support/platform.ts";
import { freePort } from "../support/port.ts";
import { redisLacks } from "../support/redis.ts";
import { acmeFor, newTenant, review } from "../support/review.ts";
import { asking } from "./asking.ts";
import { API_KEY, openCluster } from "./ground.ts";

const lacks = redisLacks();
const skip = lacks !== null && process.env["WOML_REQUIRE_ALL"] !== "1" ? lacks : false;

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const PAYLOAD = "Zaunkönig-3141";
const TEXT = `<woml><imports><uses capability="acme.payments" version="^1" as="payments"/></imports>
  <workflow id="pays"><triggers><manual id="go"/></triggers><steps>
    <step id="hold"><script>return await services.payments.hold({ amount: 1, currency: "EUR", customer: context.payload.who });</script></step>
    <step id="pay"><script>
      return await services.payments.charge({ amount: 2, currency: "EUR", customer: context.payload.who }, { name: "charge" });
    </script></step>
  </steps></workflow></woml>`;
const SECRET = "mutation ($input: SetSecretInput!) { setSecret(input: $input) { secret { name } } }";
const ROLES = ["control", "engine", "plugin-host"] as const;

const has = (spans: readonly OtlpSpan[], brief: string): boolean => spans.some((span) => briefly(span) === brief);

test("control, engine, its successor and the plugin host tell one trace, and nothing that is nobody's business", { skip }, async (t) => {
  const collector = await startCollector();
  undo(t, () => collector.close());
  const health = Object.fromEntries(await Promise.all(ROLES.map(async (role) => [role, `127.0.0.1:${await freePort()}`] as const)));
  const told = (role: (typeof ROLES)[number]) => ({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_HEADERS: "authorization=Wiedehopf" },
    ...{ WOML_HEALTH_LISTEN: health[role] ?? "", WOML_LOG: "debug" },
  });
  const cluster = await openCluster({
    counts: { control: 1, engine: 1, sandbox: 1, "plugin-host": 1 },
    env: Object.fromEntries(ROLES.map((role) => [role, told(role)])),
  });
  undo(t, () => cluster.close());
  let key = "";
  const ask = asking(cluster.urls, () => key);
  const tenant = await newTenant({ ask, key, admin: cluster.admin }, "traced");
  key = tenant.key;
  const platform = { ask, key, admin: cluster.admin };
  await review(platform, await acmeFor(Number(new URL(cluster.ledger.url).port)), [tenant.id]);
  field(await ask(SECRET, { input: { name: "ACME_API_KEY", value: API_KEY } }), "setSecret");
  await publish(platform, TEXT);
  await cluster.ledger.answerLate(4_000);
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}`, traceparent: `00-${TRACE}-${CALLER}-01` };
  const body = JSON.stringify({ query: START, variables: { input: { workflow: "pays", payload: { who: PAYLOAD } } } });
  const answer = await (await fetch(cluster.urls[0] ?? "", { method: "POST", headers, body })).json();
  const { id } = (answer as { data: { startRun: { run: { id: string } } } }).data.startRun.run;
  await collector.until(
    TRACE,
    (spans) => has(spans, "woml-engine: attempt hold") && has(spans, "woml-plugin-host: plugin acme.payments.hold"),
  );
  const [engine] = cluster.nodes.filter(({ role }) => role === "engine");
  await engine?.kill();
  await engine?.start();
  const run = await runUntil(platform, id, ended, 60_000);
  assert.equal(run.status, "SUCCEEDED", JSON.stringify(run.failure));
  const pages = await Promise.all(ROLES.map(async (role) => (await fetch(`http://${health[role]}/metrics`)).text()));
  const exits = await cluster.stopAll();
  assert.deepEqual(Object.values(exits), [0, 0, 0, 0]);

  const spans = collector.spans.filter((span) => span.trace === TRACE);
  const one = (brief: string): OtlpSpan => {
    const [span, ...more] = spans.filter((each) => briefly(each) === brief);
    assert.ok(span !== undefined && more.length === 0, `${brief}: ${1 + more.length} of ${spans.map(briefly).join("; ")}`);
    return span;
  };
  const [request, admit, hold, pay] = ["control: mutation startRun", "engine: admit", "engine: attempt hold", "engine: attempt pay"].map(
    (brief) => one(`woml-${brief}`),
  );
  assert.equal(request?.parent, CALLER);
  assert.equal(admit?.parent, request?.id);
  for (const attempt of [hold, pay]) assert.equal(attempt?.parent, admit?.id);
  assert.deepEqual([hold?.instance === admit?.instance, pay?.instance === admit?.instance], [true, false]);
  assert.deepEqual([pay?.attributes["woml.resumed"], pay?.attributes["woml.lost"]], [1, 1]);
  const operations = spans.filter(({ name }) => name.startsWith("operation "));
  for (const [node, attempt] of [
    ["hold", hold],
    ["pay", pay],
  ] as const) {
    const asked = operations.filter(({ attributes, instance }) => attributes["woml.node"] === node && instance === attempt?.instance);
    assert.ok(asked.length > 0 && asked.every(({ parent }) => parent === attempt?.id || parent === admit?.id), node);
  }
  const held = spans.find(({ name }) => name === "plugin acme.payments.hold");
  assert.equal(operations.find((each) => each.id === held?.parent)?.attributes["woml.node"], "hold");
  const ids = new Set([CALLER, ...spans.map((span) => span.id)]);
  assert.deepEqual(spans.filter(({ parent, instance }) => !ids.has(parent) && instance === pay?.instance).map(briefly), []);

  const [, ofEngine = ""] = pages;
  for (const name of ["woml_inbox_age_ms", "woml_lease_left_ms", "woml_append_batch_runs_count", "woml_step_ms_bucket"])
    assert.match(ofEngine, new RegExp(`^${name}[ {]`, "m"));
  for (const service of ROLES) assert.ok((collector.metrics.get(`woml-${service}`)?.size ?? 0) > 0, service);
  assert.deepEqual(collector.faults, []);
  const hidden = [...cluster.secrets, PAYLOAD, "Wiedehopf", key];
  for (const text of [...collector.bodies, ...pages, cluster.logs()])
    for (const canary of hidden) assert.ok(!text.includes(canary), canary);
});
