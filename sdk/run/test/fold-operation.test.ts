import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../event.ts";
import { type BrokenLogCode, brokenLogCodes } from "../fold/broken.ts";
import { foldAll } from "../fold.ts";
import { admission, logOf, plainState } from "../spec.ts";
import type { OperationState, RunState } from "../state.ts";
import * as e from "./events.ts";

type Log = readonly (NewEvent | number)[];
const going: Log = [admission(), e.started(9_000), e.begin("a")];
const state = (...events: Log): RunState => foldAll(logOf(...going, ...events));
const operation = (of: RunState, id = "a:1:1"): OperationState | undefined => of.operations.get(id);
const keyed = e.called(e.terms("keyed", { windowMs: 100 }));
const asked = e.called(e.terms("reattachable", { conclusiveNotFoundAfterMs: 50 }));
const pair: Log = [e.begin("b"), e.call(1), e.call(2, "pure")];
const secondTry = e.call(1, e.called(e.terms("unsafe")), { attempt: 2, key: "k1", reused: 1 });
const retried: Log = [e.call(1), e.gave(1), e.broke("a"), e.retry("a", 2, 1_000), e.begin("a", 2)];

const legal: Readonly<Record<string, Log>> = {
  "a call and its answer": [e.call(1), 5, e.gave(1), e.done("a"), e.decidedOk, e.succeeded],
  "an answer seen before the next call": [e.call(1), e.gave(1), e.call(2, "pure", { seen: [{ answer: 1 }, { timer: 1 }] })],
  "a refused call, seen": [e.refuse(1), e.call(2, "unsafe", { seen: [{ answer: 1 }] })],
  "a pure one performed again": [e.call(1, "pure"), e.again(1, 2), e.again(1, 3), e.gave(1, 1, 3)],
  "a keyed one performed again in its window": [e.call(1, keyed), 99, e.again(1, 2), e.gave(1, 1, 2)],
  "a proven absence": [e.call(1, asked), e.doubt(1, 1, "lost", 1_000), 50, e.doubt(1, 1, "not_found", 1_050), e.again(1, 2)],
  "an unknown that a person resolves": [e.call(1), e.unknown(1), e.resolve(1, { status: "succeeded", result: 7 }), e.wake, e.done("a")],
  "an unknown performed again by a person": [e.call(1), e.unknown(1), e.resolve(1, { status: "retry" }), e.again(1, 2, "person")],
  "an unknown that the script was told": [e.call(1), e.unknown(1, true), e.call(2, "pure", { seen: [{ answer: 1 }] })],
  "a park and its wake": [e.call(1), e.park, e.gave(1), e.wake, e.done("a")],
  "a divergence resolved": [e.call(1), e.gave(1), e.diverge, e.resolve(null, { status: "succeeded", result: 1 }), e.done("a")],
  "a retry that is answered from the log": [...retried, secondTry, e.settle(1, 1, { status: "succeeded", result: "r" }, 2), e.done("a", 2)],
  "a cancel that waits for an operation": [
    ...[...pair, e.cancel, e.stop("cancelled"), e.dropped("b", 1, "cancelled"), e.gave(1), e.unknown(2)],
    ...[e.dropped("a", 1, "cancelled"), e.decidedCancelled, e.cancelled],
  ],
  "a failure that waits for a sibling's operation": [
    ...[...pair, e.broke("b"), e.stop("run_failed"), e.gave(1), e.gave(2), e.dropped("a", 1, "run_failed"), e.decidedFailed, e.failed],
  ],
};
for (const [name, events] of Object.entries(legal))
  test(`fold takes ${name}, in one go as in two at any place`, () => {
    const log = logOf(...going, ...events);
    const whole = plainState(foldAll(log));
    for (let cut = 0; cut <= log.length; cut++) assert.deepEqual(plainState(foldAll(log.slice(cut), foldAll(log.slice(0, cut)))), whole);
  });

