import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hook, Node } from "@woml/model";
import { ENDING, EVENTS, FINAL, OUTPUT_BYTES, WARNED } from "../decide/limits.ts";
import type { Said } from "../decide.ts";
import { due } from "../due.ts";
import { called, choose, define, fixed, group, Play, step } from "./play.ts";

const chain = define({ nodes: [step("a"), step("b"), step("c")], edges: ["a>b", "b>c"], result: "c" });
const pending: Said = { status: "pending", askAgainMs: 1_000 };
const HISTORY = "WOML_RUN_HISTORY_LIMIT";
const LOST = { code: "LOST", message: "", retryable: false, ambiguous: false };

/** A run of that definition whose log has `head` events. */
function playing(head: number, definition = chain): Play {
  const play = new Play(definition);
  play.admit();
  play.state = { ...play.state, head };
  return play;
}
/** Likewise, with so many bytes of outputs. */
function filled(outputBytes: number, definition = chain): Play {
  const play = new Play(definition);
  play.admit();
  play.state = { ...play.state, outputBytes };
  return play;
}
const text = (bytes: number): string => "x".repeat(bytes - 2);

test("PC-22, D31: events are warned of once, when they are 80 % of what a run may have", () => {
  const near = EVENTS * WARNED;
  assert.deepEqual(playing(near - 3).ok("a"), ["step_succeeded a#1", "step_started b#1"]);
  const play = playing(near - 2);
  assert.deepEqual(play.ok("a"), ["step_succeeded a#1", "step_started b#1", "limit_warned"]);
  assert.deepEqual(play.log.at(-1)?.data, { limit: "events", used: near, most: EVENTS });
  assert.deepEqual(play.ok("b"), ["step_succeeded b#1", "step_started c#1"]);
});

test("D31: what follows from nothing warns of nothing", () => {
  const play = playing(EVENTS * WARNED);
  assert.deepEqual(play.ok("b"), []);
});

test("PC-22, D33: at the last thousand events nothing begins, and the run ends with a reason and its history", () => {
  // `a` is open: the event that ends it is kept too.
  const last = EVENTS - ENDING - 1;
  const goesOn = playing(last - 3);
  goesOn.state = { ...goesOn.state, warned: ["events"] };
  assert.deepEqual(goesOn.ok("a"), ["step_succeeded a#1", "step_started b#1"]);
  assert.equal(goesOn.state.ended, null);
  const play = playing(last + 1);
  play.state = { ...play.state, warned: ["events"] };
  assert.deepEqual(play.ok("a"), ["step_succeeded a#1", `outcome_decided failed ${HISTORY}`, `run_failed ${HISTORY}`]);
  assert.match(play.failure?.message ?? "", /249001 events of at most 250000/);
});

test("D33: neither retries nor calls begin there, and what is open ends", () => {
  const retrying = define({ nodes: [step("a", fixed(3, 100)), step("b")], edges: [], result: "a" });
  const play = playing(EVENTS - ENDING - 4, retrying);
  play.state = { ...play.state, warned: ["events"] };
  const ended = [`outcome_decided failed ${HISTORY}`, `run_failed ${HISTORY}`];
  assert.deepEqual(play.bad("a"), [
    ...["step_failed a#1 WOML_SCRIPT_THROWN", "step_retry_scheduled a#2"],
    ...["step_cancelled b#1 run_failed", "step_cancelled a#2 run_failed", ...ended],
  ]);
  const wide = define({ nodes: [...group("g"), step("a"), step("b")], edges: ["g:open>a", "g:open>b", "a>g", "b>g"], result: "g" });
  const crowded = playing(EVENTS - ENDING - 2, wide);
  crowded.call("a", called("pure"));
  assert.equal(crowded.state.stop?.failure?.code, HISTORY, "the group's other step takes the last but one");
});

test("D33: a run that ends there waits for its operations until its events are nearly over, and no longer", () => {
  const play = playing(EVENTS - ENDING - 4);
  play.call("a", called("reattachable", { effect: { pendingMaxMs: 1_000_000_000 } }));
  play.said("a", 1, { status: "ambiguous", failure: { code: "LOST", message: "", retryable: false, ambiguous: true } });
  assert.equal(play.state.stop?.failure?.code, HISTORY);
  let asked = 0;
  for (; play.state.ended === null && asked < 2 * ENDING; asked++) play.wait(1_000).said("a", 1, pending);
  assert.equal(play.state.ended, "failed");
  assert.ok(asked > ENDING - FINAL - 10, `asked ${asked} times`);
  assert.ok(play.state.head <= EVENTS, `${play.state.head} events`);
  assert.equal(play.state.operations.get("a:1:1")?.status, "unknown");
  assert.match(play.state.operations.get("a:1:1")?.evidence ?? "", /limit of its history/);
});

test("PC-18, D33: a run that is cancelled at the end of its history ends, with small events", () => {
  const play = playing(EVENTS - ENDING - 6);
  play.call("a", called("pure"));
  assert.deepEqual(play.cancel(), ["cancel_requested", "stop_decided cancelled"]);
  assert.deepEqual(play.gave("a", 1), [
    ...["operation_settled a#1.1 succeeded", "step_cancelled a#1 cancelled"],
    ...["outcome_decided cancelled", "run_cancelled"],
  ]);
});

