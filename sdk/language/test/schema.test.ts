import assert from "node:assert/strict";
import { test } from "node:test";
import { tried } from "@woml/model/testing";
import fc from "fast-check";
import { breakOf } from "../schema/break.ts";
import { parsed } from "../schema/json.ts";
import { check, codes } from "./sources.ts";
import { lowered, told, triggered } from "./triggers.ts";

const within = (body: string): string => `<webhook id="h" path="/" auth="none"><schema>${body}</schema></webhook>`;
/** Less-than signs stand in JSON as escapes: a schema is markup. */
const written = (schema: unknown): string => JSON.stringify(schema).replaceAll("<", "\\u003c");
/** The codes, and what the messages say of which place. */
const messages = (schema: unknown): readonly string[] =>
  check(triggered(within(written(schema)))).diagnostics.map(({ code, message }) => `${code.slice("WOML_".length)} ${message}`);

const SCHEMAS: readonly unknown[] = [
  {},
  { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "https://example.com/order", type: "object" },
  { type: ["object", "null"], title: "T", description: "a < b", $comment: "c", default: [1], examples: [{}], deprecated: false },
  { properties: { a: true, b: false, "": { const: null } }, required: ["a", "b"], additionalProperties: false, minProperties: 0 },
  { enum: [1, 1, "a"], format: "no-such-format", "x-anything": { properties: 5 }, additionalItems: 3, multipleOf: 0.01 },
  { prefixItems: [{ type: "integer" }], items: { minimum: -1.5 }, contains: {}, minContains: 0, maxContains: 2.0, uniqueItems: true },
  JSON.parse('{"allOf":[{"if":{"required":["a"]},"then":{"not":{}},"else":true}]}'),
  { dependentRequired: { a: ["b"] }, dependentSchemas: { a: {} } },
  { dependencies: { a: ["b"], c: { type: "string" } }, unevaluatedProperties: false, propertyNames: { pattern: "^[a-z]+$" } },
  { $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } }, $ref: "#/$defs/node" },
  { $ref: "#item", $defs: { item: { $anchor: "item", type: "string" } } },
  { $ref: "#", properties: { "a/b~c %": { $ref: "#/properties/a~1b~0c%20%25" } } },
  {
    $id: "https://example.com/a/b",
    properties: { x: { $ref: "c" }, y: { $ref: "/a/c#/properties/z" } },
    $defs: { c: { $id: "c", properties: { z: {} } } },
  },
  { $dynamicRef: "#node", $defs: { node: { $dynamicAnchor: "node" } } },
  { $ref: "#/components/a", components: { a: { type: "string" } } },
  { properties: { home: { $id: "address", type: "string" }, work: { $id: "address", type: "string" } } },
  JSON.parse('{"$defs":{"unused":{"$ref":"#/nowhere","pattern":"["}},"then":{"$ref":"#/nowhere"}}'),
  { patternProperties: { "^\\p{Lu}\\d{1,3}(?:-[a-z/]+)*$": { maxLength: 10 }, "": {} }, pattern: "(?<year>\\d{4})|\\u{1F600}" },
];
for (const schema of SCHEMAS) {
  test(`a schema: ${JSON.stringify(schema).slice(0, 80)}`, () => {
    assert.deepEqual(messages(schema), []);
    assert.deepEqual(lowered(within(written(schema))), { id: "h", kind: "webhook", path: "/", schema });
  });
}