const nameless = e.call(2, "unsafe", { key: "k1" });
const conflict = e.refuse(1, "WOML_OPERATION_CONFLICT");
const earlier: Log = [e.call(1, asked), e.doubt(1, 1, "lost", 1_000), 49, e.doubt(1, 1, "not_found", 1_050)];
const cases: readonly (readonly [law: string, why: string, code: BrokenLogCode, ...events: Log])[] = [
  ["F13", "a call after a cancel", "WOML_LOG_STOP", e.call(1), e.cancel, e.call(2)],
  ["F13", "a dispatch in a run that stops", "WOML_LOG_STOP", e.call(1, "pure"), e.cancel, e.stop("cancelled"), e.again(1, 2)],
  ["F13", "a resume in a run that stops", "WOML_LOG_STOP", e.call(1), e.park, e.cancel, e.stop("cancelled"), e.gave(1), e.wake],
  ["F13", "a stop with nothing pending", "WOML_LOG_STOP", e.cancel, e.stop("cancelled")],
  ["F13", "two stops", "WOML_LOG_STOP", e.call(1), e.cancel, e.stop("cancelled"), e.stop("cancelled")],
  ["F13", "a stop for another reason", "WOML_LOG_STOP", e.call(1), e.cancel, e.stop("run_failed")],
  ["F13", "a cancel of a run that stops", "WOML_LOG_STOP", e.call(1), e.stop("run_failed"), e.cancel],
  [
    "F14",
    "another end than was decided",
    "WOML_LOG_OUTCOME",
    ...[e.call(1), e.stop("run_failed"), e.gave(1), e.dropped("a", 1, "run_failed")],
    { type: "outcome_decided", data: { status: "failed", failure: { ...e.failure, code: "WOML_OTHER" } } },
  ],
  ["F17", "a call that leaves one out", "WOML_LOG_CALL", e.call(2)],
  ["F17", "a call recorded twice", "WOML_LOG_CALL", e.call(1), e.call(1)],
  ["F17", "a call of a parked script", "WOML_LOG_CALL", e.call(1), e.park, e.call(2)],
  ["F17", "a call while an outcome is unknown", "WOML_LOG_CALL", e.call(1), e.unknown(1), e.call(2)],
  ["F17", "a call of an attempt that can only fail", "WOML_LOG_CALL", conflict, e.call(2)],
  ["F17", "a call of an attempt that diverged", "WOML_LOG_CALL", e.diverge, e.call(1)],
  ["F17", "a call of a closed attempt", "WOML_LOG_CALL", e.done("a"), e.call(1)],
  ["F17", "an answer seen that nobody gave", "WOML_LOG_CALL", e.call(1), e.call(2, "pure", { seen: [{ answer: 1 }] })],
  ["F18", "a first try numbered 2", "WOML_LOG_TRY", e.call(1, "pure", { try: 2 })],
  ["F18", "a try that leaves one out", "WOML_LOG_TRY", e.call(1, "pure"), e.again(1, 3)],
  ["F18", "a try of what has settled", "WOML_LOG_TRY", e.call(1, "pure"), e.gave(1), e.again(1, 2)],
  ["F18", "a try under another key", "WOML_LOG_TRY", e.call(1, "pure"), e.again(1, 2, "recovery", { key: "other" })],
  ["F18", "a try of an operation that never began", "WOML_LOG_CALL", e.again(1, 2)],
  ["F19", "a key that stands twice in an attempt", "WOML_LOG_KEY", e.call(1), nameless],
  ["F19", "what an earlier attempt did performed again", "WOML_LOG_KEY", ...retried, e.call(1, "unsafe", { attempt: 2 })],
  ["F19", "a reuse of what nobody did", "WOML_LOG_KEY", e.call(1, "unsafe", { reused: 1 })],
  [
    "F19",
    "a reuse with another input",
    "WOML_LOG_KEY",
    ...[...retried, e.call(1, e.called(e.terms("unsafe"), { inputDigest: "j" }), { attempt: 2, reused: 1 })],
  ],
  ["F20", "two settlements", "WOML_LOG_SETTLEMENT", e.call(1), e.gave(1), e.gave(1)],
  ["F20", "a settlement of an earlier try", "WOML_LOG_SETTLEMENT", e.call(1, "pure"), e.again(1, 2), e.gave(1)],
  [
    "F20",
    "a reused one that fails",
    "WOML_LOG_SETTLEMENT",
    ...retried,
    secondTry,
    e.settle(1, 1, { status: "failed", failure: e.denied }, 2),
  ],
  ["F20", "a doubt of what cannot be asked about", "WOML_LOG_SETTLEMENT", e.call(1), e.doubt(1, 1, "lost", 1_000)],
  ["F21", "an output while an operation is pending", "WOML_LOG_PENDING", e.call(1), e.done("a")],
  ["F21", "a failure while an operation is pending", "WOML_LOG_PENDING", e.call(1), e.broke("a")],
  ["F21", "an output while an outcome is unknown", "WOML_LOG_PENDING", e.call(1), e.unknown(1), e.done("a")],
  ["F21", "a failure of an attempt that diverged", "WOML_LOG_PENDING", e.diverge, e.broke("a")],
  ["F21", "an output of a parked attempt", "WOML_LOG_PENDING", e.call(1), e.park, e.gave(1), e.done("a")],
  ["F21", "an output of an attempt that can only fail", "WOML_LOG_PENDING", conflict, e.done("a")],
  ["F21", "a step cancelled over a pending operation", "WOML_LOG_PENDING", e.call(1), e.cancel, e.dropped("a", 1, "cancelled")],
  [
    "F21",
    "a retry of an attempt that holds an unknown",
    "WOML_LOG_PENDING",
    e.call(1),
    e.unknown(1, true),
    e.broke("a"),
    e.retry("a", 2, 1_000),
  ],
  ["F22", "a word about what is known", "WOML_LOG_RESOLUTION", e.call(1), e.gave(1), e.resolve(1, { status: "failed", message: "" })],
  ["F22", "a word about what the script was told", "WOML_LOG_RESOLUTION", e.call(1), e.unknown(1, true), e.resolve(1, { status: "retry" })],
  ["F22", "a word about an attempt that did not diverge", "WOML_LOG_RESOLUTION", e.resolve(null, { status: "retry" })],
  [
    "F22",
    "two words about one outcome",
    "WOML_LOG_RESOLUTION",
    e.call(1),
    e.unknown(1),
    e.resolve(1, { status: "retry" }),
    e.resolve(1, { status: "retry" }),
  ],
  ["F23", "an unsafe one performed again", "WOML_LOG_REPEAT", e.call(1), e.again(1, 2)],
  ["F23", "a key used after its window", "WOML_LOG_REPEAT", e.call(1, keyed), 100, e.again(1, 2)],
  ["F23", "a key without a window", "WOML_LOG_REPEAT", e.call(1, "keyed"), e.again(1, 2)],
  ["F23", "a reattachable one performed again unasked", "WOML_LOG_REPEAT", e.call(1, asked), 99, e.again(1, 2)],
  ["F23", "an absence that is no proof yet", "WOML_LOG_REPEAT", ...earlier, 99, e.again(1, 2)],
  ["F23", "a person's try that nobody granted", "WOML_LOG_REPEAT", e.call(1), e.unknown(1), e.again(1, 2, "person")],
  [
    "F23",
    "a person's word used twice",
    "WOML_LOG_REPEAT",
    ...[
      e.call(1),
      e.unknown(1),
      e.resolve(1, { status: "retry" }),
      e.again(1, 2, "person"),
      e.unknown(1, false, 2),
      e.again(1, 3, "person"),
    ],
  ],
  ["F24", "a park with nothing pending", "WOML_LOG_PARK", e.park],
  ["F24", "two parks", "WOML_LOG_PARK", e.call(1), e.park, e.park],
  ["F24", "a divergence of a parked attempt", "WOML_LOG_PARK", e.call(1), e.park, e.diverge],
  ["F10", "a resume that says nothing was called", "WOML_LOG_RESUME", e.call(1), e.resumed("a", 1, "engine", 1)],
  ["F10", "a wake of an attempt without calls", "WOML_LOG_RESUME", e.wake],
  ["F10", "a loss of a parked attempt", "WOML_LOG_RESUME", e.call(1), e.park, e.rerun(1)],
  ["F10", "a wake while another outcome is unknown", "WOML_LOG_RESUME", e.call(1), e.call(2), e.unknown(1), e.gave(2), e.wake],
];
for (const [law, why, code, ...events] of cases)
  test(`${law}: fold refuses ${why}`, () => {
    const log = logOf(...going, ...events);
    const before = foldAll(log.slice(0, -1));
    assert.throws(() => foldAll(log.slice(-1), before), { name: "BrokenLog", code, seq: log.length });
  });

