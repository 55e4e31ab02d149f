import assert from "node:assert/strict";
import { test } from "node:test";
import { GraphQLError, getIntrospectionQuery, parse, specifiedRules, validate } from "graphql";
import { refuseCostly } from "../cost.ts";
import { ALIASES, COST, DEPTH, LIMIT_RULES, TOKENS } from "../limits.ts";
import { openSchema } from "../schema.ts";

const schema = openSchema();

function codes(query: string): readonly unknown[] {
  return validate(schema, parse(query, { maxTokens: TOKENS }), [...specifiedRules, ...LIMIT_RULES]).map(
    ({ extensions }) => extensions["code"],
  );
}
function cost(query: string, variables: Readonly<Record<string, unknown>> = {}): unknown {
  try {
    refuseCostly(schema, parse(query), variables);
    return "fine";
  } catch (error) {
    assert.ok(error instanceof GraphQLError);
    assert.equal(error.extensions["code"], "WOML_QUERY_TOO_COSTLY");
    return error.extensions["actual"];
  }
}

test("events of runs in pages are not too deep, nor is the standard introspection", () => {
  assert.deepEqual(codes("{ runs { edges { node { events { edges { node { data } } } } } } }"), []);
  assert.deepEqual(codes(getIntrospectionQuery()), []);
});

test("depth at its edge and past it, through fragments too", () => {
  const nested = (depth: number): string => `${"a { ".repeat(depth - 1)}a${" }".repeat(depth - 1)}`;
  const only = (query: string): readonly unknown[] => codes(query).filter((code) => code === "WOML_QUERY_TOO_DEEP");
  assert.deepEqual(only(`{ ${nested(DEPTH)} }`), []);
  assert.deepEqual(only(`{ ${nested(DEPTH + 1)} }`), ["WOML_QUERY_TOO_DEEP"]);
  assert.deepEqual(only(`{ a { ...F } } fragment F on Run { ${nested(DEPTH - 1)} }`), []);
  assert.deepEqual(only(`{ a { ...F } } fragment F on Run { ${nested(DEPTH)} }`), ["WOML_QUERY_TOO_DEEP"]);
});

test("introspection that nests lists is refused", () => {
  assert.notDeepEqual(codes("{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }"), []);
});

test("aliases at their edge and past it", () => {
  const query = (count: number): string => `{ ${Array.from({ length: count }, (_, at) => `a${at}: me { admin }`).join(" ")} }`;
  assert.deepEqual(codes(query(ALIASES)), []);
  assert.deepEqual(codes(query(ALIASES + 1)), ["WOML_QUERY_ALIASES_EXCEEDED"]);
});

test("tokens at their edge and past it", () => {
  const query = (tokens: number): string => `{ ${"me ".repeat(tokens - 2)}}`;
  assert.ok(parse(query(TOKENS), { maxTokens: TOKENS }));
  assert.throws(() => parse(query(TOKENS + 1), { maxTokens: TOKENS }), /Document contains more tha/);
});

test("PC-48: cost at its edge and past it: the product of the list sizes", () => {
  const query = (runs: number, events: number): string =>
    `{ runs(first: ${runs}) { edges { node { events(first: ${events}) { edges { cursor } } } } } }`;
  assert.equal(cost(query(50, 100)), "fine");
  assert.equal(cost(query(51, 100)), 5_100);
  assert.equal(cost(query(100, 50)), "fine");
  assert.equal(COST, 5_000);
});

test("cost counts defaults, variables, fragments and what lies side by side, and calls sizes out of range the nearest", () => {
  const events = "edges { node { events { edges { cursor } } } }";
  assert.equal(cost(`{ runs { ${events} } }`), "fine");
  assert.equal(
    cost(`query ($n: Int) { runs(first: $n) { edges { node { events(first: 60) { edges { cursor } } } } } }`, { n: 100 }),
    6_000,
  );
  assert.equal(cost(`query ($n: Int = 100) { runs(first: $n) { edges { node { events(first: 60) { edges { cursor } } } } } }`), 6_000);
  assert.equal(
    cost("{ runs(first: 1000000) { edges { node { ...F } } } } fragment F on Run { events(first: 51) { edges { cursor } } }"),
    5_100,
  );
  assert.equal(
    cost(`{ runs(first: 50) { edges { node { a: events(first: 60) { edges { cursor } } b: events(first: 60) { edges { cursor } } } } } }`),
    6_000,
  );
});

test("fragments that spread each other many times are counted in no time", () => {
  const levels = Array.from({ length: 60 }, (_, at) => `fragment F${at} on Run { ...F${at + 1} ...F${at + 1} ...F${at + 1} }`);
  const query = `{ runs { edges { node { ...F0 } } } } ${levels.join(" ")} fragment F60 on Run { events { edges { cursor } } }`;
  const began = process.cpuUsage();
  assert.equal(typeof cost(query), "number");
  assert.deepEqual(codes("{ run(id: 1) { ...F } } fragment F on Run { ...F }").includes("WOML_QUERY_TOO_DEEP"), false);
  assert.ok(process.cpuUsage(began).user < 1_000_000);
});
