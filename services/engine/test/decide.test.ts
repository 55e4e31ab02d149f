import assert from "node:assert/strict";
import { test } from "node:test";
import { genesis } from "@woml/run";
import { RESUMES, retryDelayMs } from "../decide/attempt.ts";
import { decide } from "../decide.ts";
import { type Ask, define, fixed, group, line, Play, step, threw } from "./play.ts";

const chain = define({ nodes: [step("a"), step("b")], edges: ["a>b"], result: "b" });
const diamond = define({ nodes: ["a", "b", "c", "d"].map((id) => step(id)), edges: ["a>b", "a>c", "b>d", "c>d"], result: "d" });

test("admission: admitted, started and the first step, in one answer", () => {
  const play = new Play(chain);
  assert.deepEqual(play.admit(), ["run_admitted", "run_started", "step_started a#1"]);
  assert.equal(play.state.deadlineAt, null);
});

test("D2: the outcome of a step, then the start of the next; the last outcome ends the run", () => {
  const play = new Play(chain);
  play.admit();
  assert.deepEqual(play.ok("a"), ["step_succeeded a#1", "step_started b#1"]);
  assert.deepEqual(play.ok("b", { r: 1 }), ["step_succeeded b#1", 'outcome_decided succeeded {"r":1}', 'run_succeeded {"r":1}']);
});

test("D3: the last step of a diamond starts once, when both its predecessors are done", () => {
  const play = new Play(diamond);
  play.admit();
  assert.deepEqual(play.ok("a"), ["step_succeeded a#1", "step_started b#1", "step_started c#1"]);
  assert.deepEqual(play.ok("c"), ["step_succeeded c#1"]);
  assert.deepEqual(play.ok("b"), ["step_succeeded b#1", "step_started d#1"]);
  assert.deepEqual(play.ok("d", 7).at(-1), "run_succeeded 7");
});

test("several entries start together, and the run ends when the last node has settled, whichever has the result", () => {
  const play = new Play(define({ nodes: [step("a"), step("b")], edges: [], result: "a" }));
  assert.deepEqual(play.admit().slice(2), ["step_started a#1", "step_started b#1"]);
  assert.deepEqual(play.ok("a", 7), ["step_succeeded a#1"]);
  assert.deepEqual(play.ok("b").slice(1), ["outcome_decided succeeded 7", "run_succeeded 7"]);
});

test("D4: what goes on beside a step that has failed goes on to its end, retries too, and the terminal event is last", () => {
  const play = new Play(define({ nodes: [step("a"), step("b", fixed(2, 50)), step("c"), step("d")], edges: ["c>d"], result: "a" }));
  play.admit();
  play.bad("b");
  assert.deepEqual(play.bad("c"), ["step_failed c#1 WOML_SCRIPT_THROWN", "main_failed WOML_SCRIPT_THROWN"]);
  assert.deepEqual(play.ok("a"), ["step_succeeded a#1"]);
  assert.deepEqual(play.wait(50).fire(), ["step_started b#2"]);
  assert.deepEqual(play.bad("b"), [
    "step_failed b#2 WOML_SCRIPT_THROWN",
    "main_failed WOML_STEP_RETRIES_EXHAUSTED",
    "outcome_decided failed WOML_SCRIPT_THROWN",
    "run_failed WOML_SCRIPT_THROWN",
  ]);
  assert.deepEqual(play.failure, { ...threw, step: "c" });
});

test("D4: a step that fails with nothing beside it ends the run at once", () => {
  const play = new Play(chain);
  play.admit();
  assert.deepEqual(play.bad("a"), [
    "step_failed a#1 WOML_SCRIPT_THROWN",
    "outcome_decided failed WOML_SCRIPT_THROWN",
    "run_failed WOML_SCRIPT_THROWN",
  ]);
});