test("every code from F17 to F24 is refused somewhere in these specs", () => {
  const seen = new Set<string>(cases.map(([, , code]) => code));
  assert.deepEqual(
    Object.entries(brokenLogCodes).filter(([code, law]) => !seen.has(code) && lawOf(law) >= 17 && lawOf(law) < 25),
    [],
  );
});

const lawOf = (text: string): number => Number.parseInt(text.slice(1), 10);

test("what is open, unknown, parked and doomed stands at the step", () => {
  const step = (...events: Log) => {
    const { pending, unknown, parked, doomed, calls, resumed } = state(...events).steps.get("a") ?? assert.fail();
    return [pending, unknown, parked, doomed?.kind, calls, resumed];
  };
  assert.deepEqual(step(e.call(1), e.refuse(2), e.call(3)), [[1, 3], [], false, undefined, [3], 0]);
  assert.deepEqual(step(e.call(1), e.call(2), e.unknown(1)), [[2], [1], true, undefined, [2], 0]);
  assert.deepEqual(step(e.call(1), e.unknown(1), e.resolve(1, { status: "retry" }), e.again(1, 2, "person"))[0], [1]);
  assert.deepEqual(step(e.call(1), e.rerun(1), e.park, e.gave(1), e.wake).slice(2), [false, undefined, [1], 2]);
  assert.deepEqual(step(conflict)[3], "operation_conflict");
  assert.deepEqual(step(e.refuse(1, "WOML_CALL_LIMIT"))[3], "call_limit");
  assert.deepEqual(step(...retried)[4], [1, 0]);
});

