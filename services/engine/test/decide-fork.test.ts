import assert from "node:assert/strict";
import { test } from "node:test";
import { due } from "../due.ts";
import { approval, called, choose, define, fixed, fork, group, Play, step, threw } from "./play.ts";

const ends = ["outcome_decided failed WOML_SCRIPT_THROWN", "run_failed WOML_SCRIPT_THROWN"];
const twoBranches = ["a>f:fork", "f:fork>x@x", "x>x2", "f:fork>y@y", "f:fork>f", "f>z"];
function forked(joined: readonly string[], retry = step("x")): Play {
  const nodes = [step("a"), ...fork("f", ...joined), retry, step("x2"), step("y"), step("z")];
  const last = { x: "x2", y: "y" };
  const edges = [...twoBranches, ...joined.map((branch) => `${last[branch as "x" | "y"]}>f`)];
  const play = new Play(define({ nodes, edges, result: "z" }));
  play.admit();
  play.ok("a");
  return play;
}

test("fork: its branches begin together, each in its own order, and what follows begins when all joined ones have succeeded", () => {
  const play = forked(["x", "y"]);
  assert.deepEqual(
    play.log.slice(-3).map(({ type }) => type),
    ["fork_opened", "step_started", "step_started"],
  );
  assert.deepEqual(play.ok("y"), ["step_succeeded y#1", "branch_settled f y succeeded"]);
  assert.deepEqual(play.ok("x"), ["step_succeeded x#1", "step_started x2#1"]);
  assert.deepEqual(play.ok("x2"), ["step_succeeded x2#1", "branch_settled f x succeeded", "join_settled f succeeded", "step_started z#1"]);
  assert.deepEqual(play.ok("z", 7).slice(1), ["outcome_decided succeeded 7", "run_succeeded 7"]);
});

test("join none: what follows begins with the branches, and the run waits for them at its end", () => {
  const play = forked([]);
  assert.deepEqual(play.flying, ["x#1", "y#1", "z#1"]);
  assert.deepEqual(play.ok("z", 7), ["step_succeeded z#1"]);
  play.ok("x");
  assert.deepEqual(play.ok("y"), ["step_succeeded y#1", "branch_settled f y succeeded"]);
  assert.deepEqual(play.ok("x2").slice(1), ["branch_settled f x succeeded", "outcome_decided succeeded 7", "run_succeeded 7"]);
});

test("join some: what follows waits for these alone", () => {
  const play = forked(["y"]);
  assert.deepEqual(play.ok("y").slice(1), ["branch_settled f y succeeded", "join_settled f succeeded", "step_started z#1"]);
  assert.deepEqual(play.flying, ["x#1", "z#1"]);
});

test("a joined branch that fails: what follows never runs, the others go on, and the run fails with it", () => {
  const play = forked(["x", "y"]);
  assert.deepEqual(play.bad("x"), [
    "step_failed x#1 WOML_SCRIPT_THROWN",
    "branch_settled f x failed WOML_SCRIPT_THROWN",
    "join_settled f failed blocking=x",
  ]);
  assert.deepEqual(play.ok("y"), ["step_succeeded y#1", "branch_settled f y succeeded", ...ends]);
  assert.deepEqual(play.failure, { ...threw, step: "x" });
  assert.equal(play.state.steps.has("z"), false);
});

