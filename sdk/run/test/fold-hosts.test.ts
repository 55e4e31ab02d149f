import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../event.ts";
import type { BrokenLogCode } from "../fold/broken.ts";
import { foldAll } from "../fold.ts";
import { admission, logOf, plainState } from "../spec.ts";
import type { OperationState } from "../state.ts";
import * as e from "./events.ts";

type Log = readonly (NewEvent | number)[];
const going: Log = [admission(), e.started(9_000), e.begin("a")];
const operation = (...events: Log): OperationState =>
  foldAll(logOf(...going, ...events)).operations.get("a:1:1") ?? assert.fail("no operation");

const KINDS = ["pure", "keyed", "reattachable", "unsafe"] as const;
const keyed = e.called(e.terms("keyed", { windowMs: 100 }));
const asked = e.called(e.terms("reattachable", { conclusiveNotFoundAfterMs: 50 }));
/** Call 1 goes to host A; its next try to host B. */
const toA = (kind: Parameters<typeof e.call>[1] = "unsafe"): NewEvent => e.call(1, kind, { host: "A" });
const toB = (tried = 2, by: "recovery" | "person" = "recovery"): NewEvent => e.again(1, tried, by, { host: "B" });
const unsent = (tried = 1): NewEvent => e.doubt(1, tried, "unsent", 1_000);
const outOfReach = (runsUntil: number, tried = 1): NewEvent => ({
  type: "operation_doubted",
  data: { node: "a", attempt: 1, call: 1, try: tried, reason: "lost", detail: "out of reach", askAt: 1_000, runsUntil },
});

test("a start says which host it goes to; one of a log from one machine says none", () => {
  assert.equal(operation(toA()).host, "A");
  assert.equal(operation(toA("pure"), toB()).host, "B");
  assert.equal(operation(e.call(1)).host, null);
  assert.equal(operation(toA("pure"), e.again(1, 2)).host, null);
});

test("a try that was not sent adds no doubt, and is followed by another, whatever the class", () => {
  for (const kind of KINDS) {
    const { try: number, isDoubtful, doubt, status, unsent: tries } = operation(toA(kind), 5, unsent(), toB());
    assert.deepEqual([number, isDoubtful, doubt, status, tries], [2, false, null, "open", { count: 1, since: 1_005 }], kind);
  }
});

test("a try that was not sent leaves the doubt about the tries before it", () => {
  const { isDoubtful, unsent: tries } = operation(toA(keyed), toB(), unsent(2), e.again(1, 3, "recovery", { host: "C" }));
  assert.deepEqual([isDoubtful, tries.count], [true, 1]);
});

test("unsent tries are counted in a row until something else is said", () => {
  const row = [toA("keyed"), 5, unsent(), toB(), 5, unsent(2), e.again(1, 3, "recovery", { host: "C" })];
  assert.deepEqual(operation(...row).unsent, { count: 2, since: 1_005 });
  const pure = [toA("pure"), 5, unsent(), toB(), e.again(1, 3)];
  assert.deepEqual(operation(...pure).unsent, { count: 1, since: null });
});

test("in place of a person's try that was not sent stands another of theirs", () => {
  const again = [toA(), e.unknown(1), e.resolve(1, { status: "retry" }), toB(2, "person"), unsent(2), e.again(1, 3)];
  assert.equal(operation(...again).by, "person");
});

test("until when a host out of reach may perform it: the latest of all tries, over its whole life", () => {
  assert.equal(operation(toA(keyed), outOfReach(1_050)).runsUntil, 1_050);
  assert.equal(operation(toA(keyed), outOfReach(1_050), toB(), outOfReach(1_040, 2)).runsUntil, 1_050);
  assert.equal(operation(toA(keyed), outOfReach(1_050), toB(), e.unknown(1, false, 2)).runsUntil, 1_050);
  assert.equal(operation(toA()).runsUntil, null);
});

