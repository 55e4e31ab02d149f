import assert from "node:assert/strict";
import { test } from "node:test";
import { genesis } from "@woml/run";
import { due } from "../due.ts";
import { define, fixed, Play, step } from "./play.ts";

const nodes = [step("a"), step("b", fixed(3, 50)), step("c", fixed(3, 40))];
const play = (timeoutMs?: number): Play => {
  const made = new Play(define({ nodes, edges: [], result: "a", ...(timeoutMs ? { policy: { timeoutMs } } : {}) }));
  made.admit();
  return made;
};
const running = (...run: readonly (readonly [string, number])[]) => run.map(([node, attempt]) => ({ node, attempt }));

test("nothing is due before admission and after the end", () => {
  const nothing = { run: [], operations: [], nextAt: null };
  assert.deepEqual(due(genesis, 0), nothing);
  const made = play(500);
  made.cancel();
  assert.deepEqual(due(made.state, 1_000), nothing);
});

test("open attempts must be in flight; without timers only an outcome moves the run", () => {
  assert.deepEqual(due(play().state, 1_000), { run: running(["a", 1], ["b", 1], ["c", 1]), operations: [], nextAt: null });
});

test("an attempt in back-off is not in flight; the next look is at the first retry or the deadline", () => {
  const made = play(500);
  made.bad("b");
  made.bad("c");
  assert.deepEqual(due(made.state, 1_000), { run: running(["a", 1]), operations: [], nextAt: 1_040 });
  made.wait(45).fire();
  assert.deepEqual(due(made.state, made.now), { run: running(["a", 1], ["c", 2]), operations: [], nextAt: 1_050 });
  made.wait(5).fire();
  assert.deepEqual(due(made.state, made.now).nextAt, 1_500);
});

test("a resumed attempt must be in flight under the same number", () => {
  const made = play();
  made.lose("a", "engine");
  assert.deepEqual(due(made.state, made.now).run[0], { node: "a", attempt: 1 });
});

test("from the deadline on nothing may be sent any more", () => {
  const made = play(500);
  assert.equal(due(made.state, 1_499).run.length, 3);
  assert.deepEqual(due(made.state, 1_500), { run: [], operations: [], nextAt: 1_500 });
});
