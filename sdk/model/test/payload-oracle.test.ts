// Our interpreter of JSON Schema against another's of 2020-12 (whose patterns are JavaScript's, and whose time nobody counts: no judge of what
// strangers send): of schemas and values made at random both say the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { registerSchema, type SchemaObject, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import fc from "fast-check";
import { payloadIssues } from "../index.ts";
import type { Json } from "../value.ts";
import { tried } from "./tried.ts";

/** Few of each, so that what a schema asks for is often there, and as often not. */
const NAMES = fc.constantFrom("a", "b", "ab", "c");
const TEXTS = fc.constantFrom("", "a", "b", "ab", "aab", "\u{1F600}", "e\u0301", "2026-12-01");
const NUMBERS = fc.constantFrom(-2, -1, 0, 1, 2, 3, 4, 0.5, 1.5, 2.25);
const PATTERNS = fc.constantFrom("^a", "b$", "a+b", "^(a|b)*$", "[^a]", "^.$", "\\d{4}-\\d\\d", "^\\p{L}", "^$");
const COUNTS = fc.constantFrom(0, 1, 2, 3);
const TYPES = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");

const VALUES: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom<Json>(null, true, false),
    NUMBERS,
    TEXTS,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(NAMES, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

/** Some of the keywords, in any order: it must not matter. */
const some = (keywords: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<Json> =>
  fc
    .shuffledSubarray(Object.keys(keywords), { maxLength: 5 })
    .chain((names) => fc.tuple(...names.map((name) => keywords[name] ?? VALUES)).map((values) => joined(names, values)));
const joined = (names: readonly string[], values: readonly Json[]): Json =>
  Object.fromEntries(names.map((name, at) => [name, values[at] ?? null]));
const membersOf = (names: fc.Arbitrary<string>, value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.dictionary(names, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true });

const GENERAL: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  type: fc.oneof(TYPES, fc.uniqueArray(TYPES, { minLength: 1, maxLength: 3 })),
  const: VALUES,
  enum: fc.array(VALUES, { minLength: 1, maxLength: 3 }),
  $ref: fc.constantFrom("#/$defs/one", "#/$defs/two", "#two"),
};
const SCALARS = {
  ...{ minimum: NUMBERS, maximum: NUMBERS, exclusiveMinimum: NUMBERS, exclusiveMaximum: NUMBERS },
  ...{ multipleOf: fc.constantFrom(1, 2, 0.5, 3), minLength: COUNTS, maxLength: COUNTS, pattern: PATTERNS },
};

/** Schemas of all keywords that say something of a value, so deep at most. References lead to `$defs` of the whole. */
function schemasOf(depth: number): fc.Arbitrary<Json> {
  if (depth === 0) return fc.oneof(fc.boolean(), some({ ...GENERAL, ...SCALARS }));
  const schema = schemasOf(depth - 1);
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const names = fc.uniqueArray(NAMES, { maxLength: 2 });
  /** Of what is left over: most of what is said of it is that there may be none. */
  const left = fc.oneof(fc.constant(false), schema);
  const elements = {
    ...{ prefixItems: list, items: left, contains: schema, minContains: COUNTS, maxContains: COUNTS },
    ...{ minItems: COUNTS, maxItems: COUNTS, uniqueItems: fc.boolean(), unevaluatedItems: left },
  };
  const parts = {
    ...{ properties: membersOf(NAMES, schema), patternProperties: membersOf(PATTERNS, schema), additionalProperties: left },
    ...{ propertyNames: schema, required: names, minProperties: COUNTS, maxProperties: COUNTS, unevaluatedProperties: left },
    ...{ dependentRequired: membersOf(NAMES, names), dependentSchemas: membersOf(NAMES, schema) },
  };
  const whole = {
    ...{ allOf: list, anyOf: list, oneOf: list, not: schema },
    ...Object.fromEntries(["if", "then", "else"].map((name) => [name, schema])),
  };
  const groups = [{ ...elements, ...whole }, { ...parts, ...whole }, elements, parts, { ...GENERAL, ...SCALARS, ...whole }];
  return fc.oneof(...groups.map(some), fc.boolean());
}

const WHOLE: fc.Arbitrary<Json> = fc
  .tuple(schemasOf(3), fc.constantFrom<Json>({ type: "string" }, { properties: { a: { type: "integer" } } }, { minItems: 1, items: true }))
  .map(([schema, one]) => ({ $defs: { one, two: { $anchor: "two", maxProperties: 2, prefixItems: [true] } }, allOf: [schema] }));

const SAMPLES: fc.Arbitrary<readonly Json[]> = (() => {
  const objects = fc.dictionary(NAMES, VALUES, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
  const arrays = fc.array(VALUES, { minLength: 1, maxLength: 4 });
  return fc.tuple(...[VALUES, VALUES, objects, objects, objects, arrays, arrays, arrays]);
})();

test("what our reading of a schema accepts and refuses, another's does too", async () => {
  const seen = { sound: 0, wrong: 0 };
  const id = "https://example.com/schema";
  const check = async (schema: Json, values: readonly Json[]): Promise<void> => {
    registerSchema(schema as SchemaObject, id, "https://json-schema.org/draft/2020-12/schema");
    try {
      const judge = await validate(id);
      for (const value of values) {
        const issues = payloadIssues(schema, value);
        assert.equal(issues.length === 0, judge(value as Parameters<typeof judge>[0]).valid, JSON.stringify({ schema, value, issues }));
        seen[issues.length === 0 ? "sound" : "wrong"] += 1;
      }
    } finally {
      unregisterSchema(id);
    }
  };
  await fc.assert(fc.asyncProperty(WHOLE, SAMPLES, check), { numRuns: tried(2_000) });
  assert.ok(Math.min(seen.sound, seen.wrong) > 500, JSON.stringify(seen));
});