const legal: Readonly<Record<string, Log>> = {
  "an unsafe one whose host is out of reach: unknown in the same append": [toA(), outOfReach(1_000), e.unknown(1)],
  "a keyed one performed again beside a host that is out of reach": [toA(keyed), outOfReach(1_050), toB(), e.gave(1, "r", 2)],
  "an absence that is proof from when its host has stopped": [
    ...[toA(asked), outOfReach(1_100), 150, e.doubt(1, 1, "not_found", 1_150), toB()],
  ],
  "a person's word from when nothing performs it any more": [
    ...[toA(asked), outOfReach(1_100), e.unknown(1), 100, e.resolve(1, { status: "failed", message: "" })],
  ],
  "a person who has seen that it was done, at any time": [
    ...[toA(asked), outOfReach(1_100), e.unknown(1), e.resolve(1, { status: "succeeded", result: 1 })],
  ],
};
for (const [name, events] of Object.entries(legal))
  test(`fold takes ${name}, in one go as in two at any place`, () => {
    const log = logOf(...going, ...events);
    const whole = plainState(foldAll(log));
    for (let cut = 0; cut <= log.length; cut++) assert.deepEqual(plainState(foldAll(log.slice(cut), foldAll(log.slice(0, cut)))), whole);
  });

const proofless: Log = [toA(asked), outOfReach(1_100), 149, e.doubt(1, 1, "not_found", 1_150), toB()];
const cases: readonly (readonly [law: string, why: string, code: BrokenLogCode, ...events: Log])[] = [
  ["F20", "that a try of one machine was not sent", "WOML_LOG_SETTLEMENT", e.call(1), unsent()],
  [
    "F20",
    "that a try was not sent, after its loss was said",
    "WOML_LOG_SETTLEMENT",
    toA("reattachable"),
    e.doubt(1, 1, "lost", 1),
    unsent(),
  ],
  ["F20", "that an earlier try was not sent", "WOML_LOG_SETTLEMENT", toA("pure"), toB(), unsent(1)],
  ["F20", "that a settled try was not sent", "WOML_LOG_SETTLEMENT", toA(), e.gave(1), unsent()],
  ["F20", "that a host of one machine is out of reach", "WOML_LOG_SETTLEMENT", e.call(1), outOfReach(2_000)],
  ["F20", "a doubt of what cannot be asked about, though it names a host", "WOML_LOG_SETTLEMENT", toA(), e.doubt(1, 1, "lost", 1)],
  [
    "F22",
    "that it was not done, while it may be performed",
    "WOML_LOG_RESOLUTION",
    toA(asked),
    outOfReach(1_100),
    e.unknown(1),
    99,
    e.resolve(1, { status: "failed", message: "" }),
  ],
  [
    "F22",
    "perform again, while it may be performed",
    "WOML_LOG_RESOLUTION",
    toA(asked),
    outOfReach(1_100),
    e.unknown(1),
    99,
    e.resolve(1, { status: "retry" }),
  ],
  ["F23", "an absence that is no proof while a host may perform it", "WOML_LOG_REPEAT", ...proofless],
  ["F23", "a key that may be forgotten while a host performs it", "WOML_LOG_REPEAT", toA(keyed), outOfReach(1_100), toB()],
  ["F23", "an unsafe one beside a host that is out of reach", "WOML_LOG_REPEAT", toA(), outOfReach(2_000), toB()],
  ["F23", "a second try in place of one that was not sent", "WOML_LOG_REPEAT", toA(), unsent(), toB(), e.again(1, 3)],
  [
    "F23",
    "a key used after its window, in place of a try that was not sent",
    "WOML_LOG_REPEAT",
    toA(keyed),
    toB(),
    100,
    unsent(2),
    e.again(1, 3),
  ],
  ["F16", "a host that is no text", "WOML_LOG_DATA", { ...toA(), data: { ...toA().data, host: 7 } } as unknown as NewEvent],
];
for (const [law, why, code, ...events] of cases)
  test(`${law}: fold refuses ${why}`, () => {
    assert.throws(() => foldAll(logOf(...going, ...events)), { name: "BrokenLog", code });
  });

test("the trace of what admitted a run is kept, and is text", () => {
  const traced: NewEvent = { ...admission(), data: { ...admission().data, trace: "00-1-2-01" } } as NewEvent;
  assert.equal(foldAll(logOf(traced)).admitted?.trace, "00-1-2-01");
  const wrong = { ...admission(), data: { ...admission().data, trace: 7 } } as unknown as NewEvent;
  assert.throws(() => foldAll(logOf(wrong)), { code: "WOML_LOG_DATA" });
});
