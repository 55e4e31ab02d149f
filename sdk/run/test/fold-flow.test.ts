import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../event.ts";
import { type BrokenLogCode, brokenLogCodes } from "../fold/broken.ts";
import { foldAll } from "../fold.ts";
import { admission, logOf, plainState } from "../spec.ts";
import type { RunState } from "../state.ts";
import * as e from "./events.ts";
import * as f from "./events-flow.ts";

type Log = readonly (NewEvent | number)[];
const going: Log = [admission(), e.started(9_000)];
const state = (...events: Log): RunState => foldAll(logOf(...going, ...events));
const ends: Log = [e.decidedFailed, e.failed];
const both: Log = [f.fork("x", "y"), e.begin("a"), e.begin("b")];
const broken: Log = [...both, e.broke("a"), f.branch("x", "failed")];
const children: Log = [e.open("p"), e.begin("a"), e.begin("b"), e.call(1)];
const one: Log = [f.loop(3), f.iteration(0), e.begin("a#0")];
const step: Log = [e.begin("a"), f.hook("@step_start/b", "1"), f.act("@step_start/b/1")];

const legal: Readonly<Record<string, Log>> = {
  "a fork whose branches all succeed": [
    ...[...both, e.done("a"), f.branch("x"), e.done("b"), f.branch("y"), f.join(), e.begin("c"), e.done("c")],
    ...[e.decidedOk, e.succeeded],
  ],
  "a joined branch that fails while the other goes on": [...broken, f.join("x"), e.done("b"), f.branch("y"), ...ends],
  "an unjoined one that does while the main route goes on": [
    ...[f.fork(), f.join(), e.begin("a"), e.begin("c"), e.broke("a"), f.branch("x", "failed"), e.done("c"), e.begin("d"), e.done("d")],
    ...[f.branch("y"), ...ends],
  ],
  "a main route that fails while a branch goes on": [
    ...[f.fork(), f.join(), e.begin("a"), e.begin("c"), e.broke("c"), f.mainFailed, e.done("a"), f.branch("x"), f.branch("y"), ...ends],
  ],
  "a loop, two at a time": [
    ...[f.loop(3, { concurrency: 2, collects: true }), f.iteration(0), f.iteration(1), e.begin("a#0"), e.begin("a#1"), e.done("a#1")],
    ...[
      f.finished(1, "one"),
      f.iteration(2),
      e.begin("a#2"),
      e.done("a#2"),
      f.finished(2, null),
      e.done("a#0"),
      f.finished(0, 0),
      f.looped(),
    ],
  ],
  "a loop of nothing": [f.loop(0), f.looped(), e.decidedOk, e.succeeded],
  "a loop that fails, and what was active goes on": [
    ...[f.loop(4, { concurrency: 2 }), f.iteration(0), f.iteration(1), e.begin("a#0"), e.begin("a#1"), e.broke("a#0"), f.spoilt(0)],
    ...[f.skip(2, 2), e.done("a#1"), e.begin("c#1"), e.done("c#1"), f.finished(1), f.looped(1), ...ends],
  ],
  "a choice without results, and a retry, in an iteration": [
    ...[...one, e.broke("a#0"), e.retry("a#0", 2, 1_000), e.begin("a#0", 2), e.done("a#0", 2), e.select("c#0", "w"), f.passed("c#0")],
    ...[f.finished(0)],
  ],
  "an approval": [f.ask(), 5, f.say("rejected"), e.select("ok:end", "rejected"), f.passed("ok:end"), e.decidedOk, e.succeeded],
  "an approval that nobody decides": [f.ask(1_050, "reject"), 50, f.lapse],
  "one that fails so": [f.ask(1_050), 50, f.unanswered(), ...ends],
  "one of which nobody could be told": [f.ask(), f.unanswered("undelivered"), ...ends],
  "a person who decides before the time-out is written": [f.ask(1_050), 60, f.say("approved")],
  "a group that waits for all": [
    ...[f.waitAll("p"), e.begin("a"), e.begin("b"), e.broke("a"), e.begin("c"), e.done("c"), e.done("b"), e.settled("p", ["a"])],
    ...ends,
  ],
  "a group that fails when the operations of its children have settled": [
    ...[
      ...children,
      e.broke("b"),
      f.failing("p", "b", "a"),
      e.gave(1),
      e.dropped("a", 1, "fail_fast"),
      e.settled("p", ["b"], ["a"]),
      ...ends,
    ],
  ],
  "hooks that run beside and behind the flow": [
    ...[...step, f.acted("@step_start/b/1"), f.observed("@step_start/b"), e.begin("b"), e.done("b"), e.done("a"), e.decidedOk],
    ...[f.hook("@run_success", "1", "2"), f.act("@run_success/1"), f.acted("@run_success/1", "failed"), f.act("@run_success/2")],
    ...[f.acted("@run_success/2"), f.observed("@run_success", 1), e.succeeded],
  ],
  "a notice that is tried again": [
    ...[f.ask(), f.hook("@notice/ok", "1"), f.act("@notice/ok/1"), f.acted("@notice/ok/1", "failed", 1_010), 10, f.act("@notice/ok/1", 2)],
  ],
  "a limit of each kind": [f.warn("events"), f.warn("outputs")],
};
for (const [name, events] of Object.entries(legal))
  test(`fold takes ${name}, in one go as in two at any place`, () => {
    const log = logOf(...going, ...events);
    const whole = plainState(foldAll(log));
    for (let cut = 0; cut <= log.length; cut++) assert.deepEqual(plainState(foldAll(log.slice(cut), foldAll(log.slice(0, cut)))), whole);
  });

