import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, result, step, workflow } from "./sources.ts";

const one = step("one");
const arm = (id: string): string => step(id) + result(`{{context.steps.${id}}}`);
const kase = (value: string, body: string): string => `<case value="${value}">${body}</case>`;
const rest = (body: string): string => `<default>${body}</default>`;
const withId = (body: string, value = "{{context.payload.k}}"): string => `<switch id="s" value="${value}">${body}</switch>`;
const without = (body: string, more = ""): string => `<switch${more} value="{{context.payload.k}}">${body}</switch>${one}`;
const SWITCH = '<switch id="s" value="{{context.payload.k}}">';
const CASE = '<case value="a">';

for (const [name, steps] of [
  ["with an id", withId(kase("a", arm("x")) + rest(arm("y")))],
  ["without one", without(kase("a", step("x")) + kase("b", step("z")) + rest(step("y")))],
  ["of an output", one + withId(kase("a", arm("x")) + rest(arm("y")), "{{context.steps.one.kind}}")],
  ["whose cases look like references", withId(kase("{{context.payload.k}}", arm("x")) + kase(" ", arm("z")) + rest(arm("y")))],
  ["whose cases differ by case alone", withId(kase("a", arm("x")) + kase("A", arm("z")) + rest(arm("y")))],
] as const) {
  test(`a switch ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

for (const [code, steps, mark] of [
  ["SWITCH_CASE_REQUIRED", withId(rest(arm("y"))), SWITCH],
  ["SWITCH_CASE_REQUIRED", withId(""), SWITCH],
  ["SWITCH_DEFAULT_ORDER", withId(kase("a", arm("x"))), SWITCH],
  ["SWITCH_DEFAULT_ORDER", withId(rest(arm("y")) + kase("a", arm("x"))), "<default>"],
  ["SWITCH_DEFAULT_ORDER", withId(`${kase("a", arm("x"))}${rest(arm("y"))}<default >${arm("z")}</default>`), "<default >"],
  ["SWITCH_CASE_VALUE_EMPTY", withId(kase("", arm("x")) + rest(arm("y"))), ""],
  ["SWITCH_CASE_DUPLICATE", withId(kase("a&amp;", arm("x")) + kase("a&", arm("z")) + rest(arm("y"))), "a&"],
  ["SWITCH_ARM_EMPTY", withId(kase("a", "") + rest(arm("y"))), CASE],
  ["SWITCH_ARM_EMPTY", withId(kase("a", result("{{context.payload}}")) + rest(arm("y"))), CASE],
  ["SWITCH_ARM_EMPTY", without(`${kase("a", step("x"))}<default />`), "<default />"],
  ["SWITCH_RESULT_REQUIRED", withId(kase("a", step("x")) + rest(arm("y"))), CASE],
  ["SWITCH_RESULT_REQUIRED", withId(kase("a", arm("x") + result("{{context.payload}}")) + rest(arm("y"))), result("{{context.payload}}")],
  ["SWITCH_RESULT_ORDER", withId(kase("a", result("{{context.steps.x}}") + step("x")) + rest(arm("y"))), result("{{context.steps.x}}")],
  ["SWITCH_RESULT_REQUIRES_ID", without(kase("a", arm("x")) + rest(arm("y"))), result("{{context.steps.x}}")],
  ["SWITCH_METADATA_REQUIRES_ID", without(kase("a", step("x")) + rest(step("y")), ' description="D" name="N"'), "description"],
  ["INVALID_REFERENCE", withId(kase("a", arm("x")) + rest(arm("y")), "k"), "k"],
  ["ITERATION_REFERENCE_OUTSIDE_FOR_EACH", withId(kase("a", arm("x")) + rest(arm("y")), "{{context.item}}"), "{{context.item}}"],
  ["MISSING_ATTRIBUTE", withId(`<case>${arm("x")}</case>${rest(arm("y"))}`), "<case>"],
  ["WORKFLOW_RESULT_REQUIRED", without(kase("a", step("x")) + rest(step("y"))).replace(one, ""), "<steps>"],
] as const) {
  test(`${code} at ${mark}`, () => {
    assert.deepEqual(codes(workflow(steps)), [`WOML_${code}`]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

test("a switch gives the workflow its result, and its texts stand in the definition", () => {
  const { definition } = check(workflow(withId(kase("a", arm("x")) + kase("{{b}}", arm("z")) + rest(arm("y")))));
  assert.equal(definition?.result, "s");
  assert.deepEqual(
    definition?.nodes.find(({ id }) => id === "s:switch"),
    {
      ...{ kind: "switch", id: "s:switch", choice: "s", value: ["payload", "k"], otherwise: "default" },
      arms: [
        { arm: "case-1", equals: "a" },
        { arm: "case-2", equals: "{{b}}" },
      ],
    },
  );
  assert.deepEqual(
    definition?.edges.map(({ from, to, arm }) => [from, to, arm].join(" ").trim()),
    ["s:switch x case-1", "s:switch y default", "s:switch z case-2", "x s", "y s", "z s"],
  );
});