const REFUSED: readonly (readonly [unknown, string])[] = [
  [[], "The schema must be a JSON object."],
  [true, "The schema must be a JSON object."],
  [
    { type: "nope" },
    'In the schema, "/type" must be one of null, boolean, object, array, number, string, integer, or a list of different ones.',
  ],
  [{ properties: { a: { type: [] } } }, '"/properties/a/type" must be one of'],
  [{ type: ["string", "string"] }, '"/type" must be one of'],
  [{ $schema: "http://json-schema.org/draft-07/schema#" }, '"/$schema" must be "https://json-schema.org/draft/2020-12/schema"'],
  [{ $id: "a#b" }, '"/$id" must be an address without'],
  [{ $anchor: "1a" }, '"/$anchor" must be a name'],
  [{ $ref: 1 }, '"/$ref" must be a text'],
  [{ $vocabulary: { a: 1 } }, '"/$vocabulary" must be an object of true and false'],
  [{ $defs: { a: 1 } }, '"/$defs/a" must be a schema'],
  [{ definitions: [] }, '"/definitions" must be an object of schemas'],
  [{ items: [{}] }, '"/items" must be a schema'],
  [{ prefixItems: [] }, '"/prefixItems" must be a list of schemas, at least one'],
  [{ allOf: [{ minimum: "1" }] }, '"/allOf/0/minimum" must be a number'],
  [{ multipleOf: 0 }, '"/multipleOf" must be a number above 0'],
  [{ maxLength: -1 }, '"/maxLength" must be a whole number, 0 or more'],
  [{ minItems: 1.5 }, '"/minItems" must be a whole number, 0 or more'],
  [{ required: "a" }, '"/required" must be a list of different texts'],
  [{ required: ["a", "a"] }, '"/required" must be a list of different texts'],
  [{ dependentRequired: { a: [1] } }, '"/dependentRequired" must be an object of lists'],
  [{ dependencies: { a: ["b", "b"] } }, '"/dependencies/a" must be a schema'],
  [{ enum: [] }, '"/enum" must be a list of at least one value'],
  [{ uniqueItems: 1 }, '"/uniqueItems" must be true or false'],
  [{ examples: {} }, '"/examples" must be a list'],
  [{ contentSchema: { type: 1 } }, '"/contentSchema/type" must be one of'],
  [{ $ref: "#/$defs/a" }, '"/$ref" leads to nothing in this schema, and nothing is fetched.'],
  [{ $ref: "https://example.com/order.json" }, '"/$ref" leads to nothing'],
  [{ $ref: "#/properties/length", properties: {} }, '"/$ref" leads to nothing'],
  [{ $ref: "#a%" }, '"/$ref" leads to nothing'],
  [{ $ref: "#/title", title: "T" }, '"/title" must be a schema'],
  [{ $ref: "#/x/a", x: { a: { type: 1 } } }, '"/x/a/type" must be one of'],
  [{ $defs: { a: { $id: "b", $defs: { c: {} } } }, $ref: "#/$defs/c" }, '"/$ref" leads to nothing'],
  [{ allOf: [{ $anchor: "a" }, { $anchor: "a", type: "null" }] }, '"/allOf/1" has the anchor of another schema'],
  [{ allOf: [{ $id: "a" }, { $id: "a", type: "null" }] }, '"/allOf/1" has the address of another schema'],
  [{ pattern: "[" }, '"/pattern" must be a regular expression'],
  [{ pattern: "*a" }, '"/pattern" must be a regular expression'],
  [{ pattern: "\\-" }, '"/pattern" must be a regular expression'],
  [{ patternProperties: { "a)(": {} } }, '"/patternProperties/a)(" must be a regular expression'],
  [JSON.parse('{"properties":{"__proto__":{}}}'), '"/properties/__proto__" cannot be stored'],
  [{ const: "\0" }, '"/const" cannot be stored'],
  [{ const: "\ud800" }, '"/const" cannot be stored'],
];
for (const [schema, message] of REFUSED) {
  test(`no schema: ${JSON.stringify(schema).slice(0, 80)}`, () => {
    const [first, ...more] = messages(schema);
    assert.ok(first?.startsWith("WEBHOOK_SCHEMA_INVALID ") && first.includes(message), first ?? "");
    assert.deepEqual(more, []);
  });
}

const PATTERNS: readonly (readonly [string, string | null])[] = [
  ["(?=a)b", "look-around"],
  ["(?<!a)b", "look-around"],
  ["[(?=]\\(?:a", null],
  ["(a)\\1", "back reference"],
  ["(?<n>a)\\k<n>", "back reference"],
  ["\\\\1", null],
  ["a{20000}", null],
  ["a{20001}", "20000 states"],
  ["(?:ab?){10,}(?:[a-z]{100}){30}", null],
  ["((a{30}){30}){30}", "20000 states"],
  ["a{99999999999999999999999}", "20000 states"],
  [`${"(".repeat(201)}a${")".repeat(201)}`, "200 deep"],
  [Array.from({ length: 1_001 }, (_, at) => `(?<n${at}>a)`).join(""), "too many groups"],
];
for (const [pattern, why] of PATTERNS) {
  test(`a pattern: ${pattern.slice(0, 40)}`, () => {
    const [first, ...more] = messages({ properties: { a: { pattern } } });
    assert.deepEqual(more, []);
    if (why === null) assert.equal(first, undefined);
    else
      assert.ok(
        first?.startsWith('SCHEMA_PATTERN_UNSUPPORTED In the schema, "/properties/a/pattern" ') && first.includes(why),
        first ?? "",
      );
  });
}

test("a schema is the text of its element, without comments, its entities as written", () => {
  assert.deepEqual(lowered(within('<!-- a --> {"title":"a &lt; b"<!-- } -->}\n')), {
    ...{ id: "h", kind: "webhook", path: "/" },
    schema: { title: "a &lt; b" },
  });
});

