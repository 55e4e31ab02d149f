import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accept, canonical, graph, type Json, LIMITS } from "../index.ts";
import { build } from "./build.ts";
import { arbitraryDefinition, arbitraryWhole, shuffled } from "./definitions.ts";
import { accepted, flow, refused } from "./given.ts";
import { arbitraryPlan, arbitraryWholePlan, type Plan } from "./plan.ts";
import { tried } from "./tried.ts";

const either = fc.oneof(arbitraryDefinition, arbitraryWhole);

test("a definition made of flows is accepted, and sees what the rules of flows say", () => {
  const see = (plan: Plan): void => {
    const { definition, seen } = build(plan);
    const made = graph(accepted(definition));
    const bodies = definition.nodes.flatMap(({ kind, id }) => (kind === "for-each" ? made.body(id) : []));
    for (const [id, expected] of seen) {
      const walk = [made, ...bodies].find((one) => one.has(id));
      assert.deepEqual(walk?.visible(id), expected, id);
    }
  };
  fc.assert(fc.property(arbitraryPlan, see), { numRuns: tried(200) });
  fc.assert(fc.property(arbitraryWholePlan, see), { numRuns: tried(200) });
});

test("the order of nodes, edges and keys means nothing", () => {
  const pairs = either.chain((definition) => fc.tuple(fc.constant(definition), shuffled(definition)));
  fc.assert(
    fc.property(pairs, ([definition, other]) => {
      assert.equal(canonical(accepted(other)), canonical(accepted(definition)));
    }),
  );
});

test("what is accepted is accepted again, unchanged, from its canonical text", () => {
  fc.assert(
    fc.property(either, (definition) => {
      const text = canonical(accepted(definition));
      assert.equal(canonical(accepted(JSON.parse(text))), text);
    }),
  );
});

test("the answer shares nothing with what was given", () => {
  const given = flow();
  const taken = accepted(given);
  const text = canonical(taken);
  given.workflow.id = "changed";
  for (const node of given.nodes) node.id = "changed";
  for (const edge of given.edges) edge.to = "changed";
  assert.equal(canonical(taken), text);
});

test("accept never throws and always answers one of its two shapes", () => {
  const anything = fc.oneof(fc.jsonValue(), fc.anything(), mangled());
  fc.assert(
    fc.property(anything, (value) => {
      const answer = accept(value);
      assert.ok("definition" in answer || answer.violations.length > 0);
    }),
    { numRuns: tried(500) },
  );
});

test("what is no JSON value is refused by its path", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (const value of [undefined, () => 1, 1n, Symbol("x"), new Date(0), new Map(), [undefined], Array(2)]) {
    assert.equal(refused(value)[0]?.code, "WOML_JSON_NOT_A_VALUE");
  }
  assert.equal(refused(cyclic)[0]?.code, "WOML_JSON_TOO_DEEP");
  assert.deepEqual(refused({ ...flow(), result: Number.NaN })[0]?.code, "WOML_JSON_NUMBER_OUT_OF_RANGE");
});

test("text that cannot be stored is refused wherever it stands", () => {
  const nul = flow();
  nul.workflow.name = "a\0b";
  assert.deepEqual(codesAt(refused(nul)), ["WOML_JSON_NUL_CHARACTER /workflow/name"]);
  const lone = { ...flow(), "\ud800": 1 };
  assert.deepEqual(codesAt(refused(lone)), ["WOML_JSON_LONE_SURROGATE /\ud800"]);
  const proto = JSON.parse(JSON.stringify(flow()).replace('"schemaVersion"', '"__proto__":{"a":1},"schemaVersion"'));
  assert.deepEqual(codesAt(refused(proto)), ["WOML_JSON_FORBIDDEN_KEY /__proto__"]);
});

test("ids that name members of every object are ids like others", () => {
  const given = JSON.parse(JSON.stringify(flow()).replaceAll('"c:select"', '"constructor"').replaceAll('"a"', '"toString"'));
  const made = graph(accepted(given));
  assert.deepEqual(made.visible("constructor"), ["toString"]);
  assert.equal(made.has("valueOf"), false);
});

test("one byte past 2 MiB is too large, whatever else is wrong", () => {
  const fill = (bytes: number) => ({ filler: "x".repeat(bytes - '{"filler":""}'.length) });
  assert.equal(refused(fill(LIMITS.definitionBytes))[0]?.code, "WOML_DEFINITION_INVALID");
  assert.deepEqual(
    refused(fill(LIMITS.definitionBytes + 1)).map(({ code }) => code),
    ["WOML_DEFINITION_TOO_LARGE"],
  );
});

test("all violations come at once, sorted by place, and never more than a hundred", () => {
  const given = flow();
  given.edges.push({ from: "nobody", to: "a" }, { from: "a", to: "nowhere" }, { from: "a", to: "nowhere" });
  given.triggers.push({ id: "go", kind: "manual" });
  assert.deepEqual(codesAt(refused(given)), [
    "WOML_UNKNOWN_EDGE_ENDPOINT /edges/10/from",
    "WOML_UNKNOWN_EDGE_ENDPOINT /edges/11/to",
    "WOML_DUPLICATE_EDGE /edges/12",
    "WOML_UNKNOWN_EDGE_ENDPOINT /edges/12/to",
    "WOML_DUPLICATE_TRIGGER_ID /triggers/1/id",
  ]);
  given.edges = Array.from({ length: 3_000 }, () => ({ from: "x", to: "y" }));
  assert.equal(refused(given).length, LIMITS.violations);
});

const codesAt = (violations: readonly { code: string; path: string }[]): string[] => violations.map(({ code, path }) => `${code} ${path}`);

/** A definition in which one member, however deep, was replaced by something else or taken away. */
function mangled(): fc.Arbitrary<Json> {
  return fc.tuple(either, fc.nat(10_000), fc.option(fc.jsonValue())).map(([definition, at, other]) => {
    const copy = JSON.parse(JSON.stringify(definition)) as Json;
    const places: { holder: Record<string, unknown>; key: string }[] = [];
    const collect = (value: unknown): void => {
      if (value === null || typeof value !== "object") return;
      for (const [key, member] of Object.entries(value)) {
        places.push({ holder: value as Record<string, unknown>, key });
        collect(member);
      }
    };
    collect(copy);
    const place = places[at % places.length];
    if (place && other === null) delete place.holder[place.key];
    else if (place) place.holder[place.key] = other;
    return copy;
  });
}
