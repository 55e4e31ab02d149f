import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, step, workflow } from "./sources.ts";

const TRIGGERS = '<triggers><manual id="go" /></triggers>';
const configured = (config: string): string => workflow(step("a"), `${TRIGGERS}${config}`);
const config = (attributes: string): string => configured(`<config ${attributes} />`);
const [CONCURRENCY, RATE, QUEUE, TIMEOUT] = ["CONCURRENCY", "RATE_LIMIT", "QUEUE", "TIMEOUT"].map((what) => `WOML_CONFIG_${what}_INVALID`);

for (const [attributes, policy] of [
  ['timeout="1ms"', { timeoutMs: 1 }],
  ['timeout="365d"', { timeoutMs: 31_536_000_000 }],
  ['timeout="1.5s"', { timeoutMs: 1_500 }],
  ['timeout="0.001s"', { timeoutMs: 1 }],
  ['concurrency="1"', { concurrency: 1 }],
  ['concurrency="1000000"', { concurrency: 1_000_000 }],
  ['rate-limit="1/1ms"', { rateLimit: { count: 1, windowMs: 1 } }],
  ['rate-limit="1000000/365d"', { rateLimit: { count: 1_000_000, windowMs: 31_536_000_000 } }],
  ['rate-limit="10/0.5m"', { rateLimit: { count: 10, windowMs: 30_000 } }],
  ['queue="a"', { queue: "a" }],
  ['queue="billing.eu_1-b2"', { queue: "billing.eu_1-b2" }],
  [`queue="${"q".repeat(128)}"`, { queue: "q".repeat(128) }],
  [
    'queue="q" rate-limit="1/1s" concurrency="2" timeout="3s"',
    { timeoutMs: 3_000, concurrency: 2, rateLimit: { count: 1, windowMs: 1_000 }, queue: "q" },
  ],
] as const) {
  test(`taken: ${attributes.slice(0, 60)}`, () => {
    const { definition, diagnostics } = check(config(attributes));
    assert.deepEqual(diagnostics, []);
    assert.deepEqual(definition?.policy, policy);
  });
}

for (const [name, code, values] of [
  [
    "concurrency",
    CONCURRENCY,
    ["", "0", "-1", "+1", "01", "1.5", "1e3", " 1", "1 ", "1000001", "1".repeat(400_000), "{{context.payload.n}}", "²"],
  ],
  ["timeout", TIMEOUT, ["", "0ms", "0s", "1", "s", "1 s", " 1s", "+1s", "-1s", "01s", "1.s", ".5s", "0.5ms", "1e3ms", "1S", "1w", "366d"]],
  ["queue", QUEUE, ["", "A", "1a", "a-", "a--b", ".a", "a b", "a/b", "ä", "q".repeat(129), `q${"-q".repeat(200_000)}`]],
  ["rate-limit", RATE, ["", "1", "/1s", "0/1s", "1000001/1s", "01/1s", " 1/1s", "+1/1s", "a/b"]],
] as const) {
  for (const value of values) {
    test(`${name}="${value.slice(0, 30)}" is refused at the value`, () => {
      assert.deepEqual(codes(config(`${name}="${value}"`)), [code]);
      assert.deepEqual(marked(config(`${name}="${value}"`)), [value]);
    });
  }
}

for (const window of ["", "0s", "1", "1x", " 1s", "366d", "1s/1s", "{{context.payload.n}}"]) {
  test(`rate-limit="10/${window}" is refused at the window`, () => {
    const text = config(`rate-limit="10/${window}"`);
    assert.deepEqual(codes(text), [RATE]);
    assert.deepEqual(marked(text), [window]);
  });
}

for (const [text, code, mark] of [
  [configured("<config/>"), "WOML_CONFIG_EMPTY", "<config/>"],
  [configured("<config><timeout>5m</timeout></config>"), "WOML_UNKNOWN_ELEMENT", "<timeout>"],
  [config('retry="2"'), "WOML_CONFIG_ATTRIBUTE_UNKNOWN", "retry"],
  [config('Timeout="1s"'), "WOML_CONFIG_ATTRIBUTE_UNKNOWN", "Timeout"],
  [configured('<config queue="a"> x </config>'), "WOML_CONFIG_CHILD_NOT_ALLOWED", " x"],
  [configured('<config queue="a"><step id="x" /></config>'), "WOML_CONFIG_CHILD_NOT_ALLOWED", '<step id="x" />'],
  [configured('<config queue="a" /><config queue="b" />'), "WOML_CONFIG_DUPLICATE", '<config queue="b" />'],
  [config('queue="{{secrets.QUEUE}}"'), "WOML_SECRET_SINK_UNSUPPORTED", "{{secrets.QUEUE}}"],
] as const) {
  test(`${code}: ${mark}`, () => {
    assert.deepEqual(codes(text), [code]);
    assert.deepEqual(marked(text), [mark]);
  });
}

test("blanks and comments in <config> are nothing, and where it stands does not matter", () => {
  const text = `<woml><workflow id="w"><config queue="a"> <!-- c -->\n</config><steps>${step("a")}</steps>${TRIGGERS}</workflow></woml>`;
  assert.deepEqual(codes(text), []);
  assert.deepEqual(check(text).definition?.policy, { queue: "a" });
});

test("a slip of the pen is told from a wrong idea", () => {
  assert.equal(check(config('concurency="2"')).diagnostics[0]?.hint, "Did you mean concurrency?");
  assert.equal(check(config('colour="2"')).diagnostics[0]?.hint, "It has concurrency, timeout, rate-limit, queue.");
});

test("what publish may refuse of a policy has its place: the name of the attribute", () => {
  const text = config('queue="q" concurrency="2"');
  const { spans } = check(text);
  const at = (subject: string): string => {
    const span = spans?.subjects.get(subject);
    return text.slice(span?.start.offset, span?.end.offset);
  };
  assert.equal(at("policy:queue"), "queue");
  assert.equal(at("policy:concurrency"), "concurrency");
});
