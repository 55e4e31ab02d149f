// One trace, from a caller's own span to what a plugin did, across a platform that was killed in the middle of the run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { plantCluster } from "@woml/platform/testing";
import { startFar } from "../support/far.ts";
import { briefly, type OtlpSpan, startCollector } from "../support/otlp.ts";
import { ended, publish, runUntil, START, scratch, undo, upAs } from "../support/platform.ts";
import { woml } from "../support/woml.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
/** Of the payload, of a secret, of the caller's own words: to be found in no span, no metric and no line of a log. */
const CANARIES = ["Zaunkönig-3141", "sk_live_Eisvogel_2718", "Wiedehopf"] as const;
const [PAYLOAD, SECRET, OPERATION] = CANARIES;

/** Spans of the trace by what they are. */
function named(spans: readonly OtlpSpan[], brief: string): readonly OtlpSpan[] {
  return spans.filter((span) => briefly(span) === brief);
}
function only(spans: readonly OtlpSpan[], brief: string): OtlpSpan {
  const [span, ...more] = named(spans, brief);
  assert.ok(span !== undefined && more.length === 0, `${brief}: ${1 + more.length} of ${spans.map(briefly).join("; ")}`);
  return span;
}

test("PC-54: a mutation, its admission, attempts and operations are one trace, whoever drives the run in the end", async (t) => {
  const collector = await startCollector();
  undo(t, () => collector.close());
  const far = await startFar();
  undo(t, () => far.close());
  let output = "";
  const folder = scratch(t);
  const data = join(folder, ".woml");
  await plantCluster(join(data, "postgres"));
  const ways = {
    env: { WOML_LOG: "debug", OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_HEADERS: "authorization=Wiedehopf" },
    privateHosts: [`127.0.0.1:${far.port}`],
    heard: (text: string) => {
      output += text;
    },
  };
  const first = await upAs(t, data, ways);
  assert.equal((await woml(folder, ["secrets", "set", "KEY"], { stdin: SECRET })).code, 0);
  await publish(
    first,
    `<woml><workflow id="traced"><triggers><manual id="go"/></triggers><steps>
      <step id="one"><script>
        const headers = { authorization: "Bearer " + secrets.KEY };
        await services.http.request({ url: "${far.url}/ok?q=" + context.payload.word, method: "POST", headers, json: context.payload });
        return context.payload.word;
      </script></step>
      <step id="two"><script>await services.http.request({ url: "${far.url}/held?q=" + context.payload.word }); return 2;</script></step>
      <step id="three" retry="2" retry-delay="1s"><script>if (attempt.number === 1) throw new Error(context.payload.word); return 3;</script></step>
    </steps></workflow></woml>`,
  );
  const answer = await fetch(first.graphql, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${first.key}`,
      traceparent: `00-${TRACE}-${CALLER}-01`,
      tracestate: "woml=Wiedehopf",
    },
    body: JSON.stringify({
      query: START.replace("mutation ", `mutation ${OPERATION} `),
      variables: { input: { workflow: "traced", payload: { word: PAYLOAD } } },
      operationName: OPERATION,
    }),
  });
  const { data: started } = (await answer.json()) as { readonly data: { readonly startRun: { readonly run: { readonly id: string } } } };
  const { id } = started.startRun.run;
  while (!far.heard.some(({ path }) => path.startsWith("/held"))) await sleep(25);
  await collector.until(TRACE, (spans) => named(spans, "woml-plugin-host: plugin http.request").length > 0);
  await collector.until(TRACE, (spans) => named(spans, "woml-platform: attempt one").length > 0);
  await first.kill();
  far.release();
  const second = await upAs(t, data, ways);
  const run = await runUntil(second, id, ended);
  assert.deepEqual([run.status, run.result], ["SUCCEEDED", 3]);
  assert.equal(await second.stop(), 0);

  const spans = collector.spans.filter((span) => span.trace === TRACE);
  const request = only(spans, "woml-platform: mutation startRun");
  assert.deepEqual([request.parent, request.kind, request.failure], [CALLER, 2, null]);
  const admit = only(spans, "woml-platform: admit");
  assert.deepEqual([admit.parent, admit.attributes["woml.outcome"]], [request.id, "admitted"]);
  const one = only(spans, "woml-platform: attempt one");
  const two = only(spans, "woml-platform: attempt two");
  const [failed, again, ...more] = named(spans, "woml-platform: attempt three");
  assert.ok(failed && again && more.length === 0);
  for (const attempt of [one, two, failed, again]) assert.equal(attempt.parent, admit.id);
  // The first execution of `two` was killed and says nothing any more; the second says what it is.
  assert.deepEqual([one.attributes["woml.resumed"], one.links], [0, []]);
  assert.deepEqual([two.attributes["woml.resumed"], two.attributes["woml.lost"], two.links], [1, 1, [TRACE]]);
  assert.equal(one.instance, admit.instance);
  assert.notEqual(two.instance, one.instance);
  assert.deepEqual([failed.failure, failed.attributes["woml.outcome"], again.failure], ["failed", "script_threw", null]);
  assert.ok(failed.endedAt < again.startedAt - 500, "no span waits for a backoff");

  const performed = named(spans, "woml-platform: operation perform one");
  assert.deepEqual(
    performed.map(({ parent }) => parent),
    [one.id],
  );
  const [atOne] = named(spans, "woml-plugin-host: plugin http.request").filter(({ parent }) => parent === performed[0]?.id);
  assert.deepEqual([atOne?.kind, atOne?.failure], [2, null]);
  const later = spans.filter(({ name, attributes }) => name.startsWith("operation ") && attributes["woml.node"] === "two");
  assert.ok(
    later.length > 0 && later.every(({ parent, instance }) => parent === two.id || parent === admit.id || instance === one.instance),
  );
  assert.ok(spans.some(({ name, parent }) => name === "plugin http.request" && later.some((span) => span.id === parent)));
  // Each span's parent has come as well, but for what was killed with the first platform.
  const ids = new Set([CALLER, ...spans.map((span) => span.id)]);
  assert.deepEqual(spans.filter(({ parent, instance }) => !ids.has(parent) && instance === two.instance).map(briefly), []);
  assert.ok(spans.every(({ startedAt, endedAt }) => endedAt >= startedAt && endedAt - startedAt < 20_000));

  const attributes = new Set(collector.spans.flatMap((span) => Object.keys(span.attributes)));
  for (const name of attributes) assert.match(name, /^(woml\.[a-z]+|error\.type)$/);
  for (const name of ["woml_step_ms", "woml_append_ms", "woml_requests_total", "woml_runs_driven"])
    assert.ok(collector.metrics.get("woml-platform")?.has(name), name);
  assert.deepEqual(collector.faults, []);
  // What is said once on stdout, to whoever started it, is no log.
  const logs = output.split("\n").filter((line) => line.includes('"level":'));
  assert.ok(logs.length > 0);
  for (const text of [...collector.bodies, ...logs])
    for (const canary of [...CANARIES, first.key, first.admin]) assert.ok(!text.includes(canary), `${canary} in ${text.slice(0, 300)}`);
});
