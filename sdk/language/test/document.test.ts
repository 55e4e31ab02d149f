import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CODES } from "../index.ts";
import { check, choose, codes, marked, result, step, workflow } from "./sources.ts";

const LATER = "WOML_FEATURE_NOT_EXECUTABLE";
const TRIGGERS = '<triggers><manual id="go" /></triggers>';
const one = step("one");

test("the example compiles", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../examples/order-router.woml"), "utf8");
  const { definition, diagnostics, sourceMap } = check(text);
  assert.deepEqual(diagnostics, []);
  assert.equal(definition?.result, "route");
  assert.deepEqual(
    definition?.nodes.map(({ id, kind }) => `${id} ${kind}`),
    [
      "backorder step",
      "checks parallel",
      "checks:open open",
      "credit step",
      "price step",
      "route choice",
      "route:select select",
      "ship step",
      "stock step",
    ],
  );
  const { line = 0, column = 0 } = sourceMap?.scripts["stock"] ?? {};
  assert.equal(
    text
      .split("\n")
      [line - 1]?.slice(0, column - 1)
      .trimStart(),
    "<script>",
  );
});

test("metadata, triggers and policy", () => {
  const text = `<woml><workflow id="a-b1" name=" A " description="B" version="1"><steps><step id="s" name="S" description="T"><script /></step><step id="z"><script/></step></steps><config timeout="1m"/><triggers><manual id="s"/><manual id="t"/></triggers></workflow></woml>`;
  const { definition } = check(text);
  assert.deepEqual(definition?.workflow, { id: "a-b1", name: " A ", description: "B", version: "1" });
  assert.deepEqual(definition?.triggers, [
    { id: "s", kind: "manual" },
    { id: "t", kind: "manual" },
  ]);
  assert.deepEqual(definition?.policy, { timeoutMs: 60_000 });
});

test("all errors of a document come in one answer, sorted by place", () => {
  const text = [
    '<woml version="1">',
    '<workflow id="Order" name=" ">',
    '<config timeout="soon" queue="Fast" />',
    '<triggers><manual id="go" /><manual id="go" /><webhook id="w" path="/" /></triggers>',
    "<steps>text",
    '<step id="a" retry="0" timeout="5s"><script>return (;</script></step>',
    '<step id="a"></step>',
    "<Step />",
    '<parallel id="p" on-error="later"></parallel>',
    '<choose id="c"><when test="yes"><step id="x"><script>lifecycle()</script></step></when></choose>',
    '<choose><when test="nonsense" /></choose>',
    "<for-each><nonsense /></for-each>",
    '<parallel id="q"><choose id="d" /></parallel>',
    "</steps>",
    "</workflow>",
    "</woml>",
  ].join("\n");
  assert.deepEqual(
    check(text).diagnostics.map(({ code, start }) => `${start?.line} ${code.replace("WOML_", "")}`),
    [
      "1 UNKNOWN_ATTRIBUTE",
      "2 INVALID_ID",
      "2 EMPTY_METADATA",
      "3 CONFIG_TIMEOUT_INVALID",
      "3 CONFIG_QUEUE_INVALID",
      "4 TRIGGER_ID_DUPLICATE",
      "4 MISSING_ATTRIBUTE",
      "5 UNEXPECTED_CONTENT",
      "6 RETRY_INVALID",
      "6 FEATURE_NOT_EXECUTABLE",
      "6 SCRIPT_SYNTAX_INVALID",
      "7 STEP_OPERATION_COUNT",
      "7 DUPLICATE_ID",
      "8 UNKNOWN_ELEMENT",
      "9 PARALLEL_EMPTY",
      "9 PARALLEL_INVALID_POLICY",
      "10 CHOOSE_OTHERWISE_REQUIRED",
      "10 CHOOSE_RESULT_REQUIRED",
      "10 INVALID_REFERENCE",
      "10 LIFECYCLE_BINDING_UNAVAILABLE",
      "11 CHOOSE_OTHERWISE_REQUIRED",
      "11 CHOOSE_ARM_EMPTY",
      "11 INVALID_REFERENCE",
      "12 FOR_EACH_ID_REQUIRED",
      "12 FOR_EACH_ITEMS_REQUIRED",
      "12 UNKNOWN_ELEMENT",
      "13 PARALLEL_TERMINAL_UNSUPPORTED",
      "13 PARALLEL_CHILD_UNSUPPORTED",
    ],
  );
});

// The two words that WOML 1.0 itself keeps back; their values are not looked into.
for (const [name, text] of [
  ["timeout", workflow(step("a", "", 'timeout="soon"'))],
  ["tags", workflow(one).replace('id="w"', 'id="w" tags=""')],
] as const) {
  test(`not executable: ${name}`, () => {
    const { diagnostics, definition } = check(text);
    assert.equal(definition, null);
    assert.deepEqual(codes(text), [LATER]);
    assert.deepEqual(marked(text), [name]);
    assert.ok(diagnostics[0]?.message.includes(name), name);
    assert.ok(diagnostics[0]?.hint);
  });
}

// What the engine does not run yet is no fault of the source.
for (const [name, text] of [
  ["a policy", workflow(one, `${TRIGGERS}<config concurrency="2" rate-limit="1/1s" queue="a" />`)],
  ["a workflow without triggers", workflow(one, "")],
  ["a reusable step", "<woml><step><script>return 1;</script></step></woml>"],
  ["a provider", '<woml><provider kind="notification"><script>return 1;</script></provider></woml>'],
] as const) {
  test(`${name} is sound`, () => assert.deepEqual(codes(text), []));
}

