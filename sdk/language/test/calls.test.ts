import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, step, workflow } from "./sources.ts";

/** `imports` stands in front of the workflow of `steps`. */
const document = (imports: string, steps: string): string => workflow(steps).replace("<woml>", `<woml><imports>${imports}</imports>`);
const uses = (as: string, capability = "acme.payments", version = "^1"): string =>
  `<uses capability="${capability}" version="${version}" as="${as}"/>`;
const script = (body: string): string => document(uses("pay"), step("a", `services.pay.quote(); ${body}`));

/** What the script of `body` may call and name. */
function reach(body: string): readonly [readonly string[], readonly string[]] {
  const { definition, diagnostics } = check(document(uses("pay"), step("a", body) + step("b", "return services.pay.quote()")));
  assert.deepEqual(diagnostics, []);
  const node = definition?.nodes.find(({ id }) => id === "a");
  assert.ok(node?.kind === "step");
  return [node.script.calls ?? [], node.script.secrets ?? []];
}

for (const [body, calls, secrets] of [
  ["return 1", [], []],
  ["return services.pay.charge({}, { name: 'once' })", ["pay.charge"], []],
  ["const f = () => services.pay.quote({}); return services . pay /* */ .charge(f)", ["pay.charge", "pay.quote"], []],
  ["return services.http.request({})", ["http.request"], []],
  ["return fetch('x')", ["http.request"], []],
  ["return \\u0066etch('x')", ["http.request"], []],
  ["const get = fetch; return get('x')", ["http.request"], []],
  ["const { fetch: mine } = {}; return mine", [], []],
  [
    "return services.http.request({ headers: { a: 'Bearer ' + secrets.B_2 }, json: [secrets.A, secrets.A] })",
    ["http.request"],
    ["A", "B_2"],
  ],
  ["const o = { services: 1, secrets: { KEY: 2 } }; return o.secrets.KEY + o.services", [], []],
] as const) {
  test(`reach of: ${body}`, () => assert.deepEqual(reach(body), [calls, secrets]));
}

const VALUE = "WOML_SCRIPT_SERVICE_ACCESS_UNSUPPORTED";
const DYNAMIC = "WOML_SCRIPT_SERVICE_ACCESS_DYNAMIC";
const WRITE = "WOML_SCRIPT_SERVICE_WRITE_UNSUPPORTED";
for (const [body, code, mark] of [
  ["const s = services", VALUE, "services"],
  ["const { pay } = services", VALUE, "services"],
  ["return { services }", VALUE, "services"],
  ["f(services)", VALUE, "services"],
  ["const p = services.pay", VALUE, "services.pay"],
  ["[1].map(services.pay.charge)", VALUE, "services.pay.charge"],
  ["new services.pay.charge()", VALUE, "services.pay.charge"],
  ["services.pay.charge.call(null)", VALUE, "services.pay.charge"],
  ["services.pay.charge`x`", VALUE, "services.pay.charge"],
  ["services['pay'].charge()", DYNAMIC, "services['pay']"],
  ["services?.pay.charge()", DYNAMIC, "services?.pay"],
  ["services.pay?.charge()", DYNAMIC, "services.pay?.charge"],
  ["services.pay[x]()", DYNAMIC, "services.pay[x]"],
  ["services = 1", WRITE, "services"],
  ["services.pay = 1", WRITE, "services.pay"],
  ["services.pay.charge = 1", WRITE, "services.pay.charge"],
  ["[services.pay] = []", WRITE, "services.pay"],
  ["delete services.pay", WRITE, "services.pay"],
  ["services.nope.go()", "WOML_MODULE_SERVICE_UNKNOWN", "services.nope.go"],
  ["services.constructor.go()", "WOML_MODULE_SERVICE_UNKNOWN", "services.constructor.go"],
  ["const n = services.nope", "WOML_MODULE_SERVICE_UNKNOWN", "services.nope"],
  ["services.state.gte('x')", "WOML_OPERATION_UNKNOWN", "services.state.gte"],
  ["services.workflows.run('x', {})", "WOML_WORKFLOW_OPERATION_UNSUPPORTED", "services.workflows.run"],
  ["const w = services.workflows", "WOML_WORKFLOW_OPERATION_UNSUPPORTED", "services.workflows"],
  ["services.telegram.sendMessage({})", "WOML_TELEGRAM_OPERATION_UNSUPPORTED", "services.telegram.sendMessage"],
  ["const f = services.telegram.send", "WOML_TELEGRAM_OPERATION_UNSUPPORTED", "services.telegram.send"],
  ["services.workflows['call']('x', {})", "WOML_WORKFLOW_OPERATION_UNSUPPORTED", "services.workflows['call']"],
  ["services.http.requets({})", "WOML_OPERATION_UNKNOWN", "services.http.requets"],
  ["services.http.Get({})", "WOML_OPERATION_UNKNOWN", "services.http.Get"],
  ["services.http.request = 1", WRITE, "services.http.request"],
  ["services.pay.Charge()", "WOML_OPERATION_UNKNOWN", "services.pay.Charge"],
  ["services.pay.$()", "WOML_OPERATION_UNKNOWN", "services.pay.$"],
  ["f(secrets)", "WOML_SCRIPT_SECRET_ACCESS_UNSUPPORTED", "secrets"],
  ["const { KEY } = secrets", "WOML_SCRIPT_SECRET_ACCESS_UNSUPPORTED", "secrets"],
  ["secrets['KEY']", "WOML_SCRIPT_SECRET_ACCESS_DYNAMIC", "secrets['KEY']"],
  ["secrets?.KEY", "WOML_SCRIPT_SECRET_ACCESS_DYNAMIC", "secrets?.KEY"],
  ["secrets.KEY = 1", "WOML_SCRIPT_SECRET_WRITE_UNSUPPORTED", "secrets.KEY"],
  ["secrets.key", "WOML_SCRIPT_SECRET_NAME_INVALID", "secrets.key"],
  ["secrets._A", "WOML_SCRIPT_SECRET_NAME_INVALID", "secrets._A"],
] as const) {
  test(`${code}: ${body}`, () => {
    assert.deepEqual(codes(script(body)), [code]);
    assert.deepEqual(marked(script(body)), [mark]);
  });
}

