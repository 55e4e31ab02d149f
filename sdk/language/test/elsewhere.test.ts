import assert from "node:assert/strict";
import { test } from "node:test";
import { calledHere } from "../elsewhere.ts";
import { check, choose, result, step, workflow } from "./sources.ts";

const A = "{{context.payload.a}}";
const chosen = choose("c", A, [step("x") + result("{{context.steps.x}}"), step("y") + result("{{context.steps.y}}")]);

for (const [text, element] of [
  [workflow(chosen.replace("<choose", "<if").replace("</choose", "</if")), "choose"],
  [workflow(chosen.replaceAll("otherwise>", "else>")), "otherwise"],
  [workflow(`<loop id="l" items="${A}">${step("i")}</loop>`), "for-each"],
  [workflow(step("a").replace("<step", "<task").replace("</step", "</task")), "step"],
  [workflow(step("a").replaceAll("script>", "code>")), "script"],
  [workflow(step("a"), '<triggers><cron id="c" cron="0 9 * * *" /></triggers>'), "schedule"],
] as const) {
  test(`a word of another language is told what WOML says: ${element}`, () => {
    const [diagnostic, ...more] = check(text).diagnostics;
    assert.equal(diagnostic?.code, "WOML_UNKNOWN_ELEMENT");
    assert.equal(diagnostic.hint, `Did you mean <${element}>?`);
    assert.deepEqual(more, []);
  });
}

test("inside imports and approvals too", () => {
  assert.equal(calledHere("import", ["module", "uses"]), "module");
  assert.equal(calledHere("approved", ["notify", "when-approved", "when-rejected"]), "when-approved");
  assert.equal(calledHere("else", ["notify", "when-approved", "when-rejected"]), "when-rejected");
});

test("nothing is meant that may not stand there", () => {
  assert.equal(calledHere("code", ["step"]), "step");
  assert.equal(calledHere("code", ["script"]), "script");
  assert.equal(calledHere("code", ["result"]), null);
  assert.equal(calledHere("constructor", ["step"]), null);
});
