import assert from "node:assert/strict";
import { test } from "node:test";
import { either, integer, list, matching, none, one, optional, type Rule, record, table, text } from "../strict.ts";

const kept = (rule: Rule, values: readonly unknown[]): void => {
  for (const value of values) assert.equal(rule(value), undefined, JSON.stringify(value));
};
const refused = (rule: Rule, values: readonly unknown[]): void => {
  for (const value of values) assert.equal(typeof rule(value), "string", JSON.stringify(value));
};

test("a record has its fields and no other", () => {
  const rule = record<{ readonly a: number; readonly b?: string }>({ a: integer(1, 3), b: optional(text(2)) });
  kept(rule, [{ a: 1 }, { a: 3, b: "" }, { a: 2, b: "xy" }]);
  refused(rule, [
    null,
    [],
    "a",
    {},
    { a: 0 },
    { a: 4 },
    { a: 1.5 },
    { a: 1, b: "xyz" },
    { a: 1, c: 1 },
    JSON.parse('{"a":1,"__proto__":{}}'),
  ]);
  assert.equal(rule({ b: "" }), "lacks a");
  assert.equal(rule({ a: 1, ["x".repeat(99)]: 1 }), "has a field that is not known");
});

test("one of several, nothing, a form", () => {
  const rule = either(none, one("a", "b"), integer(7, 7));
  kept(rule, [null, "a", "b", 7]);
  refused(rule, [undefined, "c", 8, [], {}]);
  kept(matching(/^[a-f]{2}$/), ["ab", "ff"]);
  refused(matching(/^[a-f]{2}$/), ["a", "abc", "ab\n", ["ab"], null]);
});

test("a table is bounded, and its names are of a form", () => {
  const rule = table(/^(?!__proto__$)\w{1,9}$/, integer(0, 9), 2);
  kept(rule, [{}, { a: 1 }, { a: 1, b: 2 }]);
  refused(rule, [null, [], { a: 10 }, { "a b": 1 }, { a: 1, b: 1, c: 1 }, JSON.parse('{"__proto__":1}')]);
  kept(list(rule, 2), [[], [{}], [{}, { a: 1 }]]);
  refused(list(rule, 2), [{}, [{}, {}, {}], [{ a: -1 }]]);
});
