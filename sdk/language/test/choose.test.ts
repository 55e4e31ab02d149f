import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, result, step, workflow } from "./sources.ts";

const one = step("one");
const when = (body: string, test = "{{context.payload.a}}"): string => `<when test="${test}">${body}</when>`;
const otherwise = (body: string): string => `<otherwise>${body}</otherwise>`;
const arm = (id: string): string => step(id) + result(`{{context.steps.${id}}}`);
const both = when(arm("x")) + otherwise(arm("y"));
const control = when(step("x")) + otherwise(step("y"));
const WHEN = '<when test="{{context.payload.a}}">';

for (const [name, steps] of [
  ["with an id", `<choose id="c" name="N" description="D">${both}</choose>`],
  ["without one", `<choose>${control}</choose>${one}`],
  ["without one, last", `${one}<choose>${control}</choose>`],
  ["several tests", `<choose id="c">${when(arm("x"))}${when(arm("z"))}${otherwise(arm("y"))}</choose>`],
  ["of which one says trigger", `<choose id="c">${when(arm("x"), "{{context.trigger.a}}")}${otherwise(arm("y"))}</choose>`],
  ["one in another, without ids", `<choose>${when(`<choose>${control}</choose>`)}${otherwise(step("z"))}</choose>${one}`],
] as const) {
  test(`a choose ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

for (const [code, steps, mark] of [
  ["CHOOSE_WHEN_REQUIRED", `<choose id="c">${otherwise(arm("y"))}</choose>`, '<choose id="c">'],
  ["CHOOSE_WHEN_REQUIRED", '<choose id="c"></choose>', '<choose id="c">'],
  ["CHOOSE_WHEN_REQUIRED", `<choose>${otherwise(step("y"))}</choose>${one}`, "<choose>"],
  ["CHOOSE_OTHERWISE_REQUIRED", `<choose id="c">${when(arm("x"))}</choose>`, '<choose id="c">'],
  ["CHOOSE_OTHERWISE_ORDER", `<choose id="c">${otherwise(arm("y"))}${when(arm("x"))}</choose>`, "<otherwise>"],
  ["CHOOSE_OTHERWISE_ORDER", `<choose>${otherwise(step("y"))}${when(step("x"))}</choose>${one}`, "<otherwise>"],
  ["CHOOSE_RESULT_REQUIRED", `<choose id="c">${when(step("x"))}${otherwise(arm("y"))}</choose>`, WHEN],
  ["CHOOSE_RESULT_REQUIRED", `<choose id="c">${when(arm("x"))}${otherwise(step("y"))}</choose>`, "<otherwise>"],
  [
    "CHOOSE_RESULT_REQUIRED",
    `<choose id="c">${when(arm("x") + result("{{context.payload}}"))}${otherwise(arm("y"))}</choose>`,
    result("{{context.payload}}"),
  ],
  [
    "CHOOSE_RESULT_ORDER",
    `<choose id="c">${when(result("{{context.steps.x}}") + step("x"))}${otherwise(arm("y"))}</choose>`,
    result("{{context.steps.x}}"),
  ],
  ["INVALID_STRUCTURE", `<choose id="c">${when("")}${otherwise(arm("y"))}</choose>`, WHEN],
  ["INVALID_STRUCTURE", `<choose id="c">${when(result("{{context.payload}}"))}${otherwise(arm("y"))}</choose>`, WHEN],
  ["CHOOSE_ARM_EMPTY", `<choose>${when("")}${otherwise(step("y"))}</choose>${one}`, WHEN],
  ["CHOOSE_ARM_EMPTY", `<choose>${when(step("x"))}<otherwise /></choose>${one}`, "<otherwise />"],
  ["CHOOSE_RESULT_REQUIRES_ID", `<choose>${both}</choose>${one}`, result("{{context.steps.x}}")],
  ["CHOOSE_RESULT_REQUIRES_ID", `<choose>${when(step("x"))}${otherwise(arm("y"))}</choose>${one}`, result("{{context.steps.y}}")],
  ["CHOOSE_METADATA_REQUIRES_ID", `<choose name="N" description="D">${control}</choose>${one}`, "name"],
  ["CHOOSE_METADATA_REQUIRES_ID", `<choose description="D">${control}</choose>${one}`, "description"],
  ["INVALID_REFERENCE", `<choose id="c">${when(arm("x"), "true")}${otherwise(arm("y"))}</choose>`, "true"],
  ["WORKFLOW_RESULT_REQUIRED", `<choose>${control}</choose>`, "<steps>"],
] as const) {
  test(`${code} at ${mark}`, () => {
    assert.deepEqual(codes(workflow(steps)), [`WOML_${code}`]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

test("an older branch is a choose with an id, and said to be old", () => {
  const older = workflow(`<branch id="c" name="N">${both}</branch>`);
  assert.deepEqual(codes(older), ["WOML_DEPRECATED_CONDITIONAL_BRANCH"]);
  assert.deepEqual(marked(older), ['<branch id="c" name="N">']);
  assert.deepEqual(check(older).definition, check(older.replaceAll("branch", "choose")).definition);
});

for (const [code, body, mark] of [
  ["BRANCH_WHEN_REQUIRED", otherwise(arm("y")), '<branch id="c">'],
  ["BRANCH_OTHERWISE_REQUIRED", when(arm("x")), '<branch id="c">'],
  ["BRANCH_OTHERWISE_ORDER", otherwise(arm("y")) + when(arm("x")), "<otherwise>"],
  ["BRANCH_RESULT_REQUIRED", when(step("x")) + otherwise(arm("y")), WHEN],
  ["BRANCH_RESULT_ORDER", when(result("{{context.payload}}") + step("x")) + otherwise(arm("y")), result("{{context.payload}}")],
] as const) {
  test(code, () => {
    const text = workflow(`<branch id="c">${body}</branch>${one}`);
    const errors = check(text).diagnostics.filter(({ severity }) => severity === "error");
    assert.deepEqual(
      errors.map(({ code, start, end }) => [code, text.slice(start?.offset, end?.offset)]),
      [[`WOML_${code}`, mark]],
    );
  });
}

test("an older branch needs an id", () => {
  const text = workflow(`<branch>${both}</branch>${one}`);
  assert.deepEqual(codes(text).toSorted(), ["WOML_DEPRECATED_CONDITIONAL_BRANCH", "WOML_MISSING_ATTRIBUTE"]);
});

test("choices without an id are numbered in the order of the document, and have no output", () => {
  const inner = `<switch value="{{context.payload.k}}"><case value="a">${step("x")}</case><default>${step("y")}</default></switch>`;
  const text = workflow(
    `<choose>${when(inner)}${otherwise(step("z"))}</choose><choose>${when(step("m"))}${otherwise(step("n"))}</choose>${one}`,
  );
  const { definition } = check(text);
  assert.deepEqual(
    definition?.nodes.filter(({ kind }) => kind !== "step").map(({ id, kind }) => `${id} ${kind}`),
    ["choice:1 choice", "choice:1:select select", "choice:2 choice", "choice:2:switch switch", "choice:3 choice", "choice:3:select select"],
  );
  assert.ok(definition?.nodes.every((node) => node.kind !== "choice" || node.results === undefined));
});
