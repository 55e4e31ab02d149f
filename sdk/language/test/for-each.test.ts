import assert from "node:assert/strict";
import { test } from "node:test";
import { check, choose, codes, marked, result, step, workflow } from "./sources.ts";

const loop = (body = step("x"), items = "{{context.payload.list}}", more = ""): string =>
  `<for-each id="l" items="${items}"${more}>${body}</for-each>`;
const arms = [step("m") + result("{{context.item}}"), step("n") + result("{{context.steps.n}}")] as const;

for (const [name, steps] of [
  ["over the payload", loop(step("x"), "{{context.payload}}")],
  ["over an output", step("s") + loop(step("x"), "{{context.steps.s.list}}")],
  ["with every attribute", loop(step("x"), "{{context.payload.list}}", ' name="N" description="D" concurrency="64"')],
  ["with a result of the item", loop(step("x") + result("{{context.item.id}}"))],
  ["with a result of the iteration", loop(step("x") + result("{{context.iteration.index}}"))],
  ["with a result of its body", loop(step("x") + result("{{context.steps.x}}"))],
  ["with a result from outside", step("s") + loop(step("x") + result("{{context.steps.s}}"))],
  ["with a result that says trigger", loop(step("x") + result("{{context.trigger.a}}"))],
  ["with a choose of its item", loop(choose("c", "{{context.item.ok}}", arms))],
  ["with a parallel last", loop(`<parallel id="p">${step("x")}${step("y")}</parallel>`)],
  [
    "with a choose without an id",
    loop(`<choose><when test="{{context.item}}">${step("x")}</when><otherwise>${step("y")}</otherwise></choose>`),
  ],
] as const) {
  test(`a loop ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

for (const [code, steps, mark] of [
  ["FOR_EACH_EMPTY", loop(""), '<for-each id="l" items="{{context.payload.list}}">'],
  ["FOR_EACH_EMPTY", loop(result("{{context.item}}")), '<for-each id="l" items="{{context.payload.list}}">'],
  ...["[1]", "", "{{context.trigger.list}}", "{{context.item.list}}", "{{context.iteration.index}}", "{{ context.payload }}"].map(
    (items) => ["FOR_EACH_ITEMS_INVALID", loop(step("x"), items), items] as const,
  ),
  ["FOR_EACH_ITEMS_NOT_VISIBLE", loop(step("x"), "{{context.steps.later.list}}") + step("later"), "later"],
  ["FOR_EACH_ITEMS_NOT_VISIBLE", loop(step("x"), "{{context.steps.x.list}}"), "x"],
  ["UNKNOWN_REFERENCE", loop(step("x"), "{{context.steps.nobody}}"), "nobody"],
  ...["0", "65", "-1", "1.5", "01", " 1", "", "all"].map(
    (count) => ["FOR_EACH_CONCURRENCY_INVALID", loop(step("x"), "{{context.payload}}", ` concurrency="${count}"`), count] as const,
  ),
  ["FOR_EACH_RESULT_INVALID", loop(step("x") + result("{{context.item}}") + result("{{context.payload}}")), result("{{context.payload}}")],
  ["FOR_EACH_RESULT_INVALID", loop(step("x") + result("x")), "x"],
  ["FOR_EACH_RESULT_INVALID", loop(step("x") + result("{{context.iteration}}")), "{{context.iteration}}"],
  ["FOR_EACH_RESULT_ORDER", loop(result("{{context.item}}") + step("x")), result("{{context.item}}")],
  ["UNKNOWN_REFERENCE", loop(step("x") + result("{{context.steps.nobody}}")), "nobody"],
  [
    "REFERENCE_NOT_DOMINATING",
    loop() + choose("c", "{{context.steps.x}}", [step("a") + result("{{context.payload}}"), step("b") + result("{{context.payload}}")]),
    "x",
  ],
  [
    "ITERATION_REFERENCE_OUTSIDE_FOR_EACH",
    loop() + choose("c", "{{context.item}}", [step("a") + result("{{context.payload}}"), step("b") + result("{{context.payload}}")]),
    "{{context.item}}",
  ],
] as const) {
  test(`${code} at ${mark}`, () => {
    assert.deepEqual(codes(workflow(steps)), [`WOML_${code}`]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

test("a loop is one node with a graph of its own", () => {
  const { definition, sourceMap, spans } = check(
    workflow(
      loop(step("x", "return context.payload;") + step("y") + result("{{context.item.id}}"), "{{context.payload}}", ' concurrency="1"'),
    ),
  );
  const script = { source: "return 1;", needs: { payload: false, steps: [] } };
  assert.deepEqual(definition?.nodes, [
    {
      ...{ kind: "for-each", id: "l", items: ["payload"], result: ["item", "id"] },
      body: {
        nodes: [
          { kind: "step", id: "x", script: { source: "return context.payload;", needs: { payload: true, steps: [] } } },
          { kind: "step", id: "y", script },
        ],
        edges: [{ from: "x", to: "y" }],
      },
    },
  ]);
  assert.equal(definition?.result, "l");
  assert.deepEqual(Object.keys(sourceMap?.scripts ?? {}), ["x", "y"]);
  assert.ok(spans?.subjects.has("node:l") && spans.subjects.has("node:y"));
});

const steps = (count: number): string => Array.from({ length: count }, (_, n) => step(`s${n}`)).join("");
const either = (first: string, second: string): string =>
  `<choose><when test="{{context.item.ok}}">${first}</when><otherwise>${second}</otherwise></choose>`;
const around = (body: string): string => workflow(`${loop(body, "{{context.payload}}")}${step("after")}`);

for (const [what, body, isLong] of [
  ["eleven steps", steps(11), false],
  ["twelve steps", steps(12), true],
  ["nine steps, and a choice of one or of another", steps(9) + either(step("x"), step("y")), false],
  ["ten steps, and a choice of one or of another", steps(10) + either(step("x"), step("y")), true],
  ["eight steps and a group of two", `${steps(8)}<parallel id="p">${step("x")}${step("y")}</parallel>`, false],
  ["eight steps and a group of three", `${steps(8)}<parallel id="p">${step("x")}${step("y")}${step("z")}</parallel>`, true],
] as const) {
  test(`PC-22: ${what} in a loop: ${isLong ? "10,000 rounds do not fit into a run, which is said" : "10,000 rounds fit into a run"}`, () => {
    const { definition, diagnostics } = check(around(body));
    const told = diagnostics.map(({ code, severity, message }) => [code, severity, /\d+,\d+ events/.exec(message)?.[0]]);
    assert.deepEqual(told, isLong ? [["WOML_FOR_EACH_HISTORY_LONG", "warning", "260,000 events"]] : []);
    assert.ok(definition, "it is a warning");
  });
}