const other: NewEvent = { type: "outcome_decided", data: { status: "failed", failure: { ...e.failure, message: "another" } } };
const cases: readonly (readonly [law: string, why: string, code: BrokenLogCode, ...events: Log])[] = [
  ["F11", "a group that is failing of which no child has failed", "WOML_LOG_PARALLEL", ...children, f.failing("p", "b", "a")],
  ["F11", "a failing group that stops what has ended", "WOML_LOG_PARALLEL", ...children, e.broke("b"), f.failing("p", "b", "b")],
  [
    "F11",
    "a group that waits for all and is failing",
    "WOML_LOG_PARALLEL",
    f.waitAll("p"),
    e.begin("b"),
    e.broke("b"),
    f.failing("p", "b"),
  ],
  ["F11", "a failing group that succeeds", "WOML_LOG_PARALLEL", ...children, e.broke("b"), f.failing("p", "b", "a"), e.settled("p")],
  [
    "F13",
    "what was told to end and succeeds",
    "WOML_LOG_ATTEMPT_END",
    ...children,
    e.broke("b"),
    f.failing("p", "b", "a"),
    e.gave(1),
    e.done("a"),
  ],
  [
    "F13",
    "a start beside a group that has failed",
    "WOML_LOG_STOP",
    f.waitAll("p"),
    e.begin("a"),
    e.broke("a"),
    e.settled("p", ["a"]),
    e.begin("b"),
  ],
  [
    "F13",
    "a start after the outcome",
    "WOML_LOG_END",
    ...broken,
    f.branch("y"),
    e.dropped("b", 1, "fail_fast"),
    e.decidedFailed,
    e.begin("c"),
  ],
  ["F14", "success of a run that was failing", "WOML_LOG_OUTCOME", ...broken, e.done("b"), f.branch("y"), e.decidedOk],
  ["F14", "another failure than the first", "WOML_LOG_OUTCOME", ...broken, e.done("b"), f.branch("y"), other],
  ["F14", "success while an approval waits", "WOML_LOG_OUTCOME", f.ask(), e.decidedOk],
  ["F14", "success in a loop", "WOML_LOG_OUTCOME", f.loop(2), e.decidedOk],
  ["F14", "success with a branch that goes on", "WOML_LOG_OUTCOME", f.fork(), f.join(), f.branch("x"), e.decidedOk],
  ["F14", "success with a join that nobody passed", "WOML_LOG_OUTCOME", f.fork(), f.branch("x"), f.branch("y"), e.decidedOk],
  ["F15", "an end while a hook goes on", "WOML_LOG_END", e.decidedOk, f.hook("@run_success", "1"), e.succeeded],
  ["F15", "a step behind the outcome", "WOML_LOG_END", e.decidedOk, e.begin("a")],
  [
    "F22",
    "a person's word about what was told to end",
    "WOML_LOG_RESOLUTION",
    ...children,
    e.call(2),
    e.broke("b"),
    f.failing("p", "b", "a"),
    e.unknown(1),
    e.resolve(1, { status: "retry" }),
  ],
  ["F25", "a loop opened twice", "WOML_LOG_LOOP", f.loop(1), f.loop(1)],
  ["F25", "an iteration of no loop", "WOML_LOG_LOOP", f.iteration(0)],
  ["F25", "iterations out of order", "WOML_LOG_LOOP", f.loop(3), f.iteration(1)],
  ["F25", "more at a time than there may be", "WOML_LOG_LOOP", ...one, f.iteration(1)],
  ["F25", "more than there are", "WOML_LOG_LOOP", f.loop(1), f.iteration(0), f.finished(0), f.iteration(1)],
  ["F25", "one behind a failure", "WOML_LOG_LOOP", f.loop(3), f.iteration(0), f.spoilt(0), f.iteration(1)],
  ["F25", "one that ends twice", "WOML_LOG_LOOP", f.loop(3), f.iteration(0), f.finished(0), f.finished(0)],
  ["F25", "one that ends with a step open", "WOML_LOG_LOOP", ...one, f.finished(0)],
  ["F25", "one that ends without the result it owes", "WOML_LOG_LOOP", f.loop(1, { collects: true }), f.iteration(0), f.finished(0)],
  ["F25", "a result that nobody collects", "WOML_LOG_LOOP", f.loop(1), f.iteration(0), f.finished(0, 1)],
  ["F25", "a step of an iteration that has not started", "WOML_LOG_LOOP", ...one, e.begin("a#1")],
  ["F25", "a step of an iteration that has ended", "WOML_LOG_LOOP", f.loop(2), f.iteration(0), f.finished(0), e.begin("a#0")],
  ["F25", "a step that the loop does not hold", "WOML_LOG_LOOP", ...one, e.begin("b#0")],
  ["F25", "a choice of no iteration", "WOML_LOG_LOOP", f.loop(2), e.select("c#0", "w")],
  ["F25", "a group of no iteration", "WOML_LOG_LOOP", f.loop(2), e.open("c#0")],
  ["F25", "skipping without a failure", "WOML_LOG_LOOP", f.loop(2), f.skip(0, 2)],
  ["F25", "skipping some", "WOML_LOG_LOOP", f.loop(3), f.iteration(0), f.spoilt(0), f.skip(1, 1)],
  ["F25", "a loop that ends with an iteration active", "WOML_LOG_LOOP", f.loop(1), f.iteration(0), f.looped()],
  ["F25", "a loop that ends with some left", "WOML_LOG_LOOP", f.loop(1), f.looped()],
  ["F25", "a loop that miscounts", "WOML_LOG_LOOP", f.loop(1), f.iteration(0), f.spoilt(0), f.looped(2)],
  ["F26", "a fork opened twice", "WOML_LOG_FORK", f.fork("x"), f.fork("x")],
  ["F26", "a fork that joins a branch it does not have", "WOML_LOG_FORK", f.fork("z")],
  ["F26", "a branch of no fork", "WOML_LOG_FORK", f.branch("x")],
  ["F26", "a branch that ends twice", "WOML_LOG_FORK", f.fork(), f.branch("x"), f.branch("x")],
  ["F26", "a join before its branches", "WOML_LOG_FORK", f.fork("x", "y"), f.branch("x"), f.join()],
  ["F26", "a join passed twice", "WOML_LOG_FORK", f.fork(), f.join(), f.join()],
  ["F26", "a join that blames a branch that did not fail", "WOML_LOG_FORK", ...broken, f.join("y")],
  ["F26", "a join that blames one it does not wait for", "WOML_LOG_FORK", f.fork("y"), f.branch("x", "failed"), f.join("x")],
  ["F27", "an approval requested twice", "WOML_LOG_APPROVAL", f.ask(), f.ask()],
  ["F27", "a decision that nobody asked for", "WOML_LOG_APPROVAL", f.say("approved")],
  ["F27", "two decisions", "WOML_LOG_APPROVAL", f.ask(), f.say("approved"), f.say("approved")],
  ["F27", "a time-out before its time", "WOML_LOG_APPROVAL", f.ask(1_050, "reject"), 49, f.lapse],
  ["F27", "a time-out of what has none", "WOML_LOG_APPROVAL", f.ask(), 49, f.unanswered()],
  ["F27", "a time-out that rejects where it fails", "WOML_LOG_APPROVAL", f.ask(1_050), 50, f.lapse],
  ["F27", "one that fails where it rejects", "WOML_LOG_APPROVAL", f.ask(1_050, "reject"), 50, f.unanswered()],
  ["F28", "a hook requested twice", "WOML_LOG_HOOK", ...step, f.hook("@step_start/b", "1")],
  ["F28", "an action of no hook", "WOML_LOG_HOOK", f.act("@run_start/1")],
  ["F28", "an action that its hook does not have", "WOML_LOG_HOOK", ...step, f.act("@step_start/b/2")],
  ["F28", "a hook that ends before its action", "WOML_LOG_HOOK", ...step, f.observed("@step_start/b")],
  ["F28", "a hook that miscounts", "WOML_LOG_HOOK", ...step, f.acted("@step_start/b/1", "failed"), f.observed("@step_start/b")],
  ["F28", "an action that succeeded and is tried again", "WOML_LOG_HOOK", ...step, f.acted("@step_start/b/1", "succeeded", 2_000)],
  ["F6", "an action begun twice", "WOML_LOG_ATTEMPT", ...step, f.act("@step_start/b/1")],
  ["F29", "an output inherited behind the start", "WOML_LOG_INHERITED", f.inherit("a")],
  ["F30", "a limit that warns twice", "WOML_LOG_LIMIT", f.warn("events"), f.warn("events")],
];
for (const [law, why, code, ...events] of cases)
  test(`${law}: fold refuses ${why}`, () => {
    const log = logOf(...going, ...events);
    const before = foldAll(log.slice(0, -1));
    assert.throws(() => foldAll(log.slice(-1), before), { name: "BrokenLog", code, seq: log.length });
  });