test("D6: what a script threw is retried after the delay, until the attempts are used up", () => {
  const play = new Play(define({ nodes: [step("a", fixed(3, 50))], edges: [], result: "a" }));
  play.admit();
  assert.deepEqual(play.bad("a"), ["step_failed a#1 WOML_SCRIPT_THROWN", "step_retry_scheduled a#2"]);
  assert.equal(play.state.steps.get("a")?.dueAt, 1_050);
  assert.deepEqual(play.wait(49).fire(), []);
  assert.deepEqual(play.wait(1).fire(), ["step_started a#2"]);
  assert.deepEqual(play.fire(), []);
  play.bad("a");
  play.wait(50).fire();
  assert.deepEqual(play.bad("a"), [
    "step_failed a#3 WOML_SCRIPT_THROWN",
    "outcome_decided failed WOML_STEP_RETRIES_EXHAUSTED",
    "run_failed WOML_STEP_RETRIES_EXHAUSTED",
  ]);
  assert.deepEqual([play.failure?.step, play.failure?.cause], ["a", { ...threw, step: "a" }]);
});

test("D6: any other failure is not retried, and is the run's as it is", () => {
  for (const kind of ["wall_exceeded", "invalid_result", "worker_crashed", "host_unavailable", "context_too_large"]) {
    const play = new Play(define({ nodes: [step("a", fixed(3, 50))], edges: [], result: "a" }));
    play.admit();
    const failure = { code: "WOML_X", kind, message: "" };
    assert.deepEqual(play.bad("a", failure), ["step_failed a#1 WOML_X", "outcome_decided failed WOML_X", "run_failed WOML_X"]);
  }
});

test("delays: fixed, or doubled from the second attempt on up to the greatest", () => {
  const exponential = { maxAttempts: 9, backoff: { kind: "exponential" as const, delayMs: 100, maxDelayMs: 350 } };
  const attempts = [2, 3, 4, 5];
  assert.deepEqual(
    attempts.map((n) => retryDelayMs(exponential, n)),
    [100, 200, 350, 350],
  );
  assert.deepEqual(
    attempts.map((n) => retryDelayMs(fixed(9, 70), n)),
    [70, 70, 70, 70],
  );
});

test("due retries all start; one that is not due does not", () => {
  const play = new Play(
    define({ nodes: [step("a", fixed(2, 10)), step("b", fixed(2, 20)), step("c", fixed(2, 21))], edges: [], result: "a" }),
  );
  play.admit();
  for (const id of ["a", "b", "c"]) play.bad(id);
  assert.deepEqual(play.wait(20).fire(), ["step_started a#2", "step_started b#2"]);
});

test("D7: an attempt is resumed so often and no more, and its end is no failure of the script", () => {
  const limits = { engine: RESUMES.host, host: RESUMES.host, worker: RESUMES.worker };
  const codes = { engine: "WOML_SCRIPT_HOST_CRASHED", host: "WOML_SCRIPT_HOST_CRASHED", worker: "WOML_SCRIPT_WORKER_CRASHED" };
  assert.deepEqual(limits, { engine: 5, host: 5, worker: 2 });
  for (const lost of ["engine", "host", "worker"] as const) {
    const play = new Play(define({ nodes: [step("a", fixed(3, 50))], edges: [], result: "a" }));
    play.admit();
    for (let n = 1; n <= limits[lost]; n++) assert.deepEqual(play.lose("a", lost), [`attempt_resumed a#1 ${lost} ${n}`]);
    assert.deepEqual(play.lose("a", lost), [
      `step_failed a#1 ${codes[lost]}`,
      `outcome_decided failed ${codes[lost]}`,
      `run_failed ${codes[lost]}`,
    ]);
  }
});

test("D7: engine and supervisor share one count, the worker has its own, the next attempt begins at none", () => {
  const play = new Play(define({ nodes: [step("a", fixed(2, 50))], edges: [], result: "a" }));
  play.admit();
  for (const lost of ["engine", "host", "worker", "engine"] as const) play.lose("a", lost);
  assert.deepEqual(play.state.steps.get("a")?.resumes, { host: 3, worker: 1 });
  play.bad("a");
  play.wait(50).fire();
  assert.deepEqual(play.state.steps.get("a")?.resumes, { host: 0, worker: 0 });
});

