import assert from "node:assert/strict";
import { test } from "node:test";
import type { Said } from "../decide.ts";
import { decide } from "../decide.ts";
import { due } from "../due.ts";
import { called, define, fixed, group, line, Play, step } from "./play.ts";

const pair = define({ nodes: [step("a", fixed(2, 0)), step("b")], edges: [], result: "a", policy: { timeoutMs: 100 } });
const lost: Said = { status: "lost", detail: "" };
const notFound: Said = { status: "not_found" };
/** `a` has a call pending, `b` only its script. */
function playing(what = called("unsafe"), definition = pair): Play {
  const play = new Play(definition);
  play.admit();
  play.call("a", what);
  return play;
}
const cancelled = ["step_cancelled a#1 cancelled", "outcome_decided cancelled", "run_cancelled"];

test("cancel: scripts end at once, a step with an operation when that has settled, and with it the run", () => {
  const play = playing();
  assert.deepEqual(play.cancel(), ["cancel_requested", "stop_decided cancelled", "step_cancelled b#1 cancelled"]);
  const { run, operations, nextAt } = due(play.state, play.now);
  assert.deepEqual([run, operations.length, nextAt], [[], 1, null]);
  assert.deepEqual(
    [play.cancel(), play.fire(), play.ok("a"), play.lose("a", "engine"), play.park("a"), play.diverge("a")],
    [[], [], [], [], [], []],
  );
  assert.deepEqual(play.wait(200).fire(), [], "its time-out does not count any more");
  assert.deepEqual(play.gave("a", 1), ["operation_settled a#1.1 succeeded", ...cancelled]);
});

test("D15: in a run that stops nothing is performed again, and unknowns block nothing", () => {
  const stopping = (what: ReturnType<typeof called>, said: Said): readonly string[] => {
    const play = playing(what);
    play.cancel();
    return play.said("a", 1, said);
  };
  const unknown = ["operation_settled a#1.1 unknown WOML_OPERATION_LOST", ...cancelled];
  assert.deepEqual(stopping(called("unsafe"), lost), unknown);
  assert.deepEqual(stopping(called("keyed"), lost), unknown);
  assert.deepEqual(stopping(called("pure"), lost)[0], "operation_settled a#1.1 failed WOML_OPERATION_LOST");
});

test("D15: its providers are still asked; what is proven absent has failed, what is not is unknown", () => {
  const play = playing(called("reattachable", { effect: { conclusiveNotFoundAfterMs: 60, windowMs: 1_000 } }));
  play.cancel();
  assert.deepEqual(play.said("a", 1, lost), ["operation_doubted a#1.1 lost"]);
  assert.deepEqual(play.said("a", 1, notFound), ["operation_doubted a#1.1 not_found"]);
  assert.deepEqual(play.wait(60).said("a", 1, notFound), ["operation_settled a#1.1 failed WOML_OPERATION_NOT_PERFORMED", ...cancelled]);
  const unsure = playing(called("reattachable", { effect: { windowMs: 1_000 } }));
  unsure.cancel();
  unsure.said("a", 1, lost);
  assert.deepEqual(unsure.said("a", 1, notFound), ["operation_settled a#1.1 unknown WOML_OUTCOME_UNKNOWN", ...cancelled]);
});

test("D5: the deadline stops likewise, and what an operation came to in that moment is kept", () => {
  const play = playing();
  assert.deepEqual(play.wait(100).gave("a", 1), [
    ...["deadline_reached", "stop_decided timed_out WOML_WORKFLOW_TIMED_OUT", "step_cancelled b#1 timed_out"],
    ...["operation_settled a#1.1 succeeded", "step_cancelled a#1 timed_out"],
    ...["outcome_decided failed WOML_WORKFLOW_TIMED_OUT", "run_failed WOML_WORKFLOW_TIMED_OUT"],
  ]);
});

