import assert from "node:assert/strict";
import { test } from "node:test";
import { readReference } from "../reference.ts";
import { check, choose, codes, marked, result, step, workflow } from "./sources.ts";

for (const [value, path] of [
  ["{{context.payload}}", ["payload"]],
  ["{{context.payload.a.$b._c9}}", ["payload", "a", "$b", "_c9"]],
  ["{{context.trigger.a}}", ["payload", "a"]],
  ["{{context.steps.price}}", ["steps", "price"]],
  ["{{context.steps.price.total}}", ["steps", "price", "total"]],
] as const) {
  test(`${value} is a reference`, () => {
    const read = readReference(value);
    assert.ok(read.kind === "payload" || read.kind === "steps");
    assert.deepEqual(read.path, path);
  });
}

for (const value of [
  "",
  "true",
  "{{context}}",
  "{{context.steps}}",
  "{{context.lines}}",
  "{{ context.payload.a }}",
  "{{context.payload.a}} ",
  "x{{context.payload.a}}",
  "{{context.payload.a}}{{context.payload.b}}",
  "{{context.payload[0]}}",
  "{{context.payload.0}}",
  "{{context.payload.a-b}}",
  "{{context.steps.a_b}}",
  "{{context.steps.A.b}}",
  "{{context.payload..a}}",
  "{{context.payload.a.}}",
  "{{context.payload.a?.b}}",
  "{{context.payload.a()}}",
  "{{context.payload.é}}",
  "{{Context.payload}}",
  "{context.payload}",
  "{{context.iteration}}",
  "{{context.iteration.index.a}}",
  `{{context.payload${".a".repeat(62)}}}`,
  `{{context.payload.${"a".repeat(257)}}}`,
]) {
  test(`${value.slice(0, 60)} is none`, () => assert.equal(readReference(value).kind, "invalid"));
}

const arms = ["x", "y"].map((id) => step(id) + result(`{{context.steps.${id}}}`)) as [string, string];
const on = (test: string) => choose("c", `{{context.steps.${test}}}`, arms);

