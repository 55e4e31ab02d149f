import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { METRICS, type MetricName, noTelemetry, readTraceparent, traceField } from "../index.ts";
import { headersOf } from "../otel/collector.ts";
import { openTelemetry } from "../otel/open.ts";
import { collect, said, spansIn } from "./collected.ts";
import { readExposition } from "./exposition.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

function listening() {
  const lines: (readonly [string, object, string])[] = [];
  return {
    lines,
    log: {
      warn: (fields: object, message: string) => void lines.push(["warn", fields, message]),
      info: (fields: object, message: string) => void lines.push(["info", fields, message]),
    } as never,
  };
}

test("spans follow from what they were given, say only what is allowed, and end once", async (t) => {
  const collected = await collect(t);
  const { log, lines } = listening();
  const headers = "x-token=a%20b, x-other = c";
  const telemetry = openTelemetry({ service: "woml-test", instance: "i", otlp: { endpoint: `${collected.endpoint}/`, headers }, log });
  const startedAt = Date.now() - 1_000;
  const span = telemetry.span("outer", {
    ...{ parent: PARENT, kind: "server", startedAt, links: [PARENT, "nothing"] },
    attributes: { tenant: "t", attempt: 2, payload: "canary", "": "canary", run: "r".repeat(500) },
  });
  assert.match(span.traceparent ?? "", new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  span.set({ outcome: "ok", secret: "canary" });
  telemetry.span("inner", { parent: span.traceparent }).end("the message with its canary");
  span.end("WOML_SCRIPT_THROWN");
  span.end("WOML_TWICE");
  span.set({ outcome: "canary" });
  const root = telemetry.span("root", { parent: `00-${"0".repeat(32)}-b7ad6b7169203331-01` });
  root.end();
  await telemetry.close();
  const [inner, outer, own, ...more] = spansIn(collected);
  assert.deepEqual(more, []);
  assert.ok(inner && outer && own);
  assert.deepEqual([outer.name, outer.traceId, outer.parentSpanId, outer.kind], ["outer", TRACE, "b7ad6b7169203331", 2]);
  assert.deepEqual([inner.traceId, inner.parentSpanId], [TRACE, outer.spanId]);
  assert.deepEqual([own.parentSpanId, own.traceId === TRACE], [undefined, false]);
  assert.deepEqual(said(outer), {
    ...{ "woml.tenant": "t", "woml.attempt": 2, "woml.run": "r".repeat(128), "woml.outcome": "ok" },
    "error.type": "WOML_SCRIPT_THROWN",
  });
  assert.deepEqual(
    outer.links.map(({ spanId }) => spanId),
    ["b7ad6b7169203331"],
  );
  assert.deepEqual(
    [outer.status, inner.status],
    [
      { code: 2, message: "WOML_SCRIPT_THROWN" },
      { code: 2, message: "failed" },
    ],
  );
  assert.equal(BigInt(outer.startTimeUnixNano) / 1_000_000n, BigInt(startedAt));
  assert.ok(BigInt(outer.endTimeUnixNano) - BigInt(outer.startTimeUnixNano) >= 1_000_000_000n);
  assert.ok(collected.sent.every(({ body }) => !body.includes("canary")));
  assert.deepEqual(collected.sent.map(({ headers: { "x-token": token, "x-other": other } }) => [token, other])[0], ["a b", "c"]);
  assert.match(collected.sent[0]?.body ?? "", /"service.instance.id","value":\{"stringValue":"i"\}/);
  assert.deepEqual(lines, []);
});

test("what a caller does not want traced is not, and its trace goes on", async (t) => {
  const collected = await collect(t);
  const { log } = listening();
  const telemetry = openTelemetry({ service: "woml-test", otlp: { endpoint: collected.endpoint }, log });
  const span = telemetry.span("silent", { parent: PARENT.replace(/01$/, "00") });
  span.end();
  assert.match(span.traceparent ?? "", new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  await telemetry.close();
  assert.deepEqual(spansIn(collected), []);
});

test("metrics: every one of the list, with its labels and no other, in strict Prometheus text, and by OTLP", async (t) => {
  const collected = await collect(t);
  const { log } = listening();
  const telemetry = openTelemetry({ service: "woml-test", otlp: { endpoint: collected.endpoint }, log });
  const kinds = Object.entries(METRICS) as [MetricName, (typeof METRICS)[MetricName]][];
  const odd = { outcome: 'a"b\\c\nd', operation: "query me", capability: "x".repeat(500), tenant: "t", payload: "canary" };
  for (const [name, { kind }] of kinds) {
    if (kind === "counter") telemetry.count(name, 3, odd);
    if (kind === "histogram") for (const value of [0.4, 3, -5, 70, 1e9, Number.NaN]) telemetry.observe(name, value, odd);
    if (kind === "gauge") {
      telemetry.gauge(name, () => 1);
      telemetry.gauge(name, () => 7);
    }
  }
  telemetry.gauge("woml_sandbox_queue", () => Number.NaN);
  telemetry.gauge("woml_sandbox_workers", () => {
    throw new Error("canary");
  });
  const text = await telemetry.exposition();
  const families = readExposition(text);
  assert.doesNotMatch(text, /canary/);
  assert.deepEqual(new Set(families.keys()), new Set(kinds.map(([name]) => name).filter((name) => !/sandbox_(queue|workers)/.test(name))));
  for (const [name, { kind, by, says }] of kinds) {
    const family = families.get(name);
    if (family === undefined) continue;
    assert.deepEqual([family.kind, family.help], [kind, says]);
    const labels = Object.keys(family.samples[0]?.labels ?? {}).filter((label) => label !== "le");
    assert.deepEqual(labels, by.length === 0 || kind === "gauge" ? [] : [...by]);
  }
  assert.equal(families.get("woml_doorbell_lost_total")?.samples[0]?.value, 3);
  assert.equal(families.get("woml_runs_driven")?.samples[0]?.value, 7);
  assert.equal(families.get("woml_append_ms")?.samples.find(({ name }) => name.endsWith("_count"))?.value, 5);
  await telemetry.close();
  const metrics = collected.sent.filter(({ path }) => path === "/v1/metrics");
  assert.ok(metrics.length > 0 && metrics.every(({ body }) => !body.includes("canary") && body.includes("woml_runs_driven")));
});

test("a label with ever new values fills a bounded number of series", async () => {
  const telemetry = openTelemetry({ service: "woml-test", log: listening().log });
  for (let i = 0; i < 2_000; i++) telemetry.count("woml_requests_total", 1, { operation: `o${i}`, outcome: "ok" });
  const samples = readExposition(await telemetry.exposition()).get("woml_requests_total")?.samples ?? [];
  assert.ok(samples.length <= 500, `${samples.length}`);
  assert.equal(
    samples.reduce((sum, { value }) => sum + value, 0),
    2_000,
  );
  await telemetry.close();
});

test("without a collector nothing is traced, and metrics can be scraped", async () => {
  const telemetry = openTelemetry({ service: "woml-test", log: listening().log });
  const span = telemetry.span("nobody", { parent: PARENT });
  span.end();
  assert.equal(span.traceparent, null);
  assert.match(await telemetry.exposition(), /^woml_doorbell_lost_total 0$/m);
  await telemetry.close();
  await telemetry.close();
});

test("a collector that refuses costs one line, and one when it is back; closing waits for it no more than a moment", async (t) => {
  const collected = await collect(t);
  collected.status = 400;
  const { log, lines } = listening();
  const telemetry = openTelemetry({ service: "woml-test", otlp: { endpoint: collected.endpoint, headers: "authorization=canary" }, log });
  const flushed = async (): Promise<void> => {
    const before = collected.sent.length;
    for (let i = 0; i < 512; i++) telemetry.span("one").end();
    while (collected.sent.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await flushed();
  await flushed();
  collected.status = 200;
  await flushed();
  await telemetry.close();
  assert.deepEqual(
    lines.filter(([, fields]) => "what" in fields && fields.what === "spans"),
    [
      ["warn", { what: "spans", reason: "400" }, "the collector of telemetry does not take what it is sent"],
      ["info", { what: "spans" }, "the collector of telemetry takes it again"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /canary|127\.0\.0\.1/);
});

test("a collector that is not there costs neither time nor memory of the work, and two seconds at the end", async () => {
  const { log, lines } = listening();
  const telemetry = openTelemetry({ service: "woml-test", otlp: { endpoint: "http://127.0.0.1:1" }, log });
  const before = process.memoryUsage().heapUsed;
  const began = process.cpuUsage();
  for (let i = 0; i < 100_000; i++) telemetry.span("one", { attributes: { run: `${i}` } }).end();
  assert.ok(process.cpuUsage(began).user < 10_000_000);
  assert.ok(process.memoryUsage().heapUsed - before < 150 * 1024 * 1024);
  const closing = performance.now();
  await telemetry.close();
  assert.ok(performance.now() - closing < 3_000);
  assert.ok(lines.length <= 2, JSON.stringify(lines));
});

test("headers are name=value, and what is none is refused without being quoted", () => {
  assert.deepEqual(headersOf(""), {});
  assert.deepEqual(headersOf("a=b%2Cc,d=%zz, e=f=g"), { a: "b,c", d: "%zz", e: "f=g" });
  for (const text of ["canary", "a b=c", "=canary"]) {
    assert.throws(
      () => headersOf(text),
      (error: Error) => !error.message.includes("canary"),
    );
  }
});

test("a traceparent is read strictly", () => {
  assert.equal(readTraceparent(PARENT), PARENT);
  assert.equal(readTraceparent(`cc-${TRACE}-b7ad6b7169203331-09-more`), PARENT);
  assert.deepEqual(traceField(PARENT), { trace: TRACE });
  const wrong = [
    ...["", "00", PARENT.toUpperCase(), ` ${PARENT}`, `${PARENT}-x`, PARENT.replace("00-", "ff-"), `${PARENT},${PARENT}`],
    ...[
      `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `cc-${TRACE}-b7ad6b7169203331-01${"-x".repeat(500)}`,
    ],
    ...[undefined, null, 1, [PARENT]],
  ];
  for (const one of wrong) assert.deepEqual([readTraceparent(one), traceField(one as string)], [null, {}], String(one));
});

test("whoever does not trace loads nothing of OpenTelemetry", async () => {
  const look = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
    const { noTelemetry } = await import(${JSON.stringify(join(import.meta.dirname, "..", "index.ts"))});
    noTelemetry.span("one").end();
    process.stdout.write(JSON.stringify(seen.filter((url) => url.includes("opentelemetry"))));`;
  const argv = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", look];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  assert.equal(stdout, "[]");
  assert.equal(await noTelemetry.exposition(), "");
});
