import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent, RunEvent } from "../event.ts";
import { type BrokenLogCode, brokenLogCodes } from "../fold/broken.ts";
import { fold, foldAll, genesis } from "../fold.ts";
import { BrokenLog } from "../index.ts";
import { admission, logOf, plainState } from "../spec.ts";
import * as e from "./events.ts";

const head = [admission(), e.started()];
const legal: Readonly<Record<string, readonly (NewEvent | number)[]>> = {
  "one step": [...head, e.begin("a"), 5, e.done("a"), e.decidedOk, e.succeeded],
  "a retry that starts exactly when it is due": [
    ...head,
    e.begin("a"),
    e.broke("a"),
    e.retry("a", 2, 1_010),
    10,
    e.begin("a", 2),
    e.done("a", 2),
  ],
  "a step that fails for good": [...head, e.begin("a"), e.broke("a"), e.decidedFailed, e.failed],
  "a run refused before it starts": [admission(), e.decidedFailed, e.failed],
  "a group": [...head, e.open("p"), e.begin("a"), e.begin("b"), e.done("b"), e.done("a"), e.settled("p"), e.decidedOk, e.succeeded],
  "a group that fails fast": [
    ...[...head, e.open("p"), e.begin("a"), e.begin("b"), e.broke("b"), e.dropped("a", 1, "fail_fast")],
    ...[e.settled("p", ["b"], ["a"]), e.decidedFailed, e.failed],
  ],
  "a choice": [...head, e.select("c", "w"), e.begin("a"), e.done("a"), e.chosen("c", 1), e.decidedOk, e.succeeded],
  "resumes of each kind": [
    ...head,
    e.begin("a"),
    e.resumed("a", 1, "engine", 1),
    e.resumed("a", 1, "host", 2),
    e.resumed("a", 1, "worker", 1),
  ],
  "a cancel": [...head, e.begin("a"), e.cancel, e.dropped("a", 1, "cancelled"), e.decidedCancelled, e.cancelled],
  "a cancel in back-off": [
    ...[...head, e.begin("a"), e.broke("a"), e.retry("a", 2, 2_000), e.cancel, e.dropped("a", 2, "cancelled")],
    ...[e.decidedCancelled, e.cancelled],
  ],
  "a time-out": [
    ...[admission(), e.started(1_050), e.begin("a"), 50, e.deadline(1_050), e.dropped("a", 1, "timed_out")],
    ...[e.decidedFailed, e.failed],
  ],
};
for (const [name, events] of Object.entries(legal))
  test(`fold takes ${name}, in one go as in two at any place`, () => {
    const log = logOf(...events);
    const whole = plainState(foldAll(log));
    for (let cut = 0; cut <= log.length; cut++) assert.deepEqual(plainState(foldAll(log.slice(cut), foldAll(log.slice(0, cut)))), whole);
  });