test("PC-18, D32: an output to the last byte is kept; one byte more fails its attempt, which says limit, size and place", () => {
  const fits = filled(OUTPUT_BYTES - 100);
  assert.deepEqual(fits.ok("a", text(100)), ["step_succeeded a#1", "step_started b#1", "limit_warned"]);
  assert.equal(fits.state.outputBytes, OUTPUT_BYTES);
  const play = filled(OUTPUT_BYTES - 100);
  play.state = { ...play.state, warned: ["outputs"] };
  assert.deepEqual(play.ok("a", text(101)), [
    "step_failed a#1 WOML_RUN_OUTPUT_LIMIT",
    "outcome_decided failed WOML_RUN_OUTPUT_LIMIT",
    "run_failed WOML_RUN_OUTPUT_LIMIT",
  ]);
  assert.equal(play.state.outputBytes, OUTPUT_BYTES - 100, "nothing of it is kept");
  assert.match(play.failure?.message ?? "", /67108864 bytes .* 101 of \/steps\/a .* 67108865/);
});

test("D32: it is no failure that another attempt would mend", () => {
  const play = filled(OUTPUT_BYTES, define({ nodes: [step("a", fixed(3, 100))], edges: [], result: "a" }));
  assert.deepEqual(play.ok("a", 1)[0], "step_failed a#1 WOML_RUN_OUTPUT_LIMIT");
  assert.equal(play.state.ended, "failed");
});

test("PC-18: a run whose outputs are full can still be cancelled", () => {
  const play = filled(OUTPUT_BYTES);
  assert.deepEqual(play.cancel(), ["cancel_requested", "step_cancelled a#1 cancelled", "outcome_decided cancelled", "run_cancelled"]);
});

test("D31: outputs are warned of once", () => {
  const play = filled(OUTPUT_BYTES * WARNED - 1);
  assert.deepEqual(play.ok("a", 1), ["step_succeeded a#1", "step_started b#1", "limit_warned"]);
  assert.deepEqual(play.ok("b", 1), ["step_succeeded b#1", "step_started c#1"]);
});

test("D32: the output of a choice counts, and fails its flow", () => {
  const nodes = [step("a"), ...choose("c", ["yes", ["payload", "yes"], ["steps", "a"]], ["no", null, ["steps", "a"]])];
  const play = new Play(define({ nodes, edges: ["a>c:select", "c:select>c@yes", "c:select>c@no"], result: "c" }));
  play.admit({ yes: true });
  play.state = { ...play.state, outputBytes: OUTPUT_BYTES - 150, warned: ["outputs"] };
  assert.deepEqual(play.ok("a", text(100)).slice(-2), ["outcome_decided failed WOML_RUN_OUTPUT_LIMIT", "run_failed WOML_RUN_OUTPUT_LIMIT"]);
  assert.match(play.failure?.message ?? "", /100 of \/steps\/c/);
});

test("D32: results of a loop count as its iterations settle", () => {
  const body = { nodes: [{ kind: "step" as const, id: "b", script: { source: "" } }], edges: [] };
  const loop: Node = { kind: "for-each", id: "l", items: ["payload", "items"], body, result: ["steps", "b"] };
  const play = new Play(define({ nodes: [loop], edges: [], result: "l" }));
  play.admit({ items: [1, 2, 3] });
  play.ok("b#0", text(100));
  assert.equal(play.state.outputBytes, 200);
  play.state = { ...play.state, outputBytes: OUTPUT_BYTES - 150, warned: ["outputs"] };
  play.ok("b#1", text(100));
  assert.equal(play.failure?.code, "WOML_FOR_EACH_ITERATION_FAILED");
  assert.equal(play.failure?.cause?.code, "WOML_RUN_OUTPUT_LIMIT");
});

test("nothing is in flight any more once a run has ended at a limit", () => {
  const play = playing(EVENTS - ENDING);
  play.ok("a");
  assert.deepEqual(due(play.state, play.now), { run: [], operations: [], nextAt: null });
});

const script = { source: "" };
const complete: Hook = { on: "run_complete", actions: [{ kind: "script", script }] };
/** A chain whose end is observed. */
const watched = { ...chain, lifecycle: [complete] };

test("D33: hooks of the outcome run where there is room for them, and are left out where there is none", () => {
  const roomy = playing(1_000, watched);
  assert.deepEqual(roomy.bad("a").slice(-2), ["hook_requested", "action_started @run_complete/1#1"]);
  const play = playing(EVENTS - ENDING, watched);
  assert.deepEqual(play.ok("a").slice(-2), [`outcome_decided failed ${HISTORY}`, `run_failed ${HISTORY}`]);
});

test("D33: what observes the outcome is cut short when no events are left for it, and what it has pending is unknown", () => {
  const play = playing(EVENTS - ENDING - 20, watched);
  play.state = { ...play.state, warned: ["events"] };
  play.bad("a");
  const site = "@run_complete/1";
  for (let n = 0; play.state.ended === null && n < 2 * ENDING; n++) {
    play.call(site, called("unsafe", { inputDigest: `i${n}` }));
    if (n % 2 === 0) play.gave(site, n + 1);
    else if (play.state.ended === null) play.said(site, n + 1, { status: "failed", failure: LOST, evidence: "" });
  }
  assert.equal(play.state.ended, "failed");
  assert.ok(play.state.head <= EVENTS && play.state.head > EVENTS - 2 * FINAL, `${play.state.head} events`);
  assert.equal(play.state.steps.get(site)?.status, "cancelled");
});