test("a step that fails for good stops no other: the run ends with the last of them", () => {
  const play = playing();
  assert.deepEqual(play.bad("b"), ["step_failed b#1 WOML_SCRIPT_THROWN", "main_failed WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.gave("a", 1), ["operation_settled a#1.1 succeeded"]);
  assert.deepEqual(play.ok("a"), ["step_succeeded a#1", "outcome_decided failed WOML_SCRIPT_THROWN", "run_failed WOML_SCRIPT_THROWN"]);
});

test("fail-fast: siblings end as their operations settle, then the group, then the run", () => {
  const edges = ["p:open>a", "p:open>b", "p:open>c", "a>p", "b>p", "c>p"];
  const nodes = [...group("p"), step("a"), step("b"), step("c"), step("d")];
  const play = playing(called("unsafe"), define({ nodes, edges, result: "a" }));
  play.call("d", called("unsafe"));
  assert.deepEqual(play.bad("b").slice(1), ["step_cancelled c#1 fail_fast", "parallel_failing p stopped=a"]);
  assert.deepEqual([play.ok("a"), play.lose("a", "engine"), play.park("a"), play.diverge("a")], [[], [], [], []]);
  assert.deepEqual(due(play.state, play.now).run, [{ node: "d", attempt: 1 }], "no script of it is run");
  assert.deepEqual(play.gave("a", 1).slice(1), [
    "step_cancelled a#1 fail_fast",
    "parallel_settled p failed failed=b cancelled=a,c",
    "main_failed WOML_SCRIPT_THROWN",
  ]);
  play.gave("d", 1);
  assert.deepEqual(play.ok("d").slice(1), ["outcome_decided failed WOML_SCRIPT_THROWN", "run_failed WOML_SCRIPT_THROWN"]);
});

test("without the definition, or held, a cancel leaves nothing pending: nobody would hear of it", () => {
  const ask = (play: Play) => decide(null, play.state, { kind: "cancel_run", request: "r", now: play.now }).map(line);
  const settled = "operation_settled a#1.1 unknown WOML_OUTCOME_UNKNOWN";
  assert.deepEqual(ask(playing()), ["cancel_requested", settled, cancelled[0], "step_cancelled b#1 cancelled", ...cancelled.slice(1)]);
  const stopping = playing();
  stopping.cancel();
  assert.deepEqual(ask(stopping), [settled, ...cancelled]);
  const failing = playing();
  failing.bad("b");
  assert.deepEqual(ask(failing).at(-1), "run_cancelled");
});

test("cancel works from needs_resolution at once", () => {
  const play = playing();
  play.said("a", 1, lost);
  assert.deepEqual(play.cancel(), ["cancel_requested", cancelled[0], "step_cancelled b#1 cancelled", ...cancelled.slice(1)]);
  assert.deepEqual(play.resolve("a", 1, { status: "retry" }), []);
});

test("a parked attempt is resumed by what settles next, once", () => {
  const play = playing();
  play.call("a", called("pure", { inputDigest: "j" }));
  assert.deepEqual(play.park("a"), ["attempt_parked a#1"]);
  assert.deepEqual([play.park("a"), play.ok("a"), play.lose("a", "engine")], [[], [], []]);
  assert.deepEqual(due(play.state, play.now).run, [{ node: "b", attempt: 1 }]);
  assert.deepEqual(play.gave("a", 2), ["operation_settled a#1.2 succeeded", "attempt_resumed a#1"]);
  assert.deepEqual(play.gave("a", 1), ["operation_settled a#1.1 succeeded"]);
  assert.deepEqual(due(play.state, play.now).run.length, 2);
});

test("what settled while the script was being dropped resumes it at once", () => {
  const play = playing();
  play.gave("a", 1);
  assert.deepEqual(play.park("a"), ["attempt_resumed a#1"]);
  assert.deepEqual(play.state.steps.get("a")?.resumed, 1);
});

test("an outcome is held back while operations are pending", () => {
  const play = playing();
  assert.deepEqual([play.ok("a"), play.bad("a"), play.threw("a", 1)], [[], [], []]);
  play.gave("a", 1);
  assert.deepEqual(play.ok("a"), ["step_succeeded a#1"]);
});

test("an attempt with calls is resumed from its journal; lost too often, it waits for its operations before it fails", () => {
  const play = playing();
  for (let n = 1; n <= 2; n++) assert.deepEqual(play.lose("a", "worker"), [`attempt_resumed a#1 worker ${n}`]);
  const last = play.log.findLast(({ type }) => type === "attempt_resumed");
  assert.equal(last?.type === "attempt_resumed" && last.data.reason, "journal");
  assert.deepEqual(play.lose("a", "worker"), ["attempt_parked a#1"]);
  assert.deepEqual(play.gave("a", 1), ["operation_settled a#1.1 succeeded", "attempt_resumed a#1"]);
  assert.deepEqual(play.lose("a", "worker")[0], "step_failed a#1 WOML_SCRIPT_WORKER_CRASHED");
});

test("due: what is doubted is asked about when it is due, and until then that is when to look again", () => {
  const play = playing(called("reattachable"));
  play.said("a", 1, lost);
  const asked = { node: "a", attempt: 1, call: 1, try: 1 };
  assert.deepEqual(due(play.state, play.now).operations, [{ ...asked, action: "ask" }]);
  play.said("a", 1, { status: "pending", askAgainMs: 1 });
  assert.deepEqual(due(play.state, play.now).operations, []);
  assert.equal(due(play.state, play.now).nextAt, 1_100, "the deadline comes first");
  assert.deepEqual(due(play.state, 2_000).operations, [{ ...asked, action: "ask" }]);
});