const arm = (id: string): string => step(id) + result(`{{context.steps.${id}}}`);
for (const [text, code, mark] of [
  ["<workflow />", "WOML_EXPECTED_DOCUMENT_ROOT", "<workflow />"],
  [workflow(one).replace("<woml>", "<woml><triggers />"), "WOML_DOCUMENT_STRUCTURE_INVALID", "<triggers />"],
  [workflow(one).replace('id="w"', `id="${"a".repeat(257)}"`), "WOML_INVALID_ID", "a".repeat(257)],
  [workflow(one).replace('id="w"', 'id="a-"'), "WOML_INVALID_ID", "a-"],
  [workflow(step("a-b")), "WOML_INVALID_ID", "a-b"],
  [workflow(step("a\n")), "WOML_INVALID_ID", "a\n"],
  [workflow(step("")), "WOML_INVALID_ID", ""],
  [workflow(one, '<triggers><manual id="Go" /></triggers>'), "WOML_INVALID_ID", "Go"],
  [workflow(step("a", "", 'name="\u00a0"')), "WOML_EMPTY_METADATA", "\u00a0"],
  [workflow(step("a", "", `name="${"x".repeat(4097)}"`)), "WOML_METADATA_TOO_LONG", "x".repeat(4097)],
  [workflow(one, `${TRIGGERS}<config />`), "WOML_CONFIG_EMPTY", "<config />"],
  [workflow(one, `${TRIGGERS}<config timeout="1s" /><config timeout="1s" />`), "WOML_CONFIG_DUPLICATE", '<config timeout="1s" />'],
  [workflow(one, TRIGGERS + TRIGGERS.replace("go", "on")), "WOML_TRIGGER_CONTAINER_COUNT", "<triggers>"],
  [workflow(one, "<triggers />"), "WOML_TRIGGER_REQUIRED", "<triggers />"],
  [workflow(one, `<triggers>${step("a")}</triggers>`), "WOML_TRIGGER_UNSUPPORTED", '<step id="a">'],
  [workflow(one).replace(/<steps>.*<\/steps>/, ""), "WOML_STEPS_CONTAINER_COUNT", '<workflow id="w">'],
  [workflow(one).replace("<steps>", "<steps><!----></steps><steps>"), "WOML_EMPTY_STEPS", "<steps>"],
  [workflow("<step id='a'><script/><script>2</script></step>"), "WOML_STEP_OPERATION_COUNT", "<script>"],
  [workflow("<step id='a'><Script/></step>"), "WOML_UNKNOWN_ELEMENT", "<Script/>"],
  [workflow(`${one}<parallel id="p">${step("a")}</parallel>`), "WOML_PARALLEL_TERMINAL_UNSUPPORTED", '<parallel id="p">'],
  [workflow(`<parallel id="p"><approval /></parallel>${one}`), "WOML_APPROVAL_PLACEMENT_INVALID", "<approval />"],
  [
    workflow(`<choose id="c"><when test="{{context.payload.a}}"></when><otherwise>${arm("y")}</otherwise></choose>`),
    "WOML_INVALID_STRUCTURE",
    '<when test="{{context.payload.a}}">',
  ],
  [
    workflow(choose("c", "{{context.payload}}", [result("{{context.payload}}") + step("x"), arm("y")])),
    "WOML_CHOOSE_RESULT_ORDER",
    result("{{context.payload}}"),
  ],
  [workflow(`<choose id="c"><when>${arm("x")}</when><otherwise>${arm("y")}</otherwise></choose>`), "WOML_MISSING_ATTRIBUTE", "<when>"],
  [workflow(choose("c", "{{context.payload}}", [`${step("x")}<result />`, arm("y")])), "WOML_MISSING_ATTRIBUTE", "<result />"],
  [workflow(choose("one", "{{context.payload}}", [arm("x"), arm("one")])), "WOML_DUPLICATE_ID", "one"],
] as const) {
  test(`${code}: ${JSON.stringify(mark.slice(0, 60))}`, () => {
    assert.ok(codes(text).includes(code), codes(text).join());
    assert.ok(codes(text).length <= 2);
    assert.equal(marked(text)[codes(text).indexOf(code)], mark);
  });
}

test("64 triggers are taken, one more is refused", () => {
  const triggers = (count: number) => `<triggers>${Array.from({ length: count }, (_, at) => `<manual id="t${at}" />`).join("")}</triggers>`;
  assert.deepEqual(codes(workflow(one, triggers(64))), []);
  assert.deepEqual(codes(workflow(one, triggers(65))), ["WOML_TRIGGER_LIMIT_EXCEEDED"]);
});

test("the longest ids are taken everywhere", () => {
  const long = (letter: string): string => letter.repeat(256);
  const text = workflow(
    `<parallel id="${long("p")}">${step(long("a"))}</parallel>${choose(long("c"), `{{context.steps.${long("a")}}}`, [arm(long("x")), arm(long("y"))])}`,
  );
  assert.deepEqual(codes(text.replace('id="w"', `id="${long("w")}"`).replace('id="go"', `id="${long("g")}"`)), []);
});

test("codes are words of one form, each with a meaning", () => {
  for (const [code, meaning] of Object.entries(CODES)) {
    assert.match(code, /^WOML_[A-Z]+(_[A-Z]+)*$/);
    assert.match(meaning, /^[A-Z<a-z].*\.$/);
  }
});
