import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForEachNode, Json, Node } from "@woml/model";
import { ITEMS } from "../decide/loop.ts";
import { called, choose, define, each, fixed, fork, group, Play, step, switchOn, threw } from "./play.ts";

const list = (count: number): Json => ({ list: Array.from({ length: count }, (_, id) => ({ id })) });
function looped(count: number | Json, loop: ForEachNode = each([step("x")], [])): Play {
  const play = new Play(define({ nodes: [loop, step("z")], edges: ["l>z"], result: "l" }));
  play.admit(typeof count === "number" ? list(count) : count);
  return play;
}
const failing = (code: string, count: string): readonly string[] => [
  ...[`iteration_settled l ${count}`, `loop_settled l failed`],
  ...[`outcome_decided failed ${code}`, `run_failed ${code}`],
];
const SPOILT = "WOML_FOR_EACH_ITERATION_FAILED";

test("loop: one iteration after the other, each begun with the end of the one before; then what follows", () => {
  const play = looped(2);
  assert.deepEqual(
    play.log.slice(2).map(({ type }) => type),
    ["loop_opened", "iteration_started", "step_started"],
  );
  assert.deepEqual(play.ok("x#0"), [
    "step_succeeded x#0#1",
    "iteration_settled l 0 succeeded",
    "iteration_started l 1",
    "step_started x#1#1",
  ]);
  assert.deepEqual(play.ok("x#1"), [
    "step_succeeded x#1#1",
    "iteration_settled l 1 succeeded",
    "loop_settled l succeeded",
    "step_started z#1",
  ]);
  assert.deepEqual(play.ok("z").at(-1), 'run_succeeded {"total":2,"succeeded":2}');
});

test("an empty loop succeeds at once, without results even where it collects", () => {
  const play = looped(0, each([step("x")], [], { result: ["steps", "x"] }));
  assert.deepEqual(
    play.log.slice(2).map(({ type }) => type),
    ["loop_opened", "loop_settled", "step_started"],
  );
  assert.deepEqual(play.ok("z").at(-1), 'run_succeeded {"total":0,"succeeded":0}');
});

test("so many at a time, begun in order; results in the order of the items, whichever ends first", () => {
  const play = looped(4, each([step("x")], [], { concurrency: 2, result: ["steps", "x", "v"] }));
  assert.deepEqual(play.flying, ["x#0#1", "x#1#1"]);
  assert.deepEqual(play.ok("x#1", { v: "b" }).slice(1), [
    'iteration_settled l 1 succeeded "b"',
    "iteration_started l 2",
    "step_started x#2#1",
  ]);
  assert.deepEqual(play.ok("x#2", { v: "c" }).slice(2), ["iteration_started l 3", "step_started x#3#1"]);
  play.ok("x#3", { v: null });
  assert.deepEqual(play.ok("x#0", { v: "a" }).slice(1, 3), ['iteration_settled l 0 succeeded "a"', "loop_settled l succeeded"]);
  assert.deepEqual(play.ok("z").at(-1), 'run_succeeded {"total":4,"succeeded":4,"results":["a","b","c",null]}');
});

test("one that fails: no other begins, active ones go on to their end, and the loop fails with what was first", () => {
  const play = looped(5, each([step("x"), step("y")], ["x>y"], { concurrency: 2 }));
  assert.deepEqual(play.bad("x#0"), [
    ...["step_failed x#0#1 WOML_SCRIPT_THROWN", "iteration_settled l 0 failed WOML_SCRIPT_THROWN", "iterations_skipped l from=2 count=3"],
  ]);
  assert.deepEqual(play.ok("x#1"), ["step_succeeded x#1#1", "step_started y#1#1"]);
  assert.deepEqual(play.ok("y#1").slice(1), failing(SPOILT, "1 succeeded"));
  assert.deepEqual([play.failure?.step, play.failure?.cause], ["l", { ...threw, step: "x#0" }]);
  assert.match(play.failure?.message ?? "", /^1 of 5 iterations failed; the first one: no$/);
});

