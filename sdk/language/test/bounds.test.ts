// Hostile sources: each is answered by its code, and none takes longer than a slow machine needs for a large honest one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, choose, codes, result, step, workflow } from "./sources.ts";

const MIB = 1_048_576;
const SCRIPT = 262_140;
const LID_MS = 4_000;

const filled = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));
const numbered = (count: number, piece: (at: number) => string): string => Array.from({ length: count }, (_, at) => piece(at)).join("");
const script = (body: string): string => workflow(step("a", body));

const nested = (depth: number): string => {
  let inside = step("s");
  let id = "s";
  for (let at = 0; at < depth; at++) {
    inside = choose(`c${at}`, "{{context.payload.a}}", [
      inside + result(`{{context.steps.${id}}}`),
      step(`o${at}`) + result("{{context.payload}}"),
    ]);
    id = `c${at}`;
  }
  return workflow(inside);
};

for (const [name, text, expected] of [
  ["steps beyond count", workflow(numbered(25_000, (at) => `<step id="a${at}"><script/></step>`)), ["WOML_TOO_MANY_ELEMENTS"]],
  ["more nodes than a definition has", workflow(numbered(5_001, (at) => step(`a${at}`))), ["WOML_TOO_MANY_NODES"]],
  [
    "a definition too large",
    workflow(numbered(3, (at) => step(`a${at}`, `//${filled("\u0001", SCRIPT - 10)}`))),
    ["WOML_DEFINITION_TOO_LARGE"],
  ],
  ["elements in elements", filled("<a>", MIB), ["WOML_NESTING_TOO_DEEP"]],
  ["chooses in chooses", nested(100), ["WOML_NESTING_TOO_DEEP"]],
  ["an endless tag", `<woml ${filled('"', MIB - 100)}`, ["WOML_INVALID_ATTRIBUTE"]],
  ["an endless name", `<${filled("a", MIB - 100)}`, ["WOML_MALFORMED_MARKUP"]],
  ["an endless quote", `<woml ${filled("a='x' ", MIB - 100)}b='`, ["WOML_INVALID_ATTRIBUTE"]],
  ["an endless id", workflow(step(filled("a-", MIB - 200))), ["WOML_INVALID_ID"]],
  [
    "an endless number",
    workflow(step("a"), `<triggers><manual id="m"/></triggers><config timeout="${filled("9", MIB - 300)}s"/>`),
    ["WOML_CONFIG_TIMEOUT_INVALID"],
  ],
  ["parentheses", script(filled("(", SCRIPT)), ["WOML_SCRIPT_TOO_COMPLEX"]],
  ["a sum", script(filled("1+", SCRIPT)), ["WOML_SCRIPT_TOO_COMPLEX"]],
  ["negations", script(filled("!", SCRIPT)), ["WOML_SCRIPT_TOO_COMPLEX"]],
  ["groups of one name", script(`/${filled("(?<a>)|", SCRIPT - 10)}/`), ["WOML_SCRIPT_TOO_COMPLEX"]],
  ["classes that are costly to compile", script(`/${filled("\\p{RGI_Emoji}", SCRIPT - 10)}/v`), []],
  ["groups in groups", script(`/${filled("(", SCRIPT / 2)}${filled(")", SCRIPT / 2 - 10)}/`), ["WOML_SCRIPT_TOO_COMPLEX"]],
  [
    "variables in nested blocks",
    script(`${"{".repeat(200)}${numbered(20_000, (at) => `var a${at};`)}${"}".repeat(200)}`),
    ["WOML_SCRIPT_TOO_COMPLEX"],
  ],
  [
    "variables",
    workflow(
      numbered(4, (at) =>
        step(
          `s${at}`,
          numbered(22_000, (n) => `let a${n};`),
        ),
      ),
    ),
    [],
  ],
  ["shadows and mentions", script(filled("{let fetch;fetch}", SCRIPT)), ["WOML_SCRIPT_BINDING_SHADOWED"]],
  ["calls of one name", script(filled("services.x.y();", SCRIPT)), ["WOML_MODULE_SERVICE_UNKNOWN"]],
  ["calls of many operations", script(numbered(9_000, (at) => `services.http.a${at}();`)), ["WOML_SCRIPT_TOO_COMPLEX"]],
  ["secrets", script(numbered(18_000, (at) => `secrets.A${at};`)), ["WOML_SCRIPT_SECRET_LIMIT_EXCEEDED"]],
  [
    "capabilities",
    workflow(step("a")).replace(
      "<woml>",
      `<woml><imports>${numbered(12_000, (at) => `<uses capability="a" version="1" as="a${at}"/>`)}</imports>`,
    ),
    ["WOML_MODULE_ALIAS_LIMIT_EXCEEDED"],
  ],
  ["a chain of members", script(`a${filled(".b", SCRIPT - 10)}`), []],
] as const) {
  test(`${name}: ${expected.join() || "taken"}`, () => {
    const start = performance.now();
    assert.deepEqual(codes(text), expected);
    assert.ok(performance.now() - start < LID_MS);
  });
}

for (const piece of ["<x/>", "x<!---->", "<?a?>", "<workflow/>", "<otherwise/>", "\0"]) {
  test(`${JSON.stringify(piece)} without end: 100 diagnostics, then how many are left out`, () => {
    const start = performance.now();
    const { diagnostics } = check(workflow(filled(piece, 99_000)));
    assert.equal(diagnostics.length, 101);
    assert.equal(diagnostics.at(-1)?.code, "WOML_TOO_MANY_DIAGNOSTICS");
    assert.ok(performance.now() - start < LID_MS);
  });
}

test("a script's error does not repeat the script", () => {
  const [{ message = "" } = {}] = check(script(`/${filled("\\1", SCRIPT - 10)}/u`)).diagnostics;
  assert.match(message, /^Invalid regular expression.* … .*Invalid escape\.$/);
  assert.ok(message.length < 200);
});

test("chooses nested as deep as elements may be compile", () => {
  assert.deepEqual(codes(nested(97)), []);
});
