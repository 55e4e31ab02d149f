import assert from "node:assert/strict";
import { test } from "node:test";
import { due } from "../due.ts";
import { approval, called, choose, define, fork, Play, step } from "./play.ts";

const arms = ["ok>y@approved", "ok>n@rejected", "y>ok:end", "n>ok:end", "ok:end>z"];
function asked(timeoutMs?: number, onTimeout?: "fail" | "reject", policy = {}): Play {
  const nodes = [step("a"), ...approval("ok", timeoutMs, onTimeout), step("y"), step("n"), step("z")];
  const play = new Play(define({ nodes, edges: ["a>ok", ...arms], result: "ok", policy }));
  play.admit();
  play.ok("a");
  return play;
}
const waitsForEver = { run: [], operations: [], nextAt: null };

test("approval: asked for when it is reached, and then only a person moves the run", () => {
  const play = asked();
  assert.deepEqual(
    play.log.slice(-1).map(({ type }) => type),
    ["approval_requested"],
  );
  assert.deepEqual(due(play.state, play.now), waitsForEver);
  assert.deepEqual(play.wait(1_000_000).fire(), []);
});

test("approved or rejected: that arm runs, and the decision is the output", () => {
  const play = asked();
  assert.deepEqual(play.decide("ok", "approved"), [
    "approval_resolved ok approved human",
    "choice_selected ok:end approved",
    "step_started y#1",
  ]);
  assert.deepEqual(play.ok("y").slice(1), ["choice_settled ok:end", "step_started z#1"]);
  const decision = { decision: "approved", source: "human", decidedAt: new Date(1_000).toISOString() };
  assert.equal(play.ok("z").at(-1), `run_succeeded ${JSON.stringify(decision)}`);
  assert.deepEqual(asked().decide("ok", "rejected").slice(1), ["choice_selected ok:end rejected", "step_started n#1"]);
});

test("the first decision counts: the same again, and the opposite, decide nothing", () => {
  const play = asked();
  play.decide("ok", "approved");
  assert.deepEqual([play.decide("ok", "approved"), play.decide("ok", "rejected")], [[], []]);
  assert.deepEqual([play.decide("nobody", "approved"), asked().decide("a", "approved")], [[], []]);
});

test("time-out that fails: the run fails, no arm runs, and a decision that comes then is none", () => {
  const play = asked(50);
  assert.equal(due(play.state, play.now).nextAt, 1_050);
  assert.deepEqual(play.wait(49).fire(), []);
  assert.deepEqual(play.wait(1).fire(), [
    "approval_failed ok timeout",
    "outcome_decided failed WOML_APPROVAL_TIMEOUT",
    "run_failed WOML_APPROVAL_TIMEOUT",
  ]);
  assert.equal(play.failure?.step, "ok");
  assert.deepEqual(play.decide("ok", "approved"), []);
});

test("time-out that rejects: the rejected arm runs, and the source says so", () => {
  const play = asked(50, "reject");
  assert.deepEqual(play.wait(50).fire(), ["approval_resolved ok rejected timeout", "choice_selected ok:end rejected", "step_started n#1"]);
  play.ok("n");
  play.ok("z");
  const { outcome } = play.state;
  assert.ok(outcome?.status === "succeeded");
  assert.deepEqual(outcome.result, { decision: "rejected", source: "timeout", decidedAt: new Date(1_050).toISOString() });
});

test("what was decided in time counts, though it is heard late; what was not does not, though nobody had said that the time is over", () => {
  assert.deepEqual(asked(50).wait(49).decide("ok", "approved").length, 3);
  const heardLate = asked(50).wait(60);
  assert.deepEqual(heardLate.decide("ok", "approved", 1_049).at(0), "approval_resolved ok approved human");
  const late = asked(50).wait(60);
  assert.deepEqual([late.decide("ok", "approved", 1_050), late.decide("ok", "approved")], [[], []]);
  assert.equal(late.fire().at(0), "approval_failed ok timeout");
});

test("cancel and the run's time-out end it while it waits", () => {
  const play = asked(50);
  assert.deepEqual(play.cancel(), ["cancel_requested", "outcome_decided cancelled", "run_cancelled"]);
  assert.deepEqual([play.decide("ok", "approved"), due(play.state, 2_000)], [[], waitsForEver]);
  const timed = asked(500, "reject", { timeoutMs: 100 });
  assert.equal(due(timed.state, timed.now).nextAt, 1_100);
  assert.deepEqual(timed.wait(600).fire(), [
    "deadline_reached",
    "outcome_decided failed WOML_WORKFLOW_TIMED_OUT",
    "run_failed WOML_WORKFLOW_TIMED_OUT",
  ]);
});