test("an unjoined branch that fails: what follows runs, and the run fails when all has settled", () => {
  const play = forked(["y"]);
  assert.deepEqual(play.bad("x"), ["step_failed x#1 WOML_SCRIPT_THROWN", "branch_settled f x failed WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.ok("y").slice(1), ["branch_settled f y succeeded", "join_settled f succeeded", "step_started z#1"]);
  assert.deepEqual(play.ok("z"), ["step_succeeded z#1", ...ends]);
});

test("both fail: the first failure is the run's, and a join fails once", () => {
  const play = forked(["x", "y"]);
  play.bad("y");
  assert.deepEqual(play.bad("x", { code: "WOML_X", kind: "wall_exceeded", message: "" }), [
    ...["step_failed x#1 WOML_X", "branch_settled f x failed WOML_X"],
    ...ends,
  ]);
  assert.equal(play.failure?.step, "y");
});

test("a step of a branch is tried again, and fails its branch when its attempts are used up", () => {
  const play = forked(["x"], step("x", fixed(2, 10)));
  assert.deepEqual(play.bad("x"), ["step_failed x#1 WOML_SCRIPT_THROWN", "step_retry_scheduled x#2"]);
  play.ok("y");
  assert.deepEqual(play.wait(10).fire(), ["step_started x#2"]);
  assert.deepEqual(play.bad("x").slice(1), [
    ...["branch_settled f x failed WOML_STEP_RETRIES_EXHAUSTED", "join_settled f failed blocking=x"],
    ...["outcome_decided failed WOML_STEP_RETRIES_EXHAUSTED", "run_failed WOML_STEP_RETRIES_EXHAUSTED"],
  ]);
});

test("a lost engine is no end of a branch: its steps are resumed while others go on", () => {
  const play = forked(["x", "y"]);
  assert.deepEqual(
    [play.lose("x", "engine"), play.lose("y", "engine")],
    [["attempt_resumed x#1 engine 1"], ["attempt_resumed y#1 engine 1"]],
  );
  assert.deepEqual(play.flying, ["x#1", "y#1"]);
  for (let n = 2; n <= 5; n++) play.lose("x", "engine");
  assert.deepEqual(play.lose("x", "engine").slice(0, 2), [
    "step_failed x#1 WOML_SCRIPT_HOST_CRASHED",
    "branch_settled f x failed WOML_SCRIPT_HOST_CRASHED",
  ]);
  assert.deepEqual(play.flying, ["y#1"]);
});

test("the main route fails while branches run: they go on to their ends, and the run fails with what was first", () => {
  const play = forked([]);
  assert.deepEqual(play.bad("z"), ["step_failed z#1 WOML_SCRIPT_THROWN", "main_failed WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.ok("x"), ["step_succeeded x#1", "step_started x2#1"]);
  assert.deepEqual(play.bad("x2", { code: "WOML_X", kind: "wall_exceeded", message: "" }).slice(1), ["branch_settled f x failed WOML_X"]);
  assert.deepEqual(play.ok("y").slice(1), ["branch_settled f y succeeded", ...ends]);
  assert.equal(play.failure?.step, "z");
});

test("cancel and time-out end every branch at once, those with operations when these have settled", () => {
  const play = forked(["x", "y"]);
  play.call("y", called("unsafe"));
  assert.deepEqual(play.cancel(), ["cancel_requested", "stop_decided cancelled", "step_cancelled x#1 cancelled"]);
  assert.deepEqual(play.gave("y", 1).slice(1), ["step_cancelled y#1 cancelled", "outcome_decided cancelled", "run_cancelled"]);
  const nodes = [...fork("f"), step("x"), step("y"), step("z")];
  const edges = ["f:fork>x@x", "f:fork>y@y", "f:fork>f", "f>z"];
  const timed = new Play(define({ nodes, edges, result: "z", policy: { timeoutMs: 50 } }));
  timed.admit();
  timed.bad("x");
  assert.deepEqual(timed.wait(50).fire(), [
    ...["deadline_reached", "step_cancelled y#1 timed_out", "step_cancelled z#1 timed_out"],
    ...["outcome_decided failed WOML_WORKFLOW_TIMED_OUT", "run_failed WOML_WORKFLOW_TIMED_OUT"],
  ]);
});

test("two forks in a row: an unjoined branch of the first goes on beside the second", () => {
  const nodes = [...fork("f"), step("x"), ...fork("g", "y"), step("y"), step("z")];
  const play = new Play(
    define({ nodes, edges: ["f:fork>x@x", "f:fork>f", "f>g:fork", "g:fork>y@y", "g:fork>g", "y>g", "g>z"], result: "z" }),
  );
  assert.deepEqual(play.admit().slice(2), [
    "fork_opened f",
    "join_settled f succeeded",
    "step_started x#1",
    "fork_opened g",
    "step_started y#1",
  ]);
  assert.deepEqual(play.bad("x").slice(1), ["branch_settled f x failed WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.ok("y").slice(1), ["branch_settled g y succeeded", "join_settled g succeeded", "step_started z#1"]);
  assert.deepEqual(play.ok("z"), ["step_succeeded z#1", ...ends]);
});

test("a fork in an arm: the arm goes on behind the join, and the fork of an arm that is not selected never opens", () => {
  const nodes = [
    ...choose("c", ["w", ["payload", "t"], ["payload"]], ["n", null, ["payload"]]),
    ...fork("f", "x"),
    step("x"),
    step("y"),
    step("k"),
    step("o"),
  ];
  const edges = ["c:select>f:fork@w", "f:fork>x@x", "f:fork>y@y", "f:fork>f", "x>f", "f>k", "k>c", "c:select>o@n", "o>c"];
  const definition = define({ nodes, edges, result: "c" });
  const play = new Play(definition);
  assert.deepEqual(play.admit({ t: true }).slice(2), ["choice_selected c w", "fork_opened f", "step_started x#1", "step_started y#1"]);
  play.ok("x");
  assert.deepEqual(play.ok("k").slice(1), ['choice_settled c {"t":true}']);
  assert.deepEqual(play.ok("y").slice(1), [
    "branch_settled f y succeeded",
    'outcome_decided succeeded {"t":true}',
    'run_succeeded {"t":true}',
  ]);
  const other = new Play(definition);
  other.admit({ t: false });
  assert.deepEqual(other.ok("o").at(-1), 'run_succeeded {"t":false}');
  assert.equal(other.state.forks.has("f"), false);
});

test("in a branch: a group that fails, a choice that cannot be made, and an approval end that branch and nothing else", () => {
  const nodes = [
    ...[...fork("f"), ...group("p"), step("p1"), step("p2"), step("q"), ...approval("ok"), step("z")],
    ...choose("c", ["w", ["steps", "q"], ["payload"]], ["n", null, ["payload"]]),
    ...[step("c1"), step("c2")],
  ];
  const edges = [
    ...["f:fork>p:open@group", "p:open>p1", "p:open>p2", "p1>p", "p2>p", "f:fork>q@choice", "q>c:select", "c:select>c1@w", "c:select>c2@n"],
    ...["c1>c", "c2>c", "f:fork>ok@approval", "ok>ok:end@approved", "ok>ok:end@rejected", "f:fork>f", "f>z"],
  ];
  const play = new Play(define({ nodes, edges, result: "z" }));
  play.admit();
  assert.deepEqual(play.bad("p1").slice(1), [
    ...[
      "step_cancelled p2#1 fail_fast",
      "parallel_settled p failed failed=p1 cancelled=p2",
      "branch_settled f group failed WOML_SCRIPT_THROWN",
    ],
  ]);
  assert.deepEqual(play.ok("q", "no boolean").slice(1), ["branch_settled f choice failed WOML_BRANCH_TEST_NOT_BOOLEAN"]);
  assert.deepEqual(play.ok("z").slice(1), []);
  assert.deepEqual(due(play.state, play.now), { run: [], operations: [], nextAt: null }, "only a person moves it now");
  assert.deepEqual(play.decide("ok", "approved"), [
    ...["approval_resolved ok approved human", "choice_selected ok:end approved", "choice_settled ok:end"],
    ...["branch_settled f approval succeeded", ...ends],
  ]);
});
