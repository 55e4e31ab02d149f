import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { graph } from "../index.ts";
import { arbitraryDefinition, arbitraryWhole } from "./definitions.ts";
import { accepted, flow } from "./given.ts";
import { whole } from "./whole.ts";

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

test("a graph knows forks, approvals and the bodies of loops", () => {
  const walk = graph(accepted(whole()));
  assert.deepEqual([walk.entries, walk.terminals], [["a"], ["b2", "loop"]]);
  assert.deepEqual([walk.openerOf("f"), walk.openerOf("ok:end"), walk.openerOf("route")], ["f:fork", "ok", "route:switch"]);
  assert.deepEqual(walk.armOf("b2"), { choice: "f", arm: "second", outer: null, depth: 1 });
  assert.deepEqual(walk.armOf("yes"), { choice: "ok:end", arm: "approved", outer: null, depth: 1 });
  assert.deepEqual([walk.armOf("f"), walk.armOf("f:fork"), walk.armOf("ok")], [null, null, null]);
  assert.deepEqual(
    [walk.visible("ok"), walk.visible("yes"), walk.visible("b2"), walk.visible("f")],
    [["a"], ["a", "ok"], ["a", "ok"], ["a", "b1", "ok"]],
  );
  const body = walk.body("loop");
  assert.deepEqual([body.entries, body.terminals], [["inner"], ["pick"]]);
  assert.deepEqual(
    [body.visible("inner"), body.visible("pick"), walk.visible("loop")],
    [
      ["a", "b1", "ok"],
      ["a", "b1", "inner", "ok"],
      ["a", "b1", "ok"],
    ],
  );
  assert.equal(body.sees("one", "b1") && body.sees("one", "inner") && !body.sees("one", "two"), true);
  assert.deepEqual([body.armOf("one")?.arm, body.has("a"), walk.has("inner")], ["when-1", false, false]);
  assert.equal(walk.body("loop"), body);
});

test("what the definition does not have throws", () => {
  const walk = graph(accepted(flow()));
  for (const ask of [walk.node, walk.visible, walk.armOf, walk.openerOf, walk.children, walk.body]) assert.throws(() => ask("toString"));
  assert.equal(walk.has("toString"), false);
});

test("sees is visible, asked for one; entries stand in no arm, and last nodes in none that has to end", () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryDefinition, arbitraryWhole), (definition) => {
      const walk = graph(definition);
      for (const { id } of definition.nodes) {
        const list = definition.nodes.map((node) => node.id).filter((other) => walk.sees(id, other));
        assert.deepEqual(list.sort(), walk.visible(id));
      }
      for (const id of walk.entries) assert.equal(walk.armOf(id), null);
      for (const id of walk.terminals) {
        const arm = walk.armOf(id);
        const end = arm && walk.node(arm.choice);
        assert.ok(!arm || (end?.kind === "join" && !end.branches.includes(arm.arm)), id);
      }
    }),
    { numRuns: 50 },
  );
});
