import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accept, checkText, JSON_DEPTH, type Json, LIMITS, parseJson, utf8Bytes } from "../index.ts";

const limits = { bytes: 10_000_000 };
const fault = (text: string, bytes = limits.bytes) => {
  const parsed = parseJson(text, { bytes });
  return "error" in parsed ? `${parsed.error.code} ${parsed.error.path}` : "taken";
};
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

test("what is no JSON, or too long, is refused", () => {
  for (const text of ["", "{", "undefined", "NaN", "'a'", "{a:1}", "[1,]", "\ufeff1"]) assert.equal(fault(text), "WOML_JSON_INVALID ");
  assert.equal(fault('"éé"', 6), "taken");
  assert.equal(fault('"éé"', 5), "WOML_JSON_TOO_LARGE ");
});

test("the first string that cannot be stored is named by its JSON pointer", () => {
  assert.equal(fault(String.raw`{"a":["ok","b\u0000"],"c":"\u0000"}`), "WOML_JSON_NUL_CHARACTER /a/1");
  assert.equal(fault(String.raw`{"x/y":{"m~n":"\ud83d"}}`), "WOML_JSON_LONE_SURROGATE /x~1y/m~0n");
  assert.equal(fault(String.raw`{"a":{"\u0000":1}}`), "WOML_JSON_NUL_CHARACTER /a/\0");
  assert.equal(fault(String.raw`"\ud83d\ude00"`), "taken");
});

test("the key __proto__ is refused at any depth, its neighbours are not", () => {
  assert.equal(fault('{"a":[{"__proto__":null}]}'), "WOML_JSON_FORBIDDEN_KEY /a/0/__proto__");
  assert.equal(fault('{"constructor":1,"prototype":2,"toString":3}'), "taken");
});

test("a number beyond a double is refused, not made infinite", () => {
  assert.equal(fault("[1e308]"), "taken");
  assert.equal(fault("[1e309]"), "WOML_JSON_NUMBER_OUT_OF_RANGE /0");
});

test("a path is shown to a length that an answer can carry, however long the keys are", () => {
  const key = "k".repeat(100_000);
  const members = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, "\0"]));
  const found = accept({ [key]: members });
  assert.ok("violations" in found);
  assert.equal(found.violations.length, LIMITS.violations);
  assert.ok(JSON.stringify(found).length < 200_000);
  assert.ok((checkText({ [`${"k".repeat(1_022)}\u{1f600}`]: "\0" })?.path ?? "\ud800").isWellFormed());
  assert.ok(JSON.stringify(accept({ [key]: 1 })).length < 10_000);
});

test("nesting is taken to its limit and not a level further; a million levels do no harm", () => {
  assert.equal(fault(nested(JSON_DEPTH)), "taken");
  assert.equal(fault(nested(JSON_DEPTH + 1)), `WOML_JSON_TOO_DEEP ${"/0".repeat(JSON_DEPTH)}`);
  assert.equal(fault(nested(1_000_000)).slice(0, 18), "WOML_JSON_TOO_DEEP");
});

test("checkText passes what JSON can say, and names what it cannot", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => checkText(JSON.parse(JSON.stringify(value).replaceAll("\\u0000", "").replaceAll("__proto__", "p"))) === null,
    ),
  );
  assert.equal(checkText({ a: undefined } as unknown as Json)?.code, "WOML_JSON_NOT_A_VALUE");
  assert.equal(checkText([1, Array(1)] as unknown as Json)?.path, "/1/0");
});

test("utf8Bytes counts as an encoder does", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => utf8Bytes(text) === new TextEncoder().encode(text).length));
  const units = fc.array(fc.integer({ min: 0xd700, max: 0xe000 })).map((codes) => String.fromCharCode(...codes));
  fc.assert(fc.property(units, (text) => utf8Bytes(text) === new TextEncoder().encode(text).length));
});