test("a script calls 256 operations and names 64 secrets, and not one more", () => {
  const calls = (count: number): string => Array.from({ length: count }, (_, at) => `services.pay.op${at}();`).join("");
  const secrets = (count: number): string => Array.from({ length: count }, (_, at) => `secrets.S${at};`).join("");
  assert.deepEqual(codes(document(uses("pay"), step("a", calls(256) + secrets(64)))), []);
  assert.deepEqual(codes(document(uses("pay"), step("a", calls(257)))), ["WOML_SCRIPT_TOO_COMPLEX"]);
  assert.deepEqual(codes(script(secrets(65))), ["WOML_SCRIPT_SECRET_LIMIT_EXCEEDED"]);
  assert.deepEqual(marked(script(secrets(65))), ["secrets.S64"]);
});

test("what is named and called stands in the definition by alias, http by itself; what is not called does not, and a remark says so", () => {
  const text = document(
    uses("pay", "acme.payments", ">=1.2.0 <2.0.0") + uses("mail", "mail"),
    step("a", "fetch('x'); services.pay.charge()"),
  );
  const { definition, diagnostics } = check(text);
  assert.deepEqual(definition?.uses, [
    { alias: "http", capability: "http", range: "*" },
    { alias: "pay", capability: "acme.payments", range: ">=1.2.0 <2.0.0" },
  ]);
  assert.deepEqual(
    diagnostics.map(({ code, severity }) => [code, severity]),
    [["WOML_MODULE_UNUSED", "warning"]],
  );
  assert.deepEqual(marked(text), [uses("mail", "mail")]);
});

test("a definition that calls nothing does not say so", () => {
  const { definition } = check(workflow(step("a")));
  assert.ok(definition && !("uses" in definition));
  assert.ok(definition.nodes.every((node) => node.kind !== "step" || !("calls" in node.script || "secrets" in node.script)));
});

test("publish is told where everything stands", () => {
  const text = document(
    uses("pay"),
    step("a", "fetch(1); services.pay.charge(secrets.KEY); services.pay.charge()") + step("b", "services.http.get()"),
  );
  const { spans } = check(text);
  assert.ok(spans);
  const shown = (of: ReadonlyMap<string, { start: { offset: number }; end: { offset: number } }> | undefined) =>
    Object.fromEntries([...(of ?? [])].map(([name, { start, end }]) => [name, text.slice(start.offset, end.offset)]));
  assert.deepEqual(shown(spans.uses), { pay: uses("pay"), http: "fetch" });
  assert.deepEqual(shown(spans.calls.get("a")), { "http.request": "fetch", "pay.charge": "services.pay.charge" });
  assert.deepEqual(shown(spans.calls.get("b")), { "http.get": "services.http.get" });
  assert.deepEqual(shown(spans.secrets.get("a")), { KEY: "secrets.KEY" });
  assert.equal(spans.calls.get("a")?.get("pay.charge")?.start.offset, text.indexOf("services.pay.charge"));
});
