import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { graph } from "../index.ts";
import { arbitraryDefinition } from "./definitions.ts";
import { accepted, flow } from "./given.ts";

test("a graph answers the questions of the engine", () => {
  const walk = graph(accepted(flow()));
  assert.deepEqual([walk.entries, walk.terminals], [["a"], ["e"]]);
  assert.deepEqual(walk.children("p"), ["x", "y"]);
  assert.deepEqual([walk.parallelOf("x"), walk.parallelOf("z"), walk.parallelOf("a")], ["p", null, null]);
  assert.deepEqual([walk.openerOf("p"), walk.openerOf("c")], ["p:open", "c:select"]);
  assert.deepEqual(walk.armOf("x"), { choice: "c", arm: "big", outer: null, depth: 1 });
  assert.deepEqual([walk.armOf("c"), walk.armOf("c:select"), walk.armOf("e")], [null, null, null]);
  assert.deepEqual(
    walk.incoming("c").map(({ from }) => from),
    ["p", "z"],
  );
  assert.deepEqual([walk.visible("p"), walk.visible("c"), walk.visible("e")], [["a", "x", "y"], ["a"], ["a", "c"]]);
});

test("what the definition does not have throws", () => {
  const walk = graph(accepted(flow()));
  for (const ask of [walk.node, walk.visible, walk.armOf, walk.openerOf, walk.children]) assert.throws(() => ask("toString"));
  assert.equal(walk.has("toString"), false);
});

test("sees is visible, asked for one; entries and last nodes stand in no arm", () => {
  fc.assert(
    fc.property(arbitraryDefinition, (definition) => {
      const walk = graph(definition);
      for (const { id } of definition.nodes) {
        const list = definition.nodes.map((node) => node.id).filter((other) => walk.sees(id, other));
        assert.deepEqual(list.sort(), walk.visible(id));
      }
      for (const id of [...walk.entries, ...walk.terminals]) assert.equal(walk.armOf(id), null);
    }),
    { numRuns: 50 },
  );
});
