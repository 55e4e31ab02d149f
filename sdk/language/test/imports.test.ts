import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, growth, LINEAR, marked, step, workflow } from "./sources.ts";

const one = (attributes: string): string => `<imports><uses ${attributes}/></imports>`;
const document = (imports: string, body = "return services.pay.charge();"): string =>
  workflow(step("a", body)).replace("<woml>", `<woml>${imports}`);

const CASES = [
  ['capability="Acme" version="^1" as="pay"', "WOML_CAPABILITY_ID_INVALID", "Acme"],
  ['capability="acme..x" version="^1" as="pay"', "WOML_CAPABILITY_ID_INVALID", "acme..x"],
  ['capability="" version="^1" as="pay"', "WOML_CAPABILITY_ID_INVALID", ""],
  ['capability="a" version="latest" as="pay"', "WOML_CAPABILITY_RANGE_INVALID", "latest"],
  ['capability="a" version="" as="pay"', "WOML_CAPABILITY_RANGE_INVALID", ""],
  ['capability="a" version="1 || 2" as="pay"', "WOML_CAPABILITY_RANGE_INVALID", "1 || 2"],
  ['capability="a" version="^1" as="Pay"', "WOML_MODULE_ALIAS_INVALID", "Pay"],
  ['capability="a" version="^1" as="my-pay"', "WOML_MODULE_ALIAS_INVALID", "my-pay"],
  ['capability="a" version="^1"', "WOML_MISSING_ATTRIBUTE", '<uses capability="a" version="^1"/>'],
  ['capability="a" as="pay"', "WOML_MISSING_ATTRIBUTE", '<uses capability="a" as="pay"/>'],
  ['version="^1" as="pay"', "WOML_MISSING_ATTRIBUTE", '<uses version="^1" as="pay"/>'],
  ['capability="a" version="^1" as="pay" digest="x"', "WOML_UNKNOWN_ATTRIBUTE", "digest"],
] as const;
for (const [attributes, code, mark] of CASES) {
  test(`${code}: ${attributes}`, () => {
    assert.deepEqual(codes(document(one(attributes), "return 1;")), [code]);
    assert.deepEqual(marked(document(one(attributes), "return 1;")), [mark]);
  });
}

test("names of the language and of JavaScript are no aliases; those of providers are", () => {
  for (const alias of ["http", "db", "state", "context", "secrets", "fetch", "lifecycle", "class", "await", "eval", "null"]) {
    assert.deepEqual(codes(document(one(`capability="a" version="^1" as="${alias}"`), "return 1;")), ["WOML_MODULE_ALIAS_RESERVED"]);
  }
  assert.deepEqual(codes(document(one('capability="a" version="^1" as="telegram"'), "return services.telegram.send();")), []);
});

test("an alias stands for one capability; a capability may have two", () => {
  const pay = '<uses capability="a" version="^1" as="pay"/>';
  assert.deepEqual(codes(document(`<imports>${pay}${pay}</imports>`)), ["WOML_MODULE_ALIAS_DUPLICATE"]);
  const both = document(
    `<imports>${pay}${pay.replace("pay", "old").replace("^1", "^0.9")}</imports>`,
    "services.pay.a(); services.old.a()",
  );
  assert.deepEqual(codes(both), []);
});

test("a faulty <uses> is reported, and not its calls too", () => {
  assert.deepEqual(codes(document(one('capability="A" version="b" as="pay"'))), [
    "WOML_CAPABILITY_ID_INVALID",
    "WOML_CAPABILITY_RANGE_INVALID",
  ]);
  assert.deepEqual(codes(document(one('capability="a" version="^1" as="Pay"'), "services.Pay.go()")), ["WOML_MODULE_ALIAS_INVALID"]);
});

test("63 capabilities are taken beside http, one more is not", () => {
  const many = (count: number): string => {
    const names = Array.from({ length: count }, (_, at) => `a${at}`);
    const imports = names.map((name) => `<uses capability="acme.${name}" version="*" as="${name}"/>`).join("");
    return document(`<imports>${imports}</imports>`, `${names.map((name) => `services.${name}.go();`).join("")}fetch('x')`);
  };
  assert.deepEqual(codes(many(63)), []);
  assert.equal(check(many(63)).definition?.uses?.length, 64);
  assert.deepEqual(codes(many(64)), ["WOML_MODULE_ALIAS_LIMIT_EXCEEDED"]);
});

test("imports stand once, first, and hold capabilities", () => {
  const pay = one('capability="a" version="^1" as="pay"');
  const behind = document("").replace("</woml>", `${pay}</woml>`);
  assert.deepEqual(codes(behind), ["WOML_DOCUMENT_STRUCTURE_INVALID"]);
  assert.deepEqual(codes(document(pay + one('capability="b" version="^1" as="b"'), "services.pay.go(); services.b.go()")), [
    "WOML_DOCUMENT_STRUCTURE_INVALID",
  ]);
  assert.deepEqual(codes(document("<imports></imports>", "return 1;")), ["WOML_IMPORTS_EMPTY"]);
  assert.deepEqual(codes(document("<imports><step id='x'/></imports>", "return 1;")), ["WOML_IMPORTS_INVALID_CHILD"]);
  assert.deepEqual(codes(document("<imports><fork id='x'/></imports>", "return 1;")), ["WOML_IMPORTS_INVALID_CHILD"]);
  assert.deepEqual(codes(document("<imports>text</imports>", "return 1;")), ["WOML_IMPORTS_EMPTY", "WOML_UNEXPECTED_CONTENT"]);
  assert.deepEqual(codes(workflow(`${step("a")}<uses capability="a" version="^1" as="b"/>`)), ["WOML_INVALID_STRUCTURE"]);
});