test("the last one that fails leaves none to be skipped; two that fail are counted", () => {
  const play = looped(2, each([step("x")], [], { concurrency: 2 }));
  assert.deepEqual(play.bad("x#1").slice(1), ["iteration_settled l 1 failed WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.bad("x#0").slice(1), failing(SPOILT, "0 failed WOML_SCRIPT_THROWN"));
  assert.match(play.failure?.message ?? "", /^2 of 2 iterations failed/);
});

test("a step of an iteration is tried again, alone", () => {
  const play = looped(3, each([step("x", fixed(2, 50))], [], { concurrency: 2 }));
  assert.deepEqual(play.bad("x#0"), ["step_failed x#0#1 WOML_SCRIPT_THROWN", "step_retry_scheduled x#0#2"]);
  assert.deepEqual(play.ok("x#1").slice(1), ["iteration_settled l 1 succeeded", "iteration_started l 2", "step_started x#2#1"]);
  assert.deepEqual(play.wait(50).fire(), ["step_started x#0#2"]);
  assert.deepEqual(play.bad("x#0").slice(1), ["iteration_settled l 0 failed WOML_STEP_RETRIES_EXHAUSTED"]);
  assert.equal(play.state.loops.get("l")?.skipped, 0);
});

test("a lost engine: each open iteration is resumed where it was", () => {
  const play = looped(9, each([step("x")], [], { concurrency: 2 }));
  assert.deepEqual(
    [play.lose("x#0", "engine"), play.lose("x#1", "worker")],
    [["attempt_resumed x#0#1 engine 1"], ["attempt_resumed x#1#1 worker 1"]],
  );
  assert.deepEqual(play.flying, ["x#0#1", "x#1#1"]);
});

test("cancel and time-out: what is active ends, the others never begin", () => {
  const play = looped(9, each([step("x")], [], { concurrency: 2 }));
  play.call("x#1", called("unsafe"));
  assert.deepEqual(play.cancel(), ["cancel_requested", "stop_decided cancelled", "step_cancelled x#0#1 cancelled"]);
  assert.deepEqual(play.gave("x#1", 1).slice(1), ["step_cancelled x#1#1 cancelled", "outcome_decided cancelled", "run_cancelled"]);
  const timed = new Play(define({ nodes: [each([step("x")], [])], edges: [], result: "l", policy: { timeoutMs: 50 } }));
  timed.admit(list(3));
  assert.deepEqual(timed.wait(50).ok("x#0"), [
    ...["deadline_reached", "step_cancelled x#0#1 timed_out", "outcome_decided failed WOML_WORKFLOW_TIMED_OUT"],
    "run_failed WOML_WORKFLOW_TIMED_OUT",
  ]);
});

test("items that are no array, or not there, or too many, fail the loop before it opens", () => {
  const items: readonly (readonly [Json, string])[] = [
    [{ list: { length: 1 } }, "WOML_FOR_EACH_NOT_AN_ARRAY"],
    [{ list: "abc" }, "WOML_FOR_EACH_NOT_AN_ARRAY"],
    [{ list: null }, "WOML_FOR_EACH_NOT_AN_ARRAY"],
    [{}, "WOML_REFERENCE_NOT_AVAILABLE"],
    [list(ITEMS + 1), "WOML_FOR_EACH_LIMIT_EXCEEDED"],
  ];
  for (const [payload, code] of items) {
    const play = looped(payload);
    assert.deepEqual(
      play.log.slice(2).map(({ type }) => type),
      ["outcome_decided", "run_failed"],
    );
    assert.deepEqual([play.failure?.code, play.failure?.step], [code, "l"]);
  }
});

test("as many items as there may be, 64 at a time, with results", () => {
  assert.equal(ITEMS, 10_000);
  const play = looped(10_000, each([step("x")], [], { concurrency: 64, result: ["steps", "x"] }));
  for (let index = 0; index < 10_000; index++) play.ok(`x#${index}`, index);
  assert.equal(play.state.steps.size, 1, "what an iteration was is not kept");
  play.ok("z");
  const { outcome } = play.state;
  assert.ok(outcome?.status === "succeeded");
  assert.deepEqual(outcome.result, { total: 10_000, succeeded: 10_000, results: Array.from({ length: 10_000 }, (_, index) => index) });
});

test("a result that is not there fails its iteration", () => {
  const play = looped(3, each([step("x")], [], { concurrency: 2, result: ["steps", "x", "v"] }));
  assert.deepEqual(play.ok("x#0", {}).slice(1), [
    "iteration_settled l 0 failed WOML_REFERENCE_NOT_AVAILABLE",
    "iterations_skipped l from=2 count=1",
  ]);
  assert.deepEqual(play.ok("x#1", { v: 1 }).slice(1), failing(SPOILT, "1 succeeded 1"));
});

test("results may be the item, a part of it, and the iteration", () => {
  const of = (result: NonNullable<ForEachNode["result"]>): Json | undefined => {
    const play = looped(2, each([step("x")], [], { result }));
    play.ok("x#0");
    play.ok("x#1");
    return play.state.outputs.get("l");
  };
  const results = (...values: readonly Json[]): Json => ({ total: 2, succeeded: 2, results: values });
  assert.deepEqual(of(["item"]), results({ id: 0 }, { id: 1 }));
  assert.deepEqual(of(["item", "id"]), results(0, 1));
  assert.deepEqual(of(["iteration", "index"]), results(0, 1));
  assert.deepEqual(of(["iteration", "total"]), results(2, 2));
});

const routed: readonly Node[] = [
  ...[step("x"), ...choose("c", ["w", ["item", "big"], ["steps", "y"]], ["n", null, ["item", "id"]]), step("y"), step("o")],
  ...[...group("p"), step("p1"), step("p2")],
];
const routes = ["x>c:select", "c:select>y@w", "c:select>o@n", "y>c", "o>c", "c>p:open", "p:open>p1", "p:open>p2", "p1>p", "p2>p"];

test("a choice and a group in the body: each iteration takes its own arm, and ends with the last of its flow", () => {
  const play = looped(
    {
      list: [
        { id: 0, big: true },
        { id: 1, big: false },
      ],
    },
    each(routed, routes, { concurrency: 2, result: ["steps", "c"] }),
  );
  assert.deepEqual(play.ok("x#0").slice(1), ["choice_selected c#0 w", "step_started y#0#1"]);
  assert.deepEqual(play.ok("x#1").slice(1), ["choice_selected c#1 n", "step_started o#1#1"]);
  assert.deepEqual(play.ok("o#1").slice(1), ["choice_settled c#1 1", "parallel_opened p#1", "step_started p1#1#1", "step_started p2#1#1"]);
  play.ok("y#0", "yes");
  play.ok("p2#1");
  assert.deepEqual(play.ok("p1#1").slice(1), ["parallel_settled p#1 succeeded", "iteration_settled l 1 succeeded 1"]);
  play.ok("p1#0");
  assert.deepEqual(play.ok("p2#0").slice(1, 4), [
    "parallel_settled p#0 succeeded",
    'iteration_settled l 0 succeeded "yes"',
    "loop_settled l succeeded",
  ]);
});

test("in the body, a group that fails and a test that is no boolean fail their iteration", () => {
  const play = looped({ list: [{ id: 0, big: true }, { id: 1 }, { id: 2, big: 1 }] }, each(routed, routes, { concurrency: 3 }));
  assert.deepEqual(play.ok("x#1").slice(1), ["iteration_settled l 1 failed WOML_REFERENCE_NOT_AVAILABLE"]);
  assert.deepEqual(play.ok("x#2").slice(1), ["iteration_settled l 2 failed WOML_BRANCH_TEST_NOT_BOOLEAN"]);
  play.ok("x#0");
  play.ok("y#0");
  assert.deepEqual(play.bad("p2#0").slice(1, 4), [
    ...["step_cancelled p1#0#1 fail_fast", "parallel_settled p#0 failed failed=p2#0 cancelled=p1#0"],
    "iteration_settled l 0 failed WOML_SCRIPT_THROWN",
  ]);
  assert.deepEqual([play.failure?.cause?.code, play.state.loops.get("l")?.failed], ["WOML_REFERENCE_NOT_AVAILABLE", 3]);
});

test("in the body, a group fails when the operations of its children have settled, and other iterations go on", () => {
  const play = looped(
    {
      list: [
        { id: 0, big: false },
        { id: 1, big: false },
      ],
    },
    each(routed, routes, { concurrency: 2 }),
  );
  for (const index of [0, 1]) {
    play.ok(`x#${index}`);
    play.ok(`o#${index}`);
  }
  play.call("p1#0", called("unsafe"));
  assert.deepEqual(play.bad("p2#0").slice(1), ["parallel_failing p#0 stopped=p1#0"]);
  play.ok("p1#1");
  assert.deepEqual(play.ok("p2#1").slice(1), ["parallel_settled p#1 succeeded", "iteration_settled l 1 succeeded"]);
  assert.deepEqual(play.gave("p1#0", 1).slice(1, 4), [
    ...["step_cancelled p1#0#1 fail_fast", "parallel_settled p#0 failed failed=p2#0 cancelled=p1#0"],
    "iteration_settled l 0 failed WOML_SCRIPT_THROWN",
  ]);
});

test("a switch in the body reads the item; what is no text fails the iteration", () => {
  const nodes = [step("x"), ...switchOn("s", ["item", "kind"], "a"), step("a"), step("d")];
  const edges = ["x>s:switch", "s:switch>a@a", "s:switch>d@default", "a>s", "d>s"];
  const play = looped({ list: [{ kind: "a" }, { kind: "A" }, { kind: 1 }] }, each(nodes, edges, { concurrency: 3 }));
  assert.deepEqual(play.ok("x#0").slice(1), ["choice_selected s#0 a", "step_started a#0#1"]);
  assert.deepEqual(play.ok("x#1").slice(1), ["choice_selected s#1 default", "step_started d#1#1"]);
  assert.deepEqual(play.ok("x#2").slice(1), ["iteration_settled l 2 failed WOML_SWITCH_VALUE_INVALID"]);
  assert.deepEqual(play.ok("a#0").slice(1), ["choice_settled s#0", "iteration_settled l 0 succeeded"]);
});

test("a loop in a branch ends its branch, well or not, and nothing else", () => {
  const nodes = [...fork("f", "loop"), each([step("x")], []), step("z"), step("y")];
  const definition = define({ nodes, edges: ["f:fork>l@loop", "f:fork>y@side", "l>f", "f:fork>f", "f>z"], result: "z" });
  const play = new Play(definition);
  play.admit(list(2));
  play.ok("x#0");
  assert.deepEqual(play.ok("x#1").slice(1), [
    "iteration_settled l 1 succeeded",
    "loop_settled l succeeded",
    "branch_settled f loop succeeded",
    "join_settled f succeeded",
    "step_started z#1",
  ]);
  const other = new Play(definition);
  other.admit(list(2));
  assert.deepEqual(other.bad("x#0").slice(1), [
    ...["iteration_settled l 0 failed WOML_SCRIPT_THROWN", "iterations_skipped l from=1 count=1", "loop_settled l failed"],
    ...[`branch_settled f loop failed ${SPOILT}`, "join_settled f failed blocking=loop"],
  ]);
  assert.equal(other.ok("y").at(-1), `run_failed ${SPOILT}`);
});
