import assert from "node:assert/strict";
import { test } from "node:test";
import { check, step } from "./sources.ts";

/**
 * What has escaped from expression languages of others: by constructors, template literals, prototypes, computed names, comments, directives of
 * template engines. Here a placeholder is a path, and nothing that is no path is ever taken.
 */
const ESCAPES = [
  "constructor.constructor('return process')()",
  "context.constructor.constructor('return process')()",
  "context.payload.constructor['constructor']('return this')()",
  "''.constructor.constructor(`return process`)()",
  "constructor.constructor`return process.env`()",
  "(()=>{}).constructor(`return process`)()",
  "[].filter.constructor('return global')()",
  "context['__proto__']['constructor']",
  "context.payload['con'+'structor']",
  "context.payload?.constructor",
  "context.payload.a;process.exit()",
  "context.payload.a,process",
  "context.payload.a//",
  "context.payload./**/a",
  "{{context.payload.a}}",
  "#with context.payload as |x|",
  "=process.mainModule.require('child_process')",
  "$json.x.constructor",
  "import('node:fs')",
  "new Function('return 1')()",
  "this.constructor",
  "globalThis.process",
  "eval(context.payload.a)",
  "context.payload.a\\u002e__proto__",
  "$&#123;process.env&#125;",
] as const;

const inside = (text: string): string => `{{${text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")}}}`;
const around = (steps: string, more = ""): string =>
  `<woml><workflow id="w"><triggers><manual id="go" /></triggers>${more}<steps>${step("one")}${steps}</steps></workflow></woml>`;
const PLACES: Readonly<Record<string, (placeholder: string) => string>> = {
  "a test": (it) => around(`<choose><when test="${it}">${step("a")}</when><otherwise>${step("b")}</otherwise></choose>${step("z")}`),
  "the result of an arm": (it) =>
    around(
      `<choose id="c"><when test="{{context.payload.ok}}">${step("a")}<result value="${it}" /></when><otherwise>${step("b")}<result value="{{context.steps.b}}" /></otherwise></choose>`,
    ),
  "items of a loop": (it) => around(`<for-each id="l" items="${it}">${step("a")}</for-each>`),
  "a switch": (it) =>
    around(`<switch value="${it}"><case value="x">${step("a")}</case><default>${step("b")}</default></switch>${step("z")}`),
  "a message": (it) =>
    around(
      "",
      `<lifecycle><on-error><notify><telegram chats="5" bot-token="{{secrets.BOT}}" message="${it}" /></notify></on-error></lifecycle>`,
    ),
};
const errors = (text: string): readonly string[] =>
  check(text).diagnostics.flatMap(({ severity, code }) => (severity === "error" ? [code] : []));

for (const [place, filled] of Object.entries(PLACES)) {
  test(`PC-43: in ${place} a path is taken, and nothing that has escaped elsewhere`, () => {
    assert.deepEqual(errors(filled("{{context.steps.one.a}}")), []);
    for (const text of ESCAPES) assert.notDeepEqual(errors(filled(inside(text))), [], text);
  });
  test(`PC-43: in ${place} names that every object has are names like others: of data, and of nothing else`, () => {
    for (const name of ["constructor", "__proto__", "toString"])
      assert.deepEqual(errors(filled(`{{context.steps.one.${name}}}`)), [], name);
  });
}
