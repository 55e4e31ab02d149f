import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, Node } from "@woml/model";
import { due } from "../due.ts";
import { bent, called, choose, declined, define, fixed, group, Play, step, switchOn, threw } from "./play.ts";

function grouped(ends: readonly Node[], ...children: readonly Node[]): Play {
  const edges = children.flatMap(({ id }) => [`p:open>${id}`, `${id}>p`]);
  const play = new Play(define({ nodes: [...ends, ...children, step("z")], edges: [...edges, "p>z"], result: "z" }));
  play.admit();
  return play;
}
const three = [step("x"), step("y"), step("w")];
const ends = ["outcome_decided failed WOML_SCRIPT_THROWN", "run_failed WOML_SCRIPT_THROWN"];

test("wait-all: a child that fails stops no other; the group fails with the last, and the run with the first failure", () => {
  const play = grouped(bent("p", { onError: "wait-all" }), ...three);
  assert.deepEqual(play.bad("x"), ["step_failed x#1 WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.ok("y"), ["step_succeeded y#1"]);
  assert.deepEqual(play.bad("w", { code: "WOML_X", kind: "wall_exceeded", message: "" }), [
    ...["step_failed w#1 WOML_X", "parallel_settled p failed failed=w,x cancelled="],
    ...ends,
  ]);
  assert.equal(play.failure?.step, "x");
});

test("wait-all: what failed first is told with its attempts used up, however late the group ends", () => {
  const play = grouped(bent("p", { onError: "wait-all" }), step("x", fixed(2, 10)), step("y"));
  play.bad("x");
  play.wait(10).fire();
  play.bad("x");
  assert.deepEqual(play.ok("y").at(-1), "run_failed WOML_STEP_RETRIES_EXHAUSTED");
  assert.deepEqual(play.failure?.cause, { ...threw, step: "x" });
});

test("wait-all: all children begin though one has failed, and all succeed together", () => {
  const play = grouped(bent("p", { onError: "wait-all", concurrency: 1 }), ...three);
  assert.deepEqual(play.bad("w").slice(1), ["step_started x#1"]);
  assert.deepEqual(play.ok("x").slice(1), ["step_started y#1"]);
  assert.deepEqual(play.ok("y").slice(1), ["parallel_settled p failed failed=w cancelled=", ...ends]);
  const whole = grouped(bent("p", { onError: "wait-all" }), ...three);
  for (const id of ["x", "w"]) whole.ok(id);
  assert.deepEqual(whole.ok("y").slice(1), ["parallel_settled p succeeded", "step_started z#1"]);
});

test("concurrency: so many children at a time, in the order of their ids; one in back-off keeps its place", () => {
  const play = grouped(bent("p", { concurrency: 2 }), step("c1", fixed(2, 50)), step("c2"), step("c3"), step("c4"));
  assert.deepEqual(play.flying, ["c1#1", "c2#1"]);
  play.bad("c1");
  assert.deepEqual(play.ok("c2"), ["step_succeeded c2#1", "step_started c3#1"]);
  assert.deepEqual(play.wait(50).fire(), ["step_started c1#2"]);
  assert.deepEqual(play.ok("c1"), ["step_succeeded c1#2", "step_started c4#1"]);
  play.ok("c4");
  assert.deepEqual(play.ok("c3").slice(1), ["parallel_settled p succeeded", "step_started z#1"]);
});

test("fail-fast with a concurrency: no other child is started", () => {
  const play = grouped(bent("p", { concurrency: 2 }), ...three);
  assert.deepEqual(play.flying, ["w#1", "x#1"]);
  assert.deepEqual(play.bad("x").slice(1), ["step_cancelled w#1 fail_fast", "parallel_settled p failed failed=x cancelled=w", ...ends]);
  assert.equal(play.state.steps.has("y"), false);
});

test("fail-fast while operations are pending: no script of a sibling runs, its operations settle, then it ends", () => {
  const play = grouped(group("p"), ...three);
  play.call("y", called("pure"));
  play.call("w", called("unsafe"));
  assert.deepEqual(play.bad("x"), ["step_failed x#1 WOML_SCRIPT_THROWN", "parallel_failing p stopped=w,y"]);
  const { run, operations } = due(play.state, play.now);
  assert.deepEqual([run, operations.length], [[], 2]);
  assert.deepEqual(play.said("y", 1, { status: "lost", detail: "" }), [
    ...["operation_settled y#1.1 failed WOML_OPERATION_LOST", "step_cancelled y#1 fail_fast"],
  ]);
  assert.deepEqual(play.said("w", 1, { status: "lost", detail: "" }), [
    ...["operation_settled w#1.1 unknown WOML_OPERATION_LOST", "step_cancelled w#1 fail_fast"],
    ...["parallel_settled p failed failed=x cancelled=w,y", ...ends],
  ]);
});

test("a group that is failing: a cancel and the run's time-out end it with the last of its operations", () => {
  const play = grouped(group("p"), ...three);
  play.call("y", called("unsafe"));
  play.bad("x");
  assert.deepEqual(play.cancel(), ["cancel_requested", "stop_decided cancelled"]);
  assert.deepEqual(play.gave("y", 1).slice(1), ["step_cancelled y#1 cancelled", "outcome_decided cancelled", "run_cancelled"]);
});

test("a sibling that waits for a person ends at once, its outcome stays unknown, and nobody is asked any more", () => {
  const play = grouped(group("p"), ...three);
  play.call("y", called("unsafe"));
  play.said("y", 1, { status: "lost", detail: "" });
  assert.deepEqual(play.bad("x").slice(1, 4), [
    "step_cancelled w#1 fail_fast",
    "step_cancelled y#1 fail_fast",
    "parallel_settled p failed failed=x cancelled=w,y",
  ]);
  assert.equal(play.state.operations.get("y:1:1")?.status, "unknown");
  const pending = grouped(group("p"), ...three);
  pending.call("y", called("unsafe"));
  pending.call("y", called("unsafe", { inputDigest: "j" }));
  pending.bad("x");
  pending.said("y", 1, { status: "lost", detail: "" });
  assert.deepEqual(pending.resolve("y", 1, { status: "retry" }), []);
  assert.equal(pending.gave("y", 2).at(-1), "run_failed WOML_SCRIPT_THROWN");
});

test("a failure that an operation caused is the group's with its attempts used up only where it may be tried again", () => {
  const failed = (retryable: boolean): Play => {
    const play = grouped(bent("p", { onError: "wait-all" }), step("x", fixed(2, 0)), step("y"));
    for (const attempt of [1, 2]) {
      play.call("x", called("pure"));
      play.said("x", 1, { status: "failed", failure: { ...declined, retryable: attempt === 1 || retryable }, evidence: "" });
      play.threw("x", 1);
      play.fire();
    }
    play.ok("y");
    return play;
  };
  assert.deepEqual([failed(true).failure?.code, failed(false).failure?.code], ["WOML_STEP_RETRIES_EXHAUSTED", "CARD_DECLINED"]);
});

test("a lost engine: every child is resumed, and one lost too often fails its group", () => {
  const play = grouped(bent("p", { onError: "wait-all" }), ...three);
  for (let n = 1; n <= 2; n++) assert.deepEqual(play.lose("x", "worker"), [`attempt_resumed x#1 worker ${n}`]);
  assert.deepEqual(play.lose("x", "worker"), ["step_failed x#1 WOML_SCRIPT_WORKER_CRASHED"]);
  play.ok("y");
  assert.equal(play.ok("w").at(-1), "run_failed WOML_SCRIPT_WORKER_CRASHED");
});

const switched = define({
  nodes: [step("a"), ...switchOn("s", ["steps", "a", "kind"], "one", " two "), step("x"), step("y"), step("d"), step("z")],
  edges: ["a>s:switch", "s:switch>x@one", "s:switch>y@ two ", "s:switch>d@default", "x>s", "y>s", "d>s", "s>z"],
  result: "z",
});
function routed(kind: Json): readonly string[] {
  const play = new Play(switched);
  play.admit();
  return play.ok("a", { kind }).slice(1);
}

test("switch: the arm whose text is exactly the value, else the default", () => {
  assert.deepEqual(routed("one"), ["choice_selected s one", "step_started x#1"]);
  assert.deepEqual(routed(" two "), ["choice_selected s  two ", "step_started y#1"]);
  for (const other of ["One", "two", "", "default"]) assert.deepEqual(routed(other), ["choice_selected s default", "step_started d#1"]);
});

test("a switch over what is no text, or is not there, fails the run: the default stands in for nothing", () => {
  for (const kind of [1, true, null, ["one"], {}])
    assert.deepEqual(routed(kind), ["outcome_decided failed WOML_SWITCH_VALUE_INVALID", "run_failed WOML_SWITCH_VALUE_INVALID"]);
  const play = new Play(switched);
  play.admit();
  assert.equal(play.ok("a", {}).at(-1), "run_failed WOML_REFERENCE_NOT_AVAILABLE");
  assert.equal(play.failure?.step, "s");
});

test("a choice without results has no output: what follows begins when its arm has completed", () => {
  const [select, end] = choose("c", ["w", ["payload", "t"], ["payload"]], ["n", null, ["payload"]]);
  assert.ok(select && end);
  const nodes = [select, { kind: "choice", id: "c" } as const, step("x"), step("y"), step("z")];
  const play = new Play(define({ nodes, edges: ["c:select>x@w", "c:select>y@n", "x>c", "y>c", "c>z"], result: "z" }));
  play.admit({ t: false });
  assert.deepEqual(play.ok("y"), ["step_succeeded y#1", "choice_settled c", "step_started z#1"]);
  assert.deepEqual(
    [...play.state.outputs.entries()].map(([site]) => site),
    ["y"],
  );
  assert.deepEqual(play.ok("z", 3).at(-1), "run_succeeded 3");
});

/** With a hook before each step. */
function held(ends: readonly Node[], ...ids: readonly string[]): Play {
  const edges = ids.flatMap((id) => [`p:open>${id}`, `${id}>p`]);
  const definition = define({ nodes: [...ends, ...ids.map((id) => step(id)), step("z")], edges: [...edges, "p>z"], result: "z" });
  const play = new Play({ ...definition, lifecycle: [{ on: "step_start", actions: [{ kind: "script", script: { source: "" } }] }] });
  play.admit();
  return play;
}
const before = (id: string): string => `@step_start/${id}/1`;

test("a child that waits for the hook before it has its place, and what waits for a place waits on", () => {
  const play = held(bent("p", { concurrency: 2 }), "c1", "c2", "c3", "c4");
  assert.deepEqual(play.flying, [`${before("c1")}#1`, `${before("c2")}#1`]);
  play.ok(before("c1"));
  assert.deepEqual(play.ok("c1"), ["step_succeeded c1#1", "hook_requested", `action_started ${before("c3")}#1`]);
  assert.deepEqual(play.flying, [`${before("c2")}#1`, `${before("c3")}#1`]);
});

test("wait-all waits for a child that waits for the hook before it", () => {
  const play = held(bent("p", { onError: "wait-all" }), "x", "y");
  play.ok(before("x"));
  assert.deepEqual(play.bad("x"), ["step_failed x#1 WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.ok(before("y")).at(-1), "step_started y#1");
  assert.deepEqual(play.ok("y").slice(1, 3), ["parallel_settled p failed failed=x cancelled=", ends[0]]);
});

test("a group that fails fast does not wait for one; the run does, and the child never begins", () => {
  const play = held(group("p"), "x", "y");
  play.ok(before("x"));
  assert.deepEqual(play.bad("x").slice(1), ["parallel_settled p failed failed=x cancelled=", "main_failed WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.ok(before("y")).slice(-2), ends);
  assert.equal(play.state.steps.has("y"), false);
});
