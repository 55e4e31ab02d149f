import assert from "node:assert/strict";
import { test } from "node:test";
import { payloadIssues } from "../index.ts";
import type { Json } from "../value.ts";

const told = (schema: Json, value: Json): readonly string[] =>
  payloadIssues(schema, value).map(({ path, message }) => `${path} ${message}`);

/** A schema, what is as it says, and what is not. */
const CASES: Readonly<Record<string, readonly (readonly [schema: Json, sound: readonly Json[], wrong: readonly Json[]])[]>> = {
  "booleans and the empty schema": [
    [true, [null, {}], []],
    [false, [], [null, {}]],
    [{}, [1, "a"], []],
  ],
  type: [
    [{ type: "integer" }, [1, 1.0, -0, 1e300], [1.5, "1", null]],
    [{ type: "number" }, [1, 1.5], ["1", null, true]],
    [{ type: "object" }, [{}], [[], null, "a"]],
    [{ type: "array" }, [[]], [{}, "a"]],
    [{ type: ["string", "null"] }, ["", null], [1, {}]],
    [{ type: "boolean" }, [true, false], [0, null, ""]],
  ],
  "const and enum": [
    [{ const: { a: [1, { b: 2 }] } }, [{ a: [1, { b: 2 }] }], [{ a: [1, { b: "2" }] }, { a: [1] }]],
    [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
    [{ const: 0 }, [0, -0], [false, "0", null]],
    [{ enum: [[false], "a", null] }, [[false], "a", null], [[0], false, ["a"]]],
    [{ const: "a\u0301" }, ["a\u0301"], ["\u00e1"]],
  ],
  numbers: [
    [{ minimum: 1.1, maximum: 3 }, [1.1, 2, 3, "a"], [1, 3.5]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2], [1, 3]],
    [{ multipleOf: 0.0001 }, [0.0075, 1, 0], [0.00751]],
    [{ multipleOf: 1e-8 }, [12391239123], [1.000000001]],
    [{ multipleOf: 0.01 }, [4.35, 19.99, 1e15], [0.001]],
    [{ multipleOf: 7 }, [-14, 9007199254740988], [15, 0.7]],
    [{ multipleOf: 0.123456789 }, [], [1e308]],
  ],
  texts: [
    [{ minLength: 2, maxLength: 2 }, ["ab", "😀😀", 5], ["a", "😀", "abc"]],
    [{ pattern: "^a*$" }, ["", "aaa", 5], ["abc"]],
    [{ pattern: "a+" }, ["xxaayy"], ["xx"]],
    [{ pattern: "^\\p{Lu}\\p{L}+$" }, ["Éa"], ["éa"]],
    [{ format: "date", contentMediaType: "application/json", contentSchema: { type: "object" } }, ["neither", "{"], []],
  ],
  members: [
    [{ properties: { a: { type: "integer" }, b: false } }, [{ a: 1 }, {}, []], [{ a: "1" }, { b: 1 }]],
    [{ required: ["a", "__proto__", "toString"] }, ["no object"], [{ a: 1 }, {}]],
    [JSON.parse('{"properties":{"__proto__":{"type":"number"},"constructor":{"type":"string"}}}'), [{}], [{ constructor: 1 }]],
    [
      { patternProperties: { "^x-": { type: "string" }, "[0-9]": { minLength: 2 } } },
      [{ "x-1": "ab", y: 1 }],
      [{ "x-a": 1 }, { "x-1": "a" }],
    ],
    [
      { properties: { a: {} }, patternProperties: { "^b": {} }, additionalProperties: { type: "null" } },
      [{ a: 1, bc: 2, d: null }],
      [{ d: 1 }],
    ],
    [{ additionalProperties: false }, [{}], [{ a: 1 }]],
    [{ allOf: [{ properties: { a: {} } }], additionalProperties: { type: "boolean" } }, [{ a: true }], [{ a: 1 }]],
    [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, "a"], [{}, { a: 1, b: 1, c: 1 }]],
    [{ dependentRequired: { a: ["b", "c"] } }, [{ b: 1 }, { a: 1, b: 1, c: 1 }], [{ a: 1, b: 1 }]],
    [
      { dependentSchemas: { a: { properties: { b: { type: "integer" } } }, z: false } },
      [{ a: 1, b: 2 }, { b: "x" }],
      [{ a: 1, b: "x" }, { z: 1 }],
    ],
    [{ dependencies: { a: ["b"], c: { required: ["d"] } } }, [{ a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
  ],
  elements: [
    [{ items: { type: "integer" } }, [[1, 2], [], "a"], [[1, "2"]]],
    [{ prefixItems: [{ type: "integer" }, true], items: { type: "string" } }, [[1], [1, {}], [1, {}, "a"]], [["a"], [1, {}, 2]]],
    [{ prefixItems: [{}], items: false }, [[1], []], [[1, 2]]],
    [{ contains: { const: 1 } }, [[2, 1], "a"], [[], [2]]],
    [
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 2, 1, 1],
      ],
      [[1], [1, 1, 1, 1]],
    ],
    [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
    [{ minContains: 5, maxContains: 0 }, [[1]], []],
    [
      { uniqueItems: true },
      [[1, "1", true, [1], { a: 1, b: 2 }]],
      [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [[[1]], [[1]]],
      ],
    ],
    [{ uniqueItems: false }, [[1, 1]], []],
    [{ minItems: 1, maxItems: 2 }, [[1], {}], [[], [1, 2, 3]]],
  ],
  "other schemas": [
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
    [{ anyOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5, "a"], [1.5]],
    [{ oneOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
    [{ not: { type: "integer" } }, ["a"], [1]],
    [{ not: {} }, [], [1]],
    [JSON.parse('{"if":{"maximum":0},"then":{"minimum":-10},"else":{"multipleOf":2}}'), [-1, 4], [-100, 3]],
    [JSON.parse('{"then":{"const":1},"else":{"const":2}}'), [3], []],
    [JSON.parse('{"if":true,"then":{"const":1},"else":{"const":2}}'), [1], [2]],
  ],
  references: [
    [{ properties: { foo: { $ref: "#" } }, additionalProperties: false }, [{ foo: { foo: false } }], [{ foo: { bar: 1 } }]],
    [{ $ref: "#/$defs/a~1b%25/x", $defs: { "a/b%": { x: { type: "integer" } } } }, [1], ["a"]],
    [{ $ref: "#/$defs/a", maxItems: 2, $defs: { a: { type: "array" } } }, [[1]], [1, [1, 2, 3]]],
    [{ $ref: "#item", $defs: { A: { $anchor: "item", type: "integer" } } }, [1], ["a"]],
    [{ properties: { $ref: { type: "string" } } }, [{ $ref: "a" }], [{ $ref: 1 }]],
    [
      {
        $id: "http://x.example/tree",
        type: "object",
        properties: { nodes: { items: { $ref: "node" } } },
        $defs: { node: { $id: "node", properties: { sub: { $ref: "tree" }, n: { type: "number" } } } },
      },
      [{ nodes: [{ n: 1, sub: { nodes: [] } }] }],
      [{ nodes: [{ n: 1, sub: { nodes: [{ n: "a" }] } }] }],
    ],
    [
      {
        $id: "http://x.example/root",
        $ref: "list",
        $defs: {
          foo: { $dynamicAnchor: "items", type: "string" },
          list: { $id: "list", type: "array", items: { $dynamicRef: "#items" }, $defs: { items: { $dynamicAnchor: "items" } } },
        },
      },
      [["a", "b"], []],
      [["a", 42]],
    ],
    [
      {
        $id: "http://x.example/static",
        $ref: "list",
        $defs: {
          foo: { $dynamicAnchor: "items", type: "string" },
          list: { $id: "list", type: "array", items: { $dynamicRef: "#items" }, $defs: { items: { $anchor: "items" } } },
        },
      },
      [["a", 42]],
      [1],
    ],
    [
      {
        $id: "http://x.example/strict",
        $dynamicAnchor: "node",
        $ref: "tree",
        unevaluatedProperties: false,
        $defs: {
          tree: {
            $id: "tree",
            $dynamicAnchor: "node",
            type: "object",
            properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
          },
        },
      },
      [{ children: [{ data: 1 }] }],
      [{ children: [{ daat: 1 }] }],
    ],
  ],
  "what nobody else has looked at": [
    [{ properties: { a: {} }, unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, [{ a: 1 }], [{ a: 1, b: 1 }]],
    [
      {
        anyOf: [
          { properties: { a: { const: 1 } }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }, { a: 1, b: 2 }],
      [{ b: 1, a: 2 }],
    ],
    [
      JSON.parse(
        '{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"properties":{"b":{}}},"else":{"properties":{"c":{}}},"unevaluatedProperties":false}',
      ),
      [{ a: 1, b: 2 }, { c: 1 }],
      [{ a: 1, c: 1 }, { a: 2 }],
    ],
    [{ not: { not: { properties: { a: {} } } }, unevaluatedProperties: false }, [{}], [{ a: 1 }]],
    [
      { $ref: "#/$defs/x", unevaluatedProperties: { type: "string" }, $defs: { x: { additionalProperties: { minimum: 1 } } } },
      [{ a: 1 }],
      [{ a: 0 }],
    ],
    [
      { dependentSchemas: { a: { properties: { b: {} } } }, properties: { a: {} }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [{ b: 1 }],
    ],
    [{ allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false }, [{ a: 1 }], []],
    [{ properties: { x: { unevaluatedProperties: false, properties: { y: {} } } } }, [{ x: { y: 1 } }], [{ x: { z: 1 } }]],
    [{ prefixItems: [{}], unevaluatedItems: false }, [[1], "a"], [[1, 2]]],
    [{ allOf: [{ items: true }], unevaluatedItems: false }, [[1, 2]], []],
    [
      { anyOf: [{ prefixItems: [true, { const: 2 }] }, true], unevaluatedItems: false },
      [[1, 2], []],
      [
        [1, 3],
        [1, 2, 3],
      ],
    ],
    [{ contains: { type: "string" }, unevaluatedItems: { type: "null" } }, [["a", null]], [["a", 1]]],
    [{ unevaluatedItems: { type: "string" } }, [["a"]], [[1]]],
  ],
  "words that are no keywords": [
    [
      { $defs: { a: { not: {} } }, definitions: { b: false }, "x-required": ["a"], additionalItems: false, description: "d", default: 3 },
      [{}],
      [],
    ],
    [{ enum: [{ $id: "http://x.example/a", $ref: "#/nowhere" }] }, [{ $id: "http://x.example/a", $ref: "#/nowhere" }], [{}]],
  ],
};
for (const [name, cases] of Object.entries(CASES)) {
  test(`a payload and its schema: ${name}`, () => {
    for (const [schema, sound, wrong] of cases) {
      for (const value of sound) assert.deepEqual(told(schema, value), [], `${JSON.stringify(schema)} and ${JSON.stringify(value)}`);
      for (const value of wrong) assert.notDeepEqual(told(schema, value), [], `${JSON.stringify(schema)} and ${JSON.stringify(value)}`);
    }
  });
}

const ORDER: Json = {
  type: "object",
  properties: {
    id: { type: "string", pattern: "^[A-Z]{2}-\\d+$" },
    lines: { type: "array", minItems: 1, items: { $ref: "#/$defs/line" } },
    "a/b~c": { const: 1 },
    how: { oneOf: [{ const: "card" }, { const: "cash" }] },
  },
  required: ["id", "lines", "who"],
  additionalProperties: false,
  $defs: { line: { type: "object", properties: { count: { type: "integer", minimum: 1 } }, required: ["count"] } },
};

test("each issue has its place, as a JSON pointer, and they stand in the order of the places", () => {
  const lines = [{ count: 0 }, {}, ...Array.from({ length: 8 }, () => ({ count: 1 })), { count: "1" }];
  assert.deepEqual(told(ORDER, { id: "ab-1", lines, "a/b~c": 2, how: "card", extra: 1 }), [
    "/a~1b~0c must be 1",
    "/extra is not expected",
    '/id must match the pattern "^[A-Z]{2}-\\\\d+$"',
    "/lines/0/count must be at least 1",
    "/lines/1/count is missing",
    "/lines/10/count must be integer",
    "/who is missing",
  ]);
  assert.deepEqual(told(ORDER, []), [" must be object"]);
});

test("what must be one is told as one", () => {
  assert.deepEqual(told({ minItems: 1 }, []), [" must have at least 1 element"]);
  assert.deepEqual(told({ minItems: 2 }, []), [" must have at least 2 elements"]);
  assert.deepEqual(told({ minProperties: 1 }, {}), [" must have at least 1 member"]);
  assert.deepEqual(told({ minLength: 1 }, ""), [" must have at least 1 character"]);
});

test("there are at most a hundred issues in an answer", () => {
  assert.equal(
    payloadIssues(
      { items: { type: "string" } },
      Array.from({ length: 1_000 }, () => 1),
    ).length,
    100,
  );
});

test("what is told is short, however long the names in a payload and its schema are", () => {
  const [long, many] = ["k".repeat(500_000), Array.from({ length: 200 }, (_, nth) => `m${nth}`)];
  const value = { [long]: Object.fromEntries(many.map((name) => [name, 1])) };
  const closed = { additionalProperties: false };
  const issues = [
    ...payloadIssues({ additionalProperties: closed }, value),
    ...payloadIssues({ properties: { [long]: { required: [long] } } }, value),
    ...payloadIssues({ dependentRequired: { [long]: ["a"] } }, value),
    ...payloadIssues({ properties: { [long]: { const: long } } }, value),
    ...payloadIssues({ $ref: `#/${long}` }, value),
  ];
  assert.equal(issues.length, 104);
  for (const { path, message } of issues) assert.ok(path.length <= 1_025 && message.length <= 300, `${path.length} ${message.length}`);
  assert.ok(issues[0]?.path.startsWith("/kkk") && issues[0].path.endsWith("k…"));
});

const codes = (schema: Json, value: Json): readonly (string | undefined)[] => payloadIssues(schema, value).map(({ code }) => code);

test("what goes round in a circle, or costs too much, is not judged, and says so", () => {
  assert.deepEqual(codes({ $ref: "#" }, 1), ["WOML_PAYLOAD_TOO_COMPLEX"]);
  assert.deepEqual(
    codes({ allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } } }, 1),
    ["WOML_PAYLOAD_TOO_COMPLEX"],
  );
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, nth) => [`d${nth}`, { allOf: [{ $ref: `#/$defs/d${nth + 1}` }, { $ref: `#/$defs/d${nth + 1}` }] }]),
  );
  assert.deepEqual(codes({ $ref: "#/$defs/d0", $defs: { ...doubling, d40: true } }, 1), ["WOML_PAYLOAD_TOO_COMPLEX"]);
  const many = Array.from({ length: 20_000 }, (_, nth) => nth);
  assert.deepEqual(codes({ items: { allOf: Array.from({ length: 1_000 }, () => ({ minimum: 0 })) } }, many), ["WOML_PAYLOAD_TOO_COMPLEX"]);
});

test("who gives fewer steps is told where they do not suffice, and what all of them come to else", () => {
  const [schema, value] = [{ items: { type: "string" } }, Array.from({ length: 1_000 }, () => "a")];
  const [told] = payloadIssues(schema, value, 100);
  assert.deepEqual(told, { path: "", message: "takes more than 100 steps to be judged", code: "WOML_PAYLOAD_TOO_COMPLEX" });
  assert.deepEqual(payloadIssues(schema, value, 100_000), []);
});

test("what schemas hand on of what they have looked at has its price, however little there is to be judged", () => {
  const around = (schema: Json, times: number): Json => (times === 0 ? schema : { allOf: [around(schema, times - 1)] });
  const many = Array.from({ length: 50_000 }, (_, nth) => nth);
  const members = Object.fromEntries(many.map((nth) => [`m${nth}`, nth]));
  for (const [schema, value] of [
    [{ contains: true }, many],
    [{ additionalProperties: true }, members],
  ] as const) {
    assert.deepEqual(codes(around(schema, 5), value), []);
    assert.deepEqual(codes(around(schema, 300), value), ["WOML_PAYLOAD_TOO_COMPLEX"]);
  }
  const listed = Array.from({ length: 300 }, () => ({ dependentSchemas: { m0: { additionalProperties: true } } }));
  assert.deepEqual(codes({ allOf: listed, unevaluatedProperties: false }, members), ["WOML_PAYLOAD_TOO_COMPLEX"]);
});

test("a payload as deep as any may be is judged by a schema that says the same all the way", () => {
  let deep: Json = 1;
  for (let nth = 0; nth < 199; nth++) deep = [deep];
  const list: Json = {
    anyOf: [{ allOf: [{ $ref: "#/$defs/list" }] }, { type: "number" }],
    $defs: { list: { type: "array", items: { $ref: "#" } } },
  };
  assert.deepEqual(told(list, deep), []);
});

test("a schema that is none is told, whoever has stored it", () => {
  for (const schema of [
    { $ref: "#/nowhere" },
    { $ref: "https://example.com/a.json" },
    { pattern: "(" },
    { pattern: "(a)\\1" },
    { items: 5 },
  ])
    assert.deepEqual(codes(schema, ["a"]).length === 0 ? codes(schema, "a") : codes(schema, ["a"]), ["WOML_PAYLOAD_SCHEMA_UNUSABLE"]);
});