for (const [name, steps] of [
  ["an earlier step", step("f") + on("f")],
  ["a child of an earlier parallel", `<parallel id="p">${step("a")}${step("b")}</parallel>${on("b.ok")}`],
  [
    "an earlier choose",
    choose("d", "{{context.payload}}", [step("m") + result("{{context.payload}}"), step("n") + result("{{context.steps.n}}")]) + on("d"),
  ],
  [
    "an earlier step, from inside an arm",
    step("f") + choose("c", "{{context.steps.f}}", [step("x") + result("{{context.steps.f}}"), arms[1]]),
  ],
  [
    "an arm's own step, from a choose in that arm",
    choose("d", "{{context.payload}}", [step("m") + on("m") + result("{{context.steps.c}}"), step("n") + result("{{context.steps.n}}")]),
  ],
  [
    "a parallel in an arm",
    choose("c", "{{context.payload}}", [`<parallel id="p">${step("x")}</parallel>${result("{{context.steps.x}}")}`, arms[1]]),
  ],
] as const) {
  test(`a reference sees ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

const NOT = "WOML_REFERENCE_NOT_DOMINATING";
for (const [name, steps, code, mark] of [
  ["a later step", on("later") + step("later"), NOT, "later"],
  ["the choose itself", on("c"), NOT, "c"],
  ["a parallel group", `<parallel id="p">${step("a")}</parallel>${on("p")}`, NOT, "p"],
  ["a sibling arm", choose("c", "{{context.payload}}", [step("x") + result("{{context.steps.y}}"), arms[1]]), NOT, "y"],
  ["nothing", on("nobody"), "WOML_UNKNOWN_REFERENCE", "nobody"],
  [
    "an arm, after it",
    choose("d", "{{context.payload}}", [step("m") + result("{{context.payload}}"), step("n") + result("{{context.payload}}")]) + on("m"),
    NOT,
    "m",
  ],
] as const) {
  test(`a reference does not see ${name}`, () => {
    assert.deepEqual(codes(workflow(steps)), [code]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

for (const [value, path] of [
  ["{{context.item}}", ["item"]],
  ["{{context.item.a.b}}", ["item", "a", "b"]],
  ["{{context.iteration.index}}", ["iteration", "index"]],
  ["{{context.iteration.total}}", ["iteration", "total"]],
] as const) {
  test(`${value} is a reference inside a loop alone`, () => {
    assert.deepEqual(readReference(value), { kind: "iteration", path });
    assert.deepEqual(codes(workflow(choose("c", value, arms))), ["WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH"]);
  });
}

for (const [value, hint] of [
  ["{{ context.payload.a }}", "Write it without blanks: {{context.payload.a}}"],
  ["context.steps.ok.a", "Did you mean {{context.steps.ok.a}}?"],
  ["{context.payload.a}", "Did you mean {{context.payload.a}}?"],
  ["\u0024{context.payload.a}", "Did you mean {{context.payload.a}}?"],
  ["{{steps.ok.a}}", "Did you mean {{context.steps.ok.a}}?"],
  ["payload.a", "Did you mean {{context.payload.a}}?"],
  ["{{context.payload.a > 3}}", "A reference computes nothing and has no indexes: let a step return the value, and name that."],
  ["{{context.payload.a[0]}}", "A reference computes nothing and has no indexes: let a step return the value, and name that."],
  ["{{item.a}}", "Write {{context.payload.<property>}} or {{context.steps.<id>.<property>}}, and nothing else in the attribute."],
] as const) {
  test(`what ${value} may be meant for is told`, () => {
    const [diagnostic, ...more] = check(workflow(choose("c", value, arms))).diagnostics;
    assert.equal(diagnostic?.code, "WOML_INVALID_REFERENCE");
    assert.equal(diagnostic.hint, hint);
    assert.deepEqual(more, []);
    const [items] = check(workflow(`<for-each id="l" items="${value}">${step("i")}</for-each>`)).diagnostics;
    assert.equal(items?.hint, hint.replace(/, and nothing.*/, ".").replace(/^Write \{\{context.p/, "Write one reference: {{context.p"));
  });
}

test("a secret is named nowhere, and named once in the answer", () => {
  for (const steps of [choose("c", "{{secrets.KEY}}", arms), step("{{secrets.KEY}}"), step("a", "", 'name="a {{secrets.KEY}}"')]) {
    assert.deepEqual(codes(workflow(steps)), ["WOML_SECRET_SINK_UNSUPPORTED"]);
  }
});

test("an id inside a refused element is not unknown: its cause is reported", () => {
  assert.deepEqual(codes(workflow(`<parallel id="p"><choose id="ok" /></parallel>${on("ok")}`)), ["WOML_PARALLEL_CHILD_UNSUPPORTED"]);
  assert.deepEqual(codes(workflow(`<stepp id="f" />${on("f")}`)), ["WOML_UNKNOWN_ELEMENT"]);
});

test("a result that stands too early still sees its arm", () => {
  const early = choose("c", "{{context.payload}}", [result("{{context.steps.x}}") + step("x"), arms[1]]);
  assert.deepEqual(codes(workflow(early)), ["WOML_CHOOSE_RESULT_ORDER"]);
});

test("an attribute that holds entities is pointed at as a whole", () => {
  const text = workflow(choose("c", "{{context.steps.nobody}}&amp;", arms));
  assert.deepEqual(marked(text), ["{{context.steps.nobody}}&amp;"]);
});

test("arms, selects and joins of a choice", () => {
  const { definition } = check(workflow(step("f") + on("f.ok") + step("z")));
  assert.deepEqual(
    definition?.edges.map(({ from, to, arm }) => [from, to, arm ?? ""].join(" ").trim()),
    ["c z", "c:select x when-1", "c:select y otherwise", "f c:select", "x c", "y c"],
  );
  assert.equal(definition?.result, "z");
});
