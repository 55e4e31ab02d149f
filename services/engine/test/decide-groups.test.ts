import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@woml/model";
import { choose, define, fixed, group, Play, step } from "./play.ts";

const checks = define({
  nodes: [step("a"), ...group("p"), step("x"), step("y", fixed(2, 50)), step("z"), step("b")],
  edges: ["a>p:open", "p:open>x", "p:open>y", "p:open>z", "x>p", "y>p", "z>p", "p>b"],
  result: "b",
});

test("parallel: opened with its children, settled with the last, and the next step follows in the same answer", () => {
  const play = new Play(checks);
  play.admit();
  const opened = ["step_succeeded a#1", "parallel_opened p", "step_started x#1", "step_started y#1", "step_started z#1"];
  assert.deepEqual(play.ok("a"), opened);
  assert.deepEqual([play.ok("z"), play.ok("x")], [["step_succeeded z#1"], ["step_succeeded x#1"]]);
  assert.deepEqual(play.ok("y"), ["step_succeeded y#1", "parallel_settled p succeeded", "step_started b#1"]);
});

test("parallel fails fast: siblings running or in back-off end, finished ones keep their output, the run fails as the child did", () => {
  const play = new Play(checks);
  play.admit();
  play.ok("a");
  play.bad("y");
  assert.deepEqual(play.bad("z"), [
    "step_failed z#1 WOML_SCRIPT_THROWN",
    "step_cancelled x#1 fail_fast",
    "step_cancelled y#2 fail_fast",
    "parallel_settled p failed failed=z cancelled=x,y",
    "outcome_decided failed WOML_SCRIPT_THROWN",
    "run_failed WOML_SCRIPT_THROWN",
  ]);
  assert.equal(play.failure?.step, "z");
  const other = new Play(checks);
  other.admit();
  other.ok("a");
  other.ok("x", 7);
  assert.equal(other.bad("z").at(2), "parallel_settled p failed failed=z cancelled=y");
  assert.equal(other.state.outputs.get("x"), 7);
});

test("a failing group fails the run, which waits for what runs beside it", () => {
  const nodes = [...group("p"), step("x"), step("y"), step("o")];
  const play = new Play(define({ nodes, edges: ["p:open>x", "p:open>y", "x>p", "y>p"], result: "o" }));
  assert.deepEqual(play.admit().slice(2), ["step_started o#1", "parallel_opened p", "step_started x#1", "step_started y#1"]);
  assert.deepEqual(play.bad("x").slice(1, 4), [
    "step_cancelled y#1 fail_fast",
    "parallel_settled p failed failed=x cancelled=y",
    "main_failed WOML_SCRIPT_THROWN",
  ]);
  assert.deepEqual(play.ok("o").at(-1), "run_failed WOML_SCRIPT_THROWN");
});

const route = define({
  nodes: [
    step("a"),
    ...choose(
      "c",
      ["first", ["steps", "a", "one"], ["steps", "x", "v"]],
      ["second", ["payload", "two"], ["steps", "y"]],
      ["other", null, ["payload", "n"]],
    ),
    step("x"),
    step("y"),
    step("z"),
    step("e"),
  ],
  edges: ["a>c:select", "c:select>x@first", "c:select>y@second", "c:select>z@other", "x>c", "y>c", "z>c", "c>e"],
  result: "c",
});
function routed(one: Json, payload: Json): readonly string[] {
  const play = new Play(route);
  play.admit(payload);
  return play.ok("a", { one }).slice(1);
}

test("choice: tests in order, the first that is true selects, else otherwise", () => {
  assert.deepEqual(routed(true, { two: true }), ["choice_selected c first", "step_started x#1"]);
  assert.deepEqual(routed(false, { two: true }), ["choice_selected c second", "step_started y#1"]);
  assert.deepEqual(routed(false, { two: false }), ["choice_selected c other", "step_started z#1"]);
});

test("a test behind the selected one is not looked at", () => {
  assert.deepEqual(routed(true, {}), ["choice_selected c first", "step_started x#1"]);
});

test("choice: the value of the selected arm is its output, arms not selected are skipped, what follows starts", () => {
  const play = new Play(route);
  play.admit({});
  play.ok("a", { one: true });
  assert.deepEqual(play.ok("x", { v: null }), ["step_succeeded x#1", "choice_settled c null", "step_started e#1"]);
  assert.deepEqual(play.ok("e").slice(1), ["outcome_decided succeeded null", "run_succeeded null"]);
  assert.deepEqual(
    ["y", "z"].map((id) => play.state.steps.has(id)),
    [false, false],
  );
});