test("what is no JSON is told where the body begins", () => {
  assert.deepEqual(told(within('\n  {"a":}\n')), ['WEBHOOK_SCHEMA_JSON_INVALID {"a":}']);
  assert.deepEqual(told(within("")), ["WEBHOOK_SCHEMA_JSON_INVALID <schema>"]);
  assert.deepEqual(told(within("<!-- {} -->")), ["WEBHOOK_SCHEMA_JSON_INVALID <schema>"]);
  assert.deepEqual(told(within("{} {}")), ["WEBHOOK_SCHEMA_JSON_INVALID {} {}"]);
  assert.deepEqual(told(within("{&quot;a&quot;:1}")), ["WEBHOOK_SCHEMA_JSON_INVALID {&quot;a&quot;:1}"]);
  assert.deepEqual(told(within('{"const":1e999}')), ['WEBHOOK_SCHEMA_INVALID {"const":1e999}']);
});

test("a fault of JSON is found", () => {
  const fault = (body: string): string | undefined => check(triggered(within(body))).diagnostics[0]?.message;
  assert.equal(fault('{\n  "a": [1, 2,],\n}'), "From line 2, column 14 on this is no JSON.");
  assert.equal(fault('\n{"a":1<!-- } -->,\n'), "From line 3, column 1 on this is no JSON.");
});

/** Whether something makes JSON of a text when it stands behind it. */
function canGoOn(text: string): boolean {
  const closers: string[] = [];
  for (const character of text.replace(/"(?:\\.|[^"\\])*"/g, "")) {
    if (character === "{" || character === "[") closers.unshift(character === "{" ? "}" : "]");
    else if (character === "}" || character === "]") closers.shift();
  }
  return ["", "1", ":1", '"a":1'].some((more) => parsed(text + more + closers.join("")) !== undefined);
}

test("a text breaks at the first token behind which nothing makes JSON of it", () => {
  const piece = fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', "1", "-", "true", "nul", " ", '"', "\\", "0.5e3", "01", '"a":1');
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (written) => {
      fc.pre(parsed(written) === undefined);
      const at = breakOf(written);
      assert.ok(canGoOn(written.slice(0, at)));
      if ("{}[],:".includes(written[at] ?? "-")) assert.ok(!canGoOn(written.slice(0, at + 1)));
    }),
    { numRuns: tried(3_000), examples: [['"\\"{"a"']] },
  );
});

test("an event's schema has codes of its own", () => {
  const event = (inside: string): string => `<event id="e" name="a.b">${inside}</event>`;
  assert.deepEqual(lowered(event('<schema>{"type":"object"}</schema>')), {
    id: "e",
    kind: "signal",
    name: "a.b",
    schema: { type: "object" },
  });
  assert.deepEqual(told(event("<schema>{</schema>")), ["EVENT_SCHEMA_JSON_INVALID {"]);
  assert.deepEqual(told(event("<schema>1</schema>")), ["EVENT_SCHEMA_INVALID 1"]);
  assert.deepEqual(told(event('<schema>{"pattern":"(?!a)"}</schema>')), ['SCHEMA_PATTERN_UNSUPPORTED {"pattern":"(?!a)"}']);
  assert.deepEqual(told(event("<schema>{}</schema><schema />")), ["EVENT_STRUCTURE_INVALID <schema />"]);
  assert.deepEqual(told(event("<schema>{<result value='a' />}</schema>")), ["EVENT_SCHEMA_STRUCTURE_INVALID <result value='a' />"]);
});

test("all that is wrong with a schema is told, up to twenty things", () => {
  assert.equal(messages({ type: 1, minimum: "1", properties: { a: { required: 1 } } }).length, 3);
  assert.equal(messages({ anyOf: Array.from({ length: 30 }, () => ({ type: 1 })) }).length, 20);
});

const LARGE: readonly (readonly [string, string, readonly string[]])[] = [
  ["nested", `${'{"not":'.repeat(60_000)}{}${"}".repeat(60_000)}`, ["WOML_WEBHOOK_SCHEMA_INVALID"]],
  ["nested to the limit", `${'{"not":'.repeat(99)}{}${"}".repeat(99)}`, []],
  ["unclosed", "[".repeat(900_000), ["WOML_WEBHOOK_SCHEMA_JSON_INVALID"]],
  [
    "a circle of references",
    written({
      $ref: "#/$defs/0",
      $defs: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [at, { $ref: `#/$defs/${(at + 1) % 20_000}` }])),
    }),
    [],
  ],
  [
    "many addresses below a long one",
    written({ $id: "x/".repeat(1_000), allOf: Array.from({ length: 20_000 }, (_, at) => ({ $id: `${at}` })) }),
    [],
  ],
  ["an address too long", written({ $id: "x".repeat(2_049) }), ["WOML_WEBHOOK_SCHEMA_INVALID"]],
  ["a large pattern", written({ pattern: "(a|b)*".repeat(150_000) }), ["WOML_SCHEMA_PATTERN_UNSUPPORTED"]],
];
for (const [name, body, expected] of LARGE) {
  test(`a large schema: ${name}`, () => {
    const began = process.cpuUsage();
    assert.deepEqual(codes(triggered(within(body))), expected);
    assert.ok(process.cpuUsage(began).user < 10_000_000);
  });
}