type Case = readonly [law: string, why: string, code: BrokenLogCode, ...events: (NewEvent | number)[]];
const going = [...head, e.begin("a")];
const backoff = [...going, e.broke("a"), e.retry("a", 2, 1_010)];
const ended = [...going, e.done("a"), e.decidedOk, e.succeeded];
const cases: readonly Case[] = [
  ["F3", "an event before admission", "WOML_LOG_ADMISSION", e.started()],
  ["F3", "a second admission", "WOML_LOG_ADMISSION", ...head, admission()],
  ["F4", "an event after success", "WOML_LOG_AFTER_END", ...ended, e.begin("b")],
  ["F4", "a second terminal event", "WOML_LOG_AFTER_END", ...ended, e.failed],
  ["F5", "a second start", "WOML_LOG_START", ...head, e.started()],
  ["F5", "a step before the start", "WOML_LOG_START", admission(), e.begin("a")],
  ["F5", "a group before the start", "WOML_LOG_START", admission(), e.open("p")],
  ["F5", "a choice before the start", "WOML_LOG_START", admission(), e.select("c", "w")],
  ["F5", "success without a start", "WOML_LOG_OUTCOME", admission(), e.decidedOk],
  ["F6", "a second attempt at once", "WOML_LOG_ATTEMPT", ...going, e.begin("a", 2)],
  ["F6", "the same attempt twice", "WOML_LOG_ATTEMPT", ...going, e.begin("a")],
  ["F6", "a first attempt numbered 2", "WOML_LOG_ATTEMPT", ...head, e.begin("a", 2)],
  ["F6", "an attempt that leaves one out", "WOML_LOG_ATTEMPT", ...backoff, 10, e.begin("a", 3)],
  ["F6", "a step that starts again after its end", "WOML_LOG_ATTEMPT", ...going, e.done("a"), e.begin("a")],
  ["F7", "a retry one millisecond early", "WOML_LOG_RETRY", ...backoff, 9, e.begin("a", 2)],
  [
    "F7",
    "a retry scheduled later on",
    "WOML_LOG_RETRY",
    ...going,
    e.begin("b"),
    e.broke("a"),
    e.dropped("b", 1, "run_failed"),
    e.retry("a", 2, 2_000),
  ],
  ["F7", "a retry of another node", "WOML_LOG_RETRY", ...going, e.begin("b"), e.broke("a"), e.retry("b", 2, 2_000)],
  ["F7", "a retry of the same number", "WOML_LOG_RETRY", ...going, e.broke("a"), e.retry("a", 1, 2_000)],
  ["F7", "a retry without a failure", "WOML_LOG_RETRY", ...going, e.retry("a", 2, 2_000)],
  ["F7", "a retry scheduled twice", "WOML_LOG_RETRY", ...backoff, e.retry("a", 3, 2_000)],
  ["F8", "an end without a start", "WOML_LOG_ATTEMPT_END", ...head, e.done("a")],
  ["F8", "two ends", "WOML_LOG_ATTEMPT_END", ...going, e.done("a"), e.broke("a")],
  ["F8", "an end of another attempt", "WOML_LOG_ATTEMPT_END", ...going, e.done("a", 2)],
  ["F8", "an end in back-off", "WOML_LOG_ATTEMPT_END", ...backoff, e.done("a", 2)],
  ["F8", "a cancel after the end", "WOML_LOG_ATTEMPT_END", ...going, e.done("a"), e.cancel, e.dropped("a", 1, "cancelled")],
  [
    "F9",
    "a step with the id of a settled choice",
    "WOML_LOG_OUTPUT",
    ...head,
    e.select("c", "w"),
    e.chosen("c", 1),
    e.begin("c"),
    e.done("c"),
  ],
  ["F10", "a resume that leaves one out", "WOML_LOG_RESUME", ...going, e.resumed("a", 1, "engine", 2)],
  ["F10", "a resume counted twice", "WOML_LOG_RESUME", ...going, e.resumed("a", 1, "host", 1), e.resumed("a", 1, "engine", 1)],
  ["F10", "a resume of a closed attempt", "WOML_LOG_RESUME", ...going, e.done("a"), e.resumed("a", 1, "host", 1)],
  ["F10", "a resume of another attempt", "WOML_LOG_RESUME", ...going, e.resumed("a", 2, "host", 1)],
  ["F11", "a group opened twice", "WOML_LOG_PARALLEL", ...head, e.open("p"), e.open("p")],
  ["F11", "a group settled before it opens", "WOML_LOG_PARALLEL", ...head, e.settled("p")],
  ["F11", "a group settled twice", "WOML_LOG_PARALLEL", ...head, e.open("p"), e.settled("p"), e.settled("p")],
  ["F11", "a group that blames a step that did not fail", "WOML_LOG_PARALLEL", ...going, e.open("p"), e.settled("p", ["a"])],
  [
    "F11",
    "a group that names a step as cancelled that runs",
    "WOML_LOG_PARALLEL",
    ...going,
    e.open("p"),
    e.begin("b"),
    e.broke("b"),
    e.settled("p", ["b"], ["a"]),
  ],
  ["F12", "a choice selected twice", "WOML_LOG_CHOICE", ...head, e.select("c", "w"), e.select("c", "o")],
  ["F12", "a choice settled before it is selected", "WOML_LOG_CHOICE", ...head, e.chosen("c", 1)],
  ["F12", "a choice settled twice", "WOML_LOG_CHOICE", ...head, e.select("c", "w"), e.chosen("c", 1), e.chosen("c", 1)],
  ["F13", "two cancels", "WOML_LOG_STOP", ...going, e.cancel, e.cancel],
  ["F13", "a start after a cancel", "WOML_LOG_STOP", ...going, e.cancel, e.begin("b")],
  ["F13", "a start after a failure for good", "WOML_LOG_STOP", ...going, e.broke("a"), e.begin("b")],
  ["F13", "an output after a failure for good", "WOML_LOG_STOP", ...going, e.begin("b"), e.broke("a"), e.done("b")],
  ["F13", "a deadline before its time", "WOML_LOG_STOP", admission(), e.started(1_050), 49, e.deadline(1_050)],
  ["F13", "a deadline that is not the run's", "WOML_LOG_STOP", admission(), e.started(1_050), 60, e.deadline(1_060)],
  ["F13", "a deadline of a run that has none", "WOML_LOG_STOP", ...head, 60, e.deadline(1_060)],
  ["F13", "a step cancelled for a cancel that nobody asked", "WOML_LOG_STOP", ...going, e.dropped("a", 1, "cancelled")],
  ["F13", "a step timed out before the deadline", "WOML_LOG_STOP", ...going, e.dropped("a", 1, "timed_out")],
  ["F14", "an outcome with a step open", "WOML_LOG_OUTCOME", ...going, e.decidedFailed],
  ["F14", "an outcome with a step in back-off", "WOML_LOG_OUTCOME", ...backoff, e.decidedFailed],
  ["F14", "success after a failure", "WOML_LOG_OUTCOME", ...going, e.broke("a"), e.decidedOk],
  ["F14", "success with an open group", "WOML_LOG_OUTCOME", ...head, e.open("p"), e.decidedOk],
  ["F14", "success with an unsettled choice", "WOML_LOG_OUTCOME", ...head, e.select("c", "w"), e.decidedOk],
  ["F14", "success after a cancel", "WOML_LOG_OUTCOME", ...head, e.cancel, e.decidedOk],
  ["F14", "failure after a cancel", "WOML_LOG_OUTCOME", ...head, e.cancel, e.decidedFailed],
  ["F14", "cancelled without a cancel", "WOML_LOG_OUTCOME", ...head, e.decidedCancelled],
  ["F15", "a terminal event without an outcome", "WOML_LOG_END", ...head, e.succeeded],
  ["F15", "another event after the outcome", "WOML_LOG_END", ...going, e.done("a"), e.decidedOk, e.begin("b")],
  ["F15", "a second outcome", "WOML_LOG_END", ...going, e.done("a"), e.decidedOk, e.decidedFailed],
  ["F15", "an end that is not the outcome's", "WOML_LOG_END", ...going, e.done("a"), e.decidedOk, e.failed],
  [
    "F15",
    "another result than the outcome's",
    "WOML_LOG_END",
    ...going,
    e.done("a"),
    e.decidedOk,
    { type: "run_succeeded", data: { result: 2 } },
  ],
  ["F15", "cancelled after an outcome of failure", "WOML_LOG_END", ...going, e.broke("a"), e.decidedFailed, e.cancelled],
];
for (const [law, why, code, ...events] of cases)
  test(`${law}: fold refuses ${why}`, () => {
    const log = logOf(...events);
    const before = foldAll(log.slice(0, -1));
    assert.throws(() => foldAll(log.slice(-1), before), { name: "BrokenLog", code, seq: log.length });
  });