const modules = (inside: string): string => workflow(step("a")).replace("<woml>", `<woml><imports>${inside}</imports>`);
const module = (name: string, from: string): string => `<module name="${name}" from="${from}" />`;
const REPEATED = "m".repeat(128);

for (const [inside, code, mark] of [
  [module("my-mod", "./m.ts"), "MODULE_ALIAS_INVALID", "my-mod"],
  [module("Mod", "./m.js"), "MODULE_ALIAS_INVALID", "Mod"],
  [module("", "./m.js"), "MODULE_ALIAS_INVALID", ""],
  [module(`${REPEATED}m`, "./m.ts"), "MODULE_ALIAS_INVALID", `${REPEATED}m`],
  [module("addTax", "./m.woml"), "MODULE_ALIAS_INVALID", "addTax"],
  [module("add--tax", "./m.woml"), "MODULE_ALIAS_INVALID", "add--tax"],
  [module(`${REPEATED}m`, "./m.woml"), "MODULE_ALIAS_INVALID", `${REPEATED}m`],
  ...["http", "db", "storage", "cache", "events", "queue", "workflows", "state", "context", "attempt", "services", "secrets"].map(
    (name) => [module(name, "./m.ts"), "MODULE_ALIAS_RESERVED", name] as const,
  ),
  ...["woml", "step", "for-each", "slack", "schema", "on-start", "on-failure", "when-approved", "result", "branch"].map(
    (name) => [module(name, "./m.woml"), "REUSABLE_ALIAS_RESERVED", name] as const,
  ),
  [module("m", "./a.ts") + module("m", "./b.ts"), "MODULE_ALIAS_DUPLICATE", "m"],
  [`${module("pay", "./a.ts")}<uses capability="a" version="^1" as="pay"/>`, "MODULE_ALIAS_DUPLICATE", "pay"],
  [module("m", "./a.ts") + module("n", "./a.ts"), "MODULE_SOURCE_DUPLICATE", "./a.ts"],
  ...[
    "",
    "m.ts",
    "/m.ts",
    "./",
    "./m",
    "./m.mjs",
    "./m.ts ",
    "./a//m.ts",
    "./.ts",
    "./a b/m.ts",
    "./m.TS",
    "../",
    "a/../m.ts",
    ".\\m.ts",
    "https://a/m.ts",
    "./ä.ts",
    ".../m.ts",
  ].map((from) => [module("m", from), "MODULE_PATH_INVALID", from] as const),
  ['<module from="./m.ts" />', "MISSING_ATTRIBUTE", '<module from="./m.ts" />'],
  ['<module name="m" />', "MISSING_ATTRIBUTE", '<module name="m" />'],
  ['<module name="add-tax" />', "MISSING_ATTRIBUTE", '<module name="add-tax" />'],
  ['<module name="m" form="./m.ts" />', "UNKNOWN_ATTRIBUTE", "form"],
  ['<module name="m" from="./m.ts" version="1" />', "UNKNOWN_ATTRIBUTE", "version"],
  ['<module name="m" from="./m.ts">x</module>', "INVALID_STRUCTURE", "x"],
  ["<step id='x'/>", "IMPORTS_INVALID_CHILD", "<step id='x'/>"],
  ["<moduel/>", "IMPORTS_INVALID_CHILD", "<moduel/>"],
  ["<!-- --> ", "IMPORTS_EMPTY", "<imports>"],
] as const) {
  test(`${code}: ${inside.slice(0, 80)}`, () => {
    const said = saidOf(modules(inside));
    assert.deepEqual(said, [[`WOML_${code}`, mark]]);
  });
}

/** Codes and marks of what this page is about: what a project does not hold is said elsewhere. */
function saidOf(text: string): readonly (readonly [string, string])[] {
  const marks = marked(text);
  return codes(text).flatMap((code, at) => (/NOT_FOUND|UNUSED|SHADOWED/.test(code) ? [] : [[code, marks[at] ?? ""] as const]));
}

for (const [name, from] of [
  [REPEATED, "./m.ts"],
  ["class", "../../a.b/c_d-e/F.min.js"],
  ["lifecycle", "./a/../m.ts"],
  ["fetch", "./..ts"],
  ["telegram", "./m.ts"],
  ["discord", "./m.woml"],
  ["add-tax2", "./m.woml"],
  ["state", "./m.woml"],
  [REPEATED, "./m.woml"],
] as const) {
  test(`taken: ${name.slice(0, 20)} from ${from}`, () => assert.deepEqual(saidOf(modules(module(name, from))), []));
}

test("a path is read in linear time, however long", () => {
  for (const piece of ["a", "a/", "../", "./", "-."]) {
    const times = growth(12_500, (count) => {
      const text = modules(module("m", `./${piece.repeat(count)}`));
      return () => check(text);
    });
    assert.ok(times < LINEAR, `${piece}: ${times} times the cost at 16 times the length`);
  }
});