test("a test that is not a boolean fails the run", () => {
  for (const one of [1, 0, "true", null, [], {}]) {
    const play = new Play(route);
    play.admit({});
    assert.deepEqual(play.ok("a", { one }).slice(1), [
      "outcome_decided failed WOML_BRANCH_TEST_NOT_BOOLEAN",
      "run_failed WOML_BRANCH_TEST_NOT_BOOLEAN",
    ]);
    assert.equal(play.failure?.step, "c");
  }
});

test("a missing property, or one of something that is no object, fails the run; no prototype is walked", () => {
  for (const output of [{}, null, 1, "text", [true], { ONE: true }, JSON.parse('{"__proto__":{"one":true}}')]) {
    const play = new Play(route);
    play.admit({});
    assert.deepEqual(play.ok("a", output).at(-1), "run_failed WOML_REFERENCE_NOT_AVAILABLE");
    assert.equal(play.failure?.step, "c");
  }
  for (const name of ["length", "toString", "__proto__", "constructor", "0"]) {
    const nodes = [...choose("c", ["w", ["payload", "v", name], ["payload"]], ["o", null, ["payload"]]), step("x"), step("y")];
    const play = new Play(define({ nodes, edges: ["c:select>x@w", "c:select>y@o", "x>c", "y>c"], result: "c" }));
    assert.deepEqual(play.admit({ v: name === "length" ? "text" : [true] }).at(-1), "run_failed WOML_REFERENCE_NOT_AVAILABLE");
  }
});

test("the value of an arm that is not there fails the run, which waits for what else runs", () => {
  const nodes = [
    step("o"),
    ...choose("c", ["w", ["payload", "t"], ["steps", "x", "gone"]], ["n", null, ["payload"]]),
    step("x"),
    step("y"),
  ];
  const play = new Play(define({ nodes, edges: ["c:select>x@w", "c:select>y@n", "x>c", "y>c"], result: "c" }));
  play.admit({ t: true });
  assert.deepEqual(play.ok("x", {}), ["step_succeeded x#1", "main_failed WOML_REFERENCE_NOT_AVAILABLE"]);
  assert.deepEqual(play.ok("o"), [
    "step_succeeded o#1",
    "outcome_decided failed WOML_REFERENCE_NOT_AVAILABLE",
    "run_failed WOML_REFERENCE_NOT_AVAILABLE",
  ]);
});

test("an arm with several ends settles when all have; a choice within an arm that is not selected is skipped with it", () => {
  const inner = choose("d", ["dw", ["payload", "t"], ["steps", "dx"]], ["dn", null, ["steps", "dy"]]);
  const outer = choose("c", ["w", ["payload", "t"], ["steps", "x"]], ["n", null, ["steps", "d"]]);
  const play = new Play(
    define({
      nodes: [...outer, ...inner, step("x"), step("x1"), step("x2"), step("dx"), step("dy")],
      edges: [
        "c:select>x@w",
        "x>x1",
        "x>x2",
        "x1>c",
        "x2>c",
        "c:select>d:select@n",
        "d:select>dx@dw",
        "d:select>dy@dn",
        "dx>d",
        "dy>d",
        "d>c",
      ],
      result: "c",
    }),
  );
  assert.deepEqual(play.admit({ t: true }).slice(2), ["choice_selected c w", "step_started x#1"]);
  assert.deepEqual(play.ok("x", 7), ["step_succeeded x#1", "step_started x1#1", "step_started x2#1"]);
  assert.deepEqual(play.ok("x2"), ["step_succeeded x2#1"]);
  assert.deepEqual(play.ok("x1"), ["step_succeeded x1#1", "choice_settled c 7", "outcome_decided succeeded 7", "run_succeeded 7"]);
  assert.equal(play.state.choices.has("d"), false);
});

test("choices and groups pass on through one another in one answer", () => {
  const inner = choose("d", ["dw", ["payload", "t"], ["steps", "dx"]], ["dn", null, ["steps", "dy"]]);
  const outer = choose("c", ["w", ["payload", "t"], ["steps", "d"]], ["n", null, ["steps", "y"]]);
  const play = new Play(
    define({
      nodes: [...outer, ...inner, step("dx"), step("dy"), step("y"), ...group("p"), step("k")],
      edges: [
        "c:select>d:select@w",
        "d:select>dx@dw",
        "d:select>dy@dn",
        "dx>d",
        "dy>d",
        "d>c",
        "c:select>y@n",
        "y>c",
        "c>p:open",
        "p:open>k",
        "k>p",
      ],
      result: "c",
    }),
  );
  assert.deepEqual(play.admit({ t: true }).slice(2), ["choice_selected c w", "choice_selected d dw", "step_started dx#1"]);
  assert.deepEqual(play.ok("dx", 3).slice(1), ["choice_settled d 3", "choice_settled c 3", "parallel_opened p", "step_started k#1"]);
});
