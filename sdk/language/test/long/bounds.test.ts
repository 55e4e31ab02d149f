// Hostile sources: each is answered by its code, and none takes longer than a slow machine needs for a large honest one. What is counted is
// the time of the processor, since the machine may be busy with something else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, choose, codes, growth, LINEAR, result, spentMs, step, workflow } from "../sources.ts";

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
    const spent = spentMs(() => assert.deepEqual(codes(text), expected));
    assert.ok(spent < LID_MS, `${spent} ms`);
  });
}

for (const piece of ["<x/>", "x<!---->", "<?a?>", "<workflow/>", "<otherwise/>", "\0"]) {
  test(`${JSON.stringify(piece)} without end: 100 diagnostics, then how many are left out`, () => {
    const spent = spentMs(() => {
      const { diagnostics } = check(workflow(filled(piece, 99_000)));
      assert.equal(diagnostics.length, 101);
      assert.equal(diagnostics.at(-1)?.code, "WOML_TOO_MANY_DIAGNOSTICS");
    });
    assert.ok(spent < LID_MS, `${spent} ms`);
  });
}

// Twice as much takes no more than about twice as long, whatever it is. The shortest of three runs counts.
const attributes = (piece: string) => (length: number) => workflow(`<step ${filled(piece, length)}/>`);
const flow = (piece: string) => (length: number) => workflow(filled(piece, length));
const imports = (inside: string): string => workflow(step("a")).replace("<woml>", `<woml><imports>${inside}</imports>`);
const config = (value: (length: number) => string) => (length: number) =>
  workflow(step("a"), `<triggers><manual id="m"/></triggers><config ${value(length)}/>`);
for (const [name, of] of [
  ["one attribute", attributes("a")],
  ["attributes", (length) => workflow(`<step ${numbered(length / 12, (at) => `a${at}="x" `)}/>`)],
  ["one attribute again and again", attributes('a="x" ')],
  ["attributes without value", attributes("a ")],
  ["equals signs", attributes("=")],
  ["quotes in names", attributes("q'=\" ")],
  ["quotes", attributes(`"'" `)],
  ["blanks in a tag", attributes(" ")],
  ["a value of 1 MiB", (length) => workflow(step("a", "", `name="${filled("&lt;", length)}"`))],
  ["comments", flow("<!---->")],
  ["comments that open in one another", flow("<!--")],
  ["declarations", flow("<?a?>")],
  ["CDATA", flow("<![CDATA[")],
  ["text and comments", flow("x<!---->")],
  ["entities", flow("&amp;")],
  ["entities without end", flow("&#1111")],
  ["line ends", flow("\r\n")],
  ["closing tags", (length) => filled("</a>", length)],
  ["a name", (length) => workflow(`<${filled("s", length)}/>`)],
  ["scripts in scripts", flow("<script>")],
  ["a queue", config((length) => `queue="${filled("a-", length)}"`)],
  ["a rate", config((length) => `rate-limit="${filled("1/", length)}"`)],
  ["a window", config((length) => `rate-limit="1/${filled("1", length)}s"`)],
  ["a path", (length) => imports(`<module name="m" from="./${filled("a/", length)}m.ts"/>`)],
  [
    "actions of a hook",
    (length) =>
      workflow(
        step("a"),
        `<triggers><manual id="m"/></triggers><lifecycle><on-success>${filled(`<script>//${"x".repeat(60)}</script>`, length)}</on-success></lifecycle>`,
      ),
  ],
  ["modules", (length) => imports(numbered(length / 60, (at) => `<module name="m${at}" from="./m${at}.ts"/>`))],
] as const satisfies readonly (readonly [string, (length: number) => string])[]) {
  test(`${name}: in linear time`, () => {
    const times = growth(50_000, (length) => {
      const text = of(length);
      return () => check(text);
    });
    assert.ok(times < LINEAR, `${times} times the cost at 16 times the length`);
  });
}

test("100,000 elements, 10,000 levels and 10 MB are answered by their code", () => {
  const deep = `${"<steps>".repeat(10_000)}${"</steps>".repeat(10_000)}`;
  assert.deepEqual(codes(`<woml>${deep}</woml>`), ["WOML_NESTING_TOO_DEEP"]);
  assert.deepEqual(codes(workflow("<step/>".repeat(100_000))), ["WOML_TOO_MANY_ELEMENTS"]);
  for (const piece of ["x", "<a>", "\0", "\ud800", "é", "🚀"])
    assert.deepEqual(codes(filled(piece, 10_000_000)), ["WOML_SOURCE_TOO_LARGE"]);
});

test("of more than 100 remarks errors are shown before warnings, in the order of the text", () => {
  const warned = numbered(150, (at) => `<branch id="b${at}">${arms(at)}</branch>`);
  const { diagnostics, definition } = check(workflow(`${warned}<step id="last" retry="0"><script/></step>`));
  assert.equal(definition, null);
  assert.equal(diagnostics.length, 101);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code),
    ["WOML_RETRY_INVALID"],
  );
  assert.equal(diagnostics.at(-1)?.message, "and 51 more");
  const sound = check(workflow(`${warned}${step("last")}`));
  assert.equal(sound.diagnostics.length, 101);
  assert.ok(sound.diagnostics.every(({ severity }) => severity === "warning"));
  assert.ok(sound.definition);
});

/** The two arms of an older choice. */
function arms(at: number): string {
  const held = (id: string): string => step(id) + result("{{context.payload.a}}");
  return `<when test="{{context.payload.a}}">${held(`x${at}`)}</when><otherwise>${held(`y${at}`)}</otherwise>`;
}

test("a script's error does not repeat the script", () => {
  const [{ message = "" } = {}] = check(script(`/${filled("\\1", SCRIPT - 10)}/u`)).diagnostics;
  assert.match(message, /^Invalid regular expression.* … .*Invalid escape\.$/);
  assert.ok(message.length < 200);
});

test("chooses nested as deep as elements may be compile", () => {
  assert.deepEqual(codes(nested(97)), []);
});
