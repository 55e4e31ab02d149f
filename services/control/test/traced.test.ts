import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attributes, memoryDoorbell, noTelemetry, openLog, type SpanOptions, type Telemetry } from "@woml/boot";
import { parse } from "graphql";
import { startControl } from "../index.ts";
import { askedFor } from "../traced.ts";
import { ask, send, stubStore, tenantKey } from "./stub.ts";

interface Told {
  readonly name: string;
  readonly options: SpanOptions;
  readonly set: Attributes[];
  ended: (string | undefined)[];
}

function listening(): {
  readonly telemetry: Telemetry;
  readonly spans: Told[];
  readonly figures: (readonly [string, Attributes | undefined])[];
} {
  const spans: Told[] = [];
  const figures: (readonly [string, Attributes | undefined])[] = [];
  const telemetry: Telemetry = {
    ...noTelemetry,
    span: (name, options = {}) => {
      const told: Told = { name, options, set: [], ended: [] };
      spans.push(told);
      return { traceparent: null, set: (given) => void told.set.push(given), end: (failure) => void told.ended.push(failure) };
    },
    count: (metric, _, attributes) => void figures.push([metric, attributes]),
    observe: (metric, _, attributes) => void figures.push([metric, attributes]),
  };
  return { telemetry, spans, figures };
}

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("a request is one span, named by the schema's words, in its caller's trace, and two figures", async (t) => {
  const { telemetry, spans, figures } = listening();
  const log = openLog("control-test", "silent");
  const control = await startControl({
    ...{ store: stubStore(), doorbell: memoryDoorbell(), log, telemetry, sealKey: "" },
    ...{ host: "127.0.0.1", port: 0 },
  });
  t.after(() => control.stop());
  const query = "query Geheim { mine: me { tenant { name } } ... on Query { me { keyId } } }";
  const headers = { traceparent: PARENT };
  await send(control.url, JSON.stringify({ query: "query Geheim { me { __typename } }" }), headers);
  await send(control.url, JSON.stringify({ query }), headers);
  await ask(control.url, "{ Geheim }");
  await ask(control.url, "mutation ($id: ID!) { cancelRun(run: $id) { id } }", { id: "Geheim" });
  await send(control.url, "{", { traceparent: `${PARENT}-01` });
  await send(control.url, "{}", { authorization: "Bearer Geheim" });
  assert.deepEqual(
    spans.map(({ name, options, ended }) => [name, options.kind, options.parent, ended]),
    [
      ["query me", "server", PARENT, [undefined]],
      ["refused", "server", PARENT, ["WOML_QUERY_INVALID"]],
      ["refused", "server", null, ["WOML_QUERY_INVALID"]],
      ["refused", "server", null, ["WOML_QUERY_INVALID"]],
      ["refused", "server", null, ["WOML_BODY_INVALID"]],
      ["refused", "server", null, ["WOML_UNAUTHENTICATED"]],
    ],
  );
  assert.deepEqual(figures[0], ["woml_requests_total", { operation: "query me", outcome: "ok" }]);
  assert.deepEqual(figures[1], ["woml_request_ms", { operation: "query me" }]);
  assert.doesNotMatch(JSON.stringify([spans, figures]), /Geheim|Bearer/);
  assert.ok(!JSON.stringify(spans).includes(tenantKey.text));
});

test("an operation is told by its kind and its fields: few in a name, one in a label", () => {
  const named = (text: string, operationName: string | null = null) => askedFor(parse(text), operationName);
  assert.deepEqual(named("{ a { b } x: c }"), { name: "query a, c", label: "query several" });
  assert.deepEqual(named("mutation M { a: startRun b: startRun }"), { name: "mutation startRun", label: "mutation startRun" });
  assert.deepEqual(named("{ a b c d e }"), { name: "query a, b, c …", label: "query several" });
  assert.deepEqual(named("{ ...F ...F } fragment F on Query { a ...G } fragment G on Query { ...F b }"), {
    ...{ name: "query a, b", label: "query several" },
  });
  const two = "query A { a } mutation B { b }";
  assert.deepEqual(named(two, "B"), { name: "mutation b", label: "mutation b" });
  assert.deepEqual(named(two), { name: "refused", label: "refused" });
});
