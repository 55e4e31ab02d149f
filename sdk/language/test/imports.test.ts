import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, step, workflow } from "./sources.ts";

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

test("modules are not run yet, and what they are called in scripts is not reported again", () => {
  assert.deepEqual(codes(document('<imports><module name="m" from="./m.js"/></imports>', "return services.m.go();")), [
    "WOML_FEATURE_NOT_EXECUTABLE",
  ]);
});