const timed = define({ nodes: [step("a"), step("b", fixed(2, 100))], edges: [], result: "a", policy: { timeoutMs: 100 } });
const timeout = [
  "deadline_reached",
  "step_cancelled a#1 timed_out",
  "step_cancelled b#2 timed_out",
  "outcome_decided failed WOML_WORKFLOW_TIMED_OUT",
  "run_failed WOML_WORKFLOW_TIMED_OUT",
];
function atTheDeadline(): Play {
  const play = new Play(timed);
  play.admit();
  play.bad("b");
  return play;
}

test("D5: the deadline cancels what is open; in the moment when a retry is due too, it wins", () => {
  const play = atTheDeadline();
  assert.deepEqual(play.wait(99).fire(), []);
  assert.deepEqual(play.wait(1).fire(), timeout);
});

test("D5: an outcome, a loss or a cancel that comes after the deadline finds it reached", () => {
  const asks: readonly ((play: Play) => readonly string[])[] = [(p) => p.ok("a"), (p) => p.lose("a", "host"), (p) => p.cancel()];
  for (const ask of asks) assert.deepEqual(ask(atTheDeadline().wait(100)), timeout);
});

test("cancel: what is open is cancelled and the run ends at once", () => {
  const play = atTheDeadline();
  assert.deepEqual(play.cancel(), [
    "cancel_requested",
    "step_cancelled a#1 cancelled",
    "step_cancelled b#2 cancelled",
    "outcome_decided cancelled",
    "run_cancelled",
  ]);
});

test("a cancel and a refusal need no definition, anything else does", () => {
  const play = new Play(chain);
  play.admit();
  assert.deepEqual(decide(null, play.state, { kind: "cancel_run", request: "r", now: play.now }).map(line).at(-1), "run_cancelled");
  assert.deepEqual(new Play(chain).refuse(threw), [
    "run_admitted",
    "outcome_decided failed WOML_SCRIPT_THROWN",
    "run_failed WOML_SCRIPT_THROWN",
  ]);
});

test("D1: stale commands answer nothing", () => {
  const report = (node: string, attempt: number): Ask => ({
    kind: "report_attempt",
    node,
    attempt,
    outcome: { status: "succeeded", output: 1, cpuMs: 1 },
  });
  const resume = (node: string, attempt: number): Ask => ({ kind: "resume_attempt", node, attempt, lost: "host" });
  const play = new Play(
    define({
      nodes: [step("a", fixed(2, 10)), step("b"), ...group("p"), step("k")],
      edges: ["a>b", "b>p:open", "p:open>k", "k>p"],
      result: "b",
    }),
  );
  assert.deepEqual(play.fire(), []);
  assert.deepEqual(play.cancel(), []);
  play.admit();
  const firstAsk = [report("b", 1), report("a", 2), report("nobody", 1), resume("a", 2), resume("b", 1)];
  for (const ask of firstAsk) assert.deepEqual(play.ask(ask), []);
  assert.deepEqual(play.admit(), []);
  play.bad("a");
  for (const ask of [report("a", 1), report("a", 2), resume("a", 2)]) assert.deepEqual(play.ask(ask), []);
  play.wait(10).fire();
  play.ok("a");
  assert.deepEqual(play.ask(report("a", 2)), []);
  play.ok("b");
  play.ok("k");
  assert.equal(play.state.ended, "succeeded");
  for (const ask of [report("k", 1), resume("k", 1)]) assert.deepEqual(play.ask(ask), []);
  assert.deepEqual([play.fire(), play.cancel(), play.admit(), play.refuse(threw)], [[], [], [], []]);
});

test("a decision never dates an event before the last one", () => {
  const play = new Play(chain);
  play.admit();
  play.now -= 500;
  assert.equal(play.ask({ kind: "fire_timers" }).length, 0);
  assert.doesNotThrow(() => play.ask({ kind: "cancel_run", request: "r" }));
  assert.deepEqual(decide(play.graph, genesis, { kind: "fire_timers", now: 0 }), []);
});
