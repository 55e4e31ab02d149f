import assert from "node:assert/strict";
import { test } from "node:test";
import { syntaxRemark } from "../script/syntax-hint.ts";
import { cheapestMs, check, step, workflow } from "./sources.ts";

const TYPES = /TypeScript stands in a \.ts file/;
const BODY = /^A script is the body of an async JavaScript function\.$/;

for (const [body, message, hint] of [
  ["return { a: 1 ;", '";" is unexpected here.', BODY],
  ["retrun { a: 1 }", '"{" is unexpected here.', BODY],
  ["if (context.payload.a) {", "The script ends before it is complete.", BODY],
  ["foo(\n", "The script ends before it is complete.", BODY],
  ["const sent: boolean = true;", '":" is unexpected here.', TYPES],
  ["return context.payload as Order;", '"as" is unexpected here.', TYPES],
  ["interface Order { id: string }", '"Order" is unexpected here.', TYPES],
  ["enum Kind { A }", "The keyword 'enum' is reserved.", TYPES],
  ["import x from 'y'", "A script has neither import nor export.", /<module> imports/],
  ["export default 1", "A script has neither import nor export.", /<module> imports/],
  ["return 1;</scrip>", '"</scrip>" is unexpected here.', /A script ends at <\/script> alone: is <\/scrip> meant to be that\?/],
  ["return {{context.steps.price}};", '"{" is unexpected here.', /without braces, context\.steps\.<id>/],
  ["<![CDATA[ return 1; ]]>", '"<" is unexpected here.', /needs no CDATA/],
  ["return 'x", "Unterminated string constant.", /<\/scr/],
] as const) {
  test(`what is wrong with a script, and the way out: ${body}`, () => {
    const [diagnostic, ...more] = check(workflow(step("a", body))).diagnostics;
    assert.deepEqual([diagnostic?.code, diagnostic?.message], ["WOML_SCRIPT_SYNTAX_INVALID", message]);
    assert.match(diagnostic?.hint ?? "", hint);
    assert.deepEqual(more, []);
  });
}

test("a script that is nested too deeply has its remark at its begin, however deep this machine can read", () => {
  const text = workflow(step("a", `${"(".repeat(50_000)}1`));
  const [{ code, start } = {}] = check(text).diagnostics;
  assert.deepEqual([code, start?.offset], ["WOML_SCRIPT_TOO_COMPLEX", text.indexOf("(((")]);
});

test("of a long script what is near is looked at alone", () => {
  for (const piece of ["type ", "</", "a", " "]) {
    const body = piece.repeat(262_144 / piece.length);
    const spent = cheapestMs(() => syntaxRemark(body, body.length / 2, "Unexpected token."));
    assert.ok(spent < 50, `${spent} ms`);
  }
});
