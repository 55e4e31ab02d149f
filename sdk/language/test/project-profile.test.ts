// In the profile 1.0 nothing is refused that WOML 1.0 takes: what this platform adds is not there, and its own bounds and rules only warn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Compiled, compile } from "../index.ts";
import { NO_PROJECT } from "../project.ts";
import { step, workflow } from "./sources.ts";

const judged = (text: string): Compiled => compile({ path: "flow.woml", text }, { ...NO_PROJECT, profile: "1.0" });
const told = (text: string): readonly string[] => judged(text).diagnostics.map(({ code, severity }) => `${severity} ${code}`);
const triggers = (count: number): string =>
  `<triggers>${Array.from({ length: count }, (_, at) => `<manual id="m${at}" />`).join("")}</triggers>`;
const using = workflow(step("a", "return services.pay.charge({});")).replace(
  "<woml>",
  '<woml><imports><uses capability="acme.pay" version="^1" as="pay" /></imports>',
);

test("<uses> is nothing that it knows, and said once", () => {
  const { diagnostics } = judged(using);
  assert.deepEqual(
    diagnostics.map(({ code, start }) => [code, start?.offset]),
    [["WOML_IMPORTS_INVALID_CHILD", using.indexOf("<uses")]],
  );
  assert.deepEqual(told(workflow(`${step("a")}<uses />`)), ["error WOML_UNKNOWN_ELEMENT"]);
  assert.deepEqual(compile({ path: "flow.woml", text: using }).diagnostics, []);
});

for (const [what, text, code] of [
  ["a long name", workflow(step("a", "return 1;", `name="${"n".repeat(4_097)}"`)), "METADATA_TOO_LONG"],
  ["a source with half a character", workflow(step("a", "return '\ud800';")), "SOURCE_CHARACTER_INVALID"],
  ["too many elements", workflow(step("a") + "<step/>".repeat(25_000)), "TOO_MANY_ELEMENTS"],
  ["a long script", workflow(step("a", `return 1;${" ".repeat(300_000)}`)), "SCRIPT_SOURCE_TOO_LARGE"],
  ["a long name of a secret", workflow(step("a", `return secrets.${"A".repeat(129)};`)), "SCRIPT_SECRET_NAME_INVALID"],
  [
    "a long name of a secret in an attribute",
    workflow(step("a"), `<triggers><event id="e" name="a.b" secret="{{secrets.${"A".repeat(129)}}}" /></triggers>`),
    "SECRET_REFERENCE_INVALID",
  ],
  ["elements in elements", workflow("<step>".repeat(300) + "</step>".repeat(300)), "NESTING_TOO_DEEP"],
] as const) {
  test(`${what} is a warning, and there is no definition`, () => {
    assert.deepEqual(told(text), [`warning WOML_${code}`]);
    assert.equal(judged(text).definition, null);
  });
}

test("more than 64 triggers are more than it takes, by the code that it has for it", () => {
  assert.deepEqual(told(workflow(step("a"), triggers(64))), []);
  assert.deepEqual(told(workflow(step("a"), triggers(65))), ["error WOML_MODULE_ALIAS_LIMIT_EXCEEDED"]);
});

test("its own errors stay what they are", () => {
  assert.deepEqual(told(workflow(step("a") + step("a"))), ["error WOML_DUPLICATE_ID"]);
  assert.deepEqual(told(workflow(step("a", "return secrets.a;"))), ["error WOML_SCRIPT_SECRET_NAME_INVALID"]);
});