test("a cancel that waits for an operation elsewhere leaves nothing to decide", () => {
  const nodes = [...fork("f"), step("x"), ...approval("ok", 50, "reject"), step("z")];
  const play = new Play(
    define({ nodes, edges: ["f:fork>x@x", "f:fork>f", "f>ok", "ok>ok:end@approved", "ok>ok:end@rejected", "ok:end>z"], result: "z" }),
  );
  play.admit();
  play.call("x", called("unsafe"));
  assert.deepEqual(play.cancel(), ["cancel_requested", "stop_decided cancelled"]);
  assert.deepEqual([play.decide("ok", "approved"), play.wait(60).fire(), due(play.state, play.now).nextAt], [[], [], null]);
  assert.equal(play.gave("x", 1).at(-1), "run_cancelled");
});

test("empty arms: what follows begins with the decision", () => {
  const nodes = [...approval("ok"), step("z")];
  for (const decision of ["approved", "rejected"] as const) {
    const play = new Play(define({ nodes, edges: ["ok>ok:end@approved", "ok>ok:end@rejected", "ok:end>z"], result: "ok" }));
    play.admit();
    assert.deepEqual(play.decide("ok", decision).slice(1), [
      `choice_selected ok:end ${decision}`,
      "choice_settled ok:end",
      "step_started z#1",
    ]);
  }
});

test("a step of an arm that fails fails the run; one after the other may wait in an arm", () => {
  const play = asked();
  play.decide("ok", "approved");
  assert.equal(play.bad("y").at(-1), "run_failed WOML_SCRIPT_THROWN");
  const inner = [...approval("ok"), ...approval("in"), step("z")];
  const edges = ["ok>in@approved", "in>in:end@approved", "in>in:end@rejected", "in:end>ok:end", "ok>ok:end@rejected", "ok:end>z"];
  const nested = new Play(define({ nodes: inner, edges, result: "z" }));
  nested.admit();
  assert.deepEqual(nested.decide("in", "approved"), [], "not asked for yet");
  assert.deepEqual(nested.decide("ok", "approved").at(-1), "approval_requested in");
  assert.deepEqual(nested.decide("in", "rejected").slice(2), ["choice_settled in:end", "choice_settled ok:end", "step_started z#1"]);
});

test("in an arm of a choice, and in branches: each waits for its own decision", () => {
  const nodes = [
    ...choose("c", ["w", ["payload", "t"], ["payload"]], ["n", null, ["payload"]]),
    ...[...fork("f", "x", "y"), ...approval("ok", 50), ...approval("on", 70, "reject"), step("o"), step("k")],
  ];
  const edges = [
    ...["c:select>f:fork@w", "f:fork>ok@x", "f:fork>on@y", "f:fork>f", "ok>ok:end@approved", "ok>ok:end@rejected", "ok:end>f"],
    ...["on>on:end@approved", "on>k@rejected", "k>on:end", "on:end>f", "f>c", "c:select>o@n", "o>c"],
  ];
  const play = new Play(define({ nodes, edges, result: "c" }));
  assert.deepEqual(play.admit({ t: true }).slice(4), ["approval_requested ok", "approval_requested on"]);
  assert.deepEqual(play.wait(50).fire(), [
    ...["approval_failed ok timeout", "branch_settled f x failed WOML_APPROVAL_TIMEOUT", "join_settled f failed blocking=x"],
  ]);
  assert.deepEqual(play.wait(20).fire(), ["approval_resolved on rejected timeout", "choice_selected on:end rejected", "step_started k#1"]);
  assert.deepEqual(play.ok("k").slice(1), [
    ...["choice_settled on:end", "branch_settled f y succeeded"],
    ...["outcome_decided failed WOML_APPROVAL_TIMEOUT", "run_failed WOML_APPROVAL_TIMEOUT"],
  ]);
});

test("two whose time is over in the same moment: both fail, the run with the first", () => {
  const nodes = [...fork("f"), ...approval("ok", 50), ...approval("on", 50), step("z")];
  const ends = ["ok", "on"].flatMap((id) => [`${id}>${id}:end@approved`, `${id}>${id}:end@rejected`]);
  const play = new Play(define({ nodes, edges: ["f:fork>ok@x", "f:fork>on@y", "f:fork>f", "f>z", ...ends], result: "z" }));
  play.admit();
  play.ok("z");
  assert.deepEqual(play.wait(50).fire(), [
    ...["approval_failed ok timeout", "branch_settled f x failed WOML_APPROVAL_TIMEOUT"],
    ...["approval_failed on timeout", "branch_settled f y failed WOML_APPROVAL_TIMEOUT"],
    ...["outcome_decided failed WOML_APPROVAL_TIMEOUT", "run_failed WOML_APPROVAL_TIMEOUT"],
  ]);
  assert.equal(play.failure?.step, "ok");
});