const first: RunEvent = { type: "run_admitted", seq: 1, at: 10, data: admission().data };
const odd: readonly (readonly [string, string, BrokenLogCode, RunEvent])[] = [
  ["F1", "a gap", "WOML_LOG_SEQUENCE", { type: "run_started", seq: 3, at: 10, data: { deadlineAt: null } }],
  ["F1", "a number that stands still", "WOML_LOG_SEQUENCE", { type: "run_started", seq: 1, at: 10, data: { deadlineAt: null } }],
  ["F1", "a type that nobody knows", "WOML_LOG_TYPE", JSON.parse('{"type":"toString","seq":2,"at":10,"data":{}}')],
  ["F2", "a time before the last event's", "WOML_LOG_TIME", { type: "run_started", seq: 2, at: 9, data: { deadlineAt: null } }],
  ["F16", "an event without what it must carry", "WOML_LOG_DATA", JSON.parse('{"type":"run_started","seq":2,"at":10,"data":{}}')],
];
for (const [law, why, code, event] of odd)
  test(`${law}: fold refuses ${why}`, () => assert.throws(() => fold(fold(genesis, first), event), { code }));

test("every code up to F16 is refused somewhere in these specs", () => {
  const seen = new Set<string>([...cases.map(([, , code]) => code), ...odd.map(([, , code]) => code)]);
  assert.deepEqual(
    Object.entries(brokenLogCodes).filter(([code, law]) => !seen.has(code) && Number.parseInt(law.slice(1), 10) < 17),
    [],
  );
  assert.match(new BrokenLog("WOML_LOG_RETRY", 7).message, /WOML_LOG_RETRY at event 7/);
});

test("folding is linear: 20,000 steps cost no more than 16 times what 1,250 do, with room for a busy machine", () => {
  const of = (count: number) => logOf(...head, ...Array.from({ length: count }, (_, i) => [e.begin(`n${i}`), e.done(`n${i}`)]).flat());
  const [few, many] = [of(1_250), of(20_000)];
  const spent = (log: readonly RunEvent[]): number => {
    const before = process.cpuUsage();
    assert.equal(foldAll(log).outputs.size, (log.length - head.length) / 2);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  let [short, long] = [spent(few), Number.POSITIVE_INFINITY];
  // The cheapest of several goes, since whatever else happens only adds: 16 times where it is linear, 256 where it is the square.
  for (let go = 1; go <= 3 || (go <= 10 && long >= 64 * short); go++) {
    short = Math.min(short, spent(few));
    long = Math.min(long, spent(many));
  }
  assert.ok(long < 64 * short, `${long / short} times`);
});