test("F29: only a run that resumes another inherits, and each output once", () => {
  const resumed = admission({ resumed: { run: "r", from: "b" } });
  assert.equal(foldAll(logOf(resumed, f.inherit("a", 7), e.started(), e.begin("b"))).outputs.get("a"), 7);
  assert.throws(() => foldAll(logOf(admission(), f.inherit("a"))), { code: "WOML_LOG_INHERITED" });
  assert.throws(() => foldAll(logOf(resumed, f.inherit("a"), f.inherit("a"))), { code: "WOML_LOG_OUTPUT" });
});

test("every code from F25 on is refused somewhere in these specs", () => {
  const seen = new Set<string>(cases.map(([, , code]) => code));
  const laws = Object.entries(brokenLogCodes).filter(([, law]) => Number.parseInt(law.slice(1), 10) >= 25);
  assert.deepEqual(
    laws.filter(([code]) => !seen.has(code)),
    [],
  );
});

test("what an iteration was leaves with it; a loop publishes its results in order, and what it counted stays", () => {
  const done = state(...(legal["a loop, two at a time"] ?? []));
  assert.deepEqual([...done.steps.entries()], []);
  assert.deepEqual([...done.outputs.entries()], [["l", { total: 3, succeeded: 3, results: [0, "one", null] }]]);
  assert.deepEqual([done.loops.get("l")?.results.size, done.looping], [0, []]);
  const inside = state(...one, e.done("a#0", 1, "kept"));
  assert.deepEqual([...inside.outputs.entries()], [["a#0", "kept"]]);
  assert.deepEqual([...state(...one, e.done("a#0"), f.finished(0)).outputs.entries()], []);
  assert.deepEqual(state(f.loop(0, { collects: true }), f.looped()).outputs.get("l"), { total: 0, succeeded: 0 });
});

test("what the run will fail with is what was first, and an outcome empties what waits", () => {
  const first = state(...broken, e.done("b"), f.branch("y"), f.mainFailed);
  assert.deepEqual(first.failing, e.failure);
  const { waiting, looping, stop } = state(f.ask(), e.cancel, e.decidedCancelled);
  assert.deepEqual([waiting, looping, stop], [[], [], null]);
  assert.deepEqual(state(f.ask(), f.say("approved")).outputs.get("ok"), {
    decision: "approved",
    source: "human",
    decidedAt: new Date(1_000).toISOString(),
  });
});