test("answers are given in the order of the log, a person's when it is said, an unknown one only if told", () => {
  const seqs = (of: RunState, ...ids: readonly string[]) => ids.map((id) => operation(of, id)?.answered?.seq ?? null);
  const both = state(e.call(1), e.call(2), e.gave(2), e.unknown(1));
  assert.deepEqual(seqs(both, "a:1:1", "a:1:2"), [null, 6]);
  assert.deepEqual(seqs(state(e.call(1), e.unknown(1), e.resolve(1, { status: "failed", message: "no" })), "a:1:1"), [6]);
  assert.deepEqual(seqs(state(e.call(1), e.unknown(1, true)), "a:1:1"), [5]);
});

test("D14's ground: a dispatch after a lost one is doubtful, one after proof is not, one after a person's word where only that can tell", () => {
  const isDoubtful = (...events: Log) => operation(state(...events))?.isDoubtful;
  assert.deepEqual(isDoubtful(e.call(1, keyed)), false);
  assert.deepEqual(isDoubtful(e.call(1, keyed), e.again(1, 2)), true);
  const found = [e.call(1, asked), e.doubt(1, 1, "lost", 1_000), 50, e.doubt(1, 1, "not_found", 1_050), e.again(1, 2)];
  assert.deepEqual(isDoubtful(...found), false);
  const again = [e.unknown(1), e.resolve(1, { status: "retry" }), e.again(1, 2, "person")];
  assert.deepEqual(isDoubtful(e.call(1), ...again), false);
  assert.deepEqual(isDoubtful(e.call(1, keyed), 89, ...again), true, "its key still tells");
  assert.deepEqual(isDoubtful(e.call(1, keyed), 90, ...again), false);
  assert.deepEqual(isDoubtful(e.call(1, asked), ...again), true, "its provider still tells");
});
