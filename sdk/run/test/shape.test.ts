import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../event.ts";
import { isShaped } from "../fold/shape.ts";
import { admission, logOf } from "../spec.ts";
import { stepViews } from "../step-view.ts";
import { eventViews } from "../view.ts";
import * as e from "./events.ts";

const each: readonly NewEvent[] = [
  ...[admission(), e.started(), e.started(5), e.cancel, e.deadline(5), e.decidedOk, e.decidedFailed, e.decidedCancelled],
  ...[e.succeeded, e.failed, e.cancelled, e.begin("a"), e.resumed("a", 1, "host", 1), e.done("a"), e.broke("a"), e.retry("a", 2, 9)],
  ...[e.dropped("a", 1, "cancelled"), e.open("p"), e.settled("p"), e.settled("p", ["a"], ["b"]), e.select("c", "w"), e.chosen("c", 1)],
  ...[
    e.call(1),
    e.call(1, "pure", { seen: [{ answer: 1 }, { timer: 2 }], reused: 1 }),
    e.again(1, 2),
    e.refuse(1),
    e.doubt(1, 1, "lost", 5),
  ],
  ...[e.gave(1), e.refusedBy(1), e.unknown(1), e.park, e.wake, e.diverge, e.stop("cancelled"), e.stop("timed_out")],
  ...[
    e.resolve(1, { status: "succeeded", result: null }),
    e.resolve(null, { status: "failed", message: "" }),
    e.resolve(1, { status: "retry" }),
  ],
];
const JSON_MEMBERS = new Set(["payload", "result", "output"]);
/** A choice without results has none. */
const NOT_ALWAYS = new Set(["choice_settled output"]);

for (const { type, data } of each)
  test(`F16: ${type} ${JSON.stringify(data)} carries all of its members, each of its kind`, () => {
    assert.equal(isShaped({ type, data }), true);
    for (const other of [null, [], "text", 1, undefined]) assert.equal(isShaped({ type, data: other }), false);
    for (const name of Object.keys(data).filter((member) => !NOT_ALWAYS.has(`${type} ${member}`))) {
      const { [name]: _, ...without }: Readonly<Record<string, unknown>> = { ...data };
      assert.equal(isShaped({ type, data: without }), false, `without ${name}`);
      const wrong = JSON_MEMBERS.has(name) ? [undefined] : [undefined, true, -1, Infinity, {}, [1]];
      for (const value of wrong) assert.equal(isShaped({ type, data: { ...data, [name]: value } }), false, `${name}: ${value}`);
    }
  });

test("F16: what is called, its terms, outcomes and verdicts are looked into", () => {
  const start = e.call(1).data;
  const inside = (called: object): boolean => isShaped({ type: "operation_started", data: { ...start, called } });
  const whole = e.called(e.terms("keyed", { windowMs: 5, sticky: true }), { name: "n" });
  assert.equal(inside(whole), true);
  assert.equal(inside({ ...whole, input: undefined }), false);
  assert.equal(inside({ ...whole, effect: { ...whole.effect, class: "safe" } }), false);
  assert.equal(inside({ ...whole, effect: { ...whole.effect, windowMs: undefined } }), false);
  assert.equal(isShaped({ type: "operation_started", data: { ...start, seen: [{ call: 1 }] } }), false);
  const settled = (outcome: object): boolean => isShaped({ type: "operation_settled", data: { ...e.gave(1).data, outcome } });
  assert.equal(settled({ status: "succeeded" }), false);
  assert.equal(settled({ status: "unknown", failure: e.lostAnswer }), false);
  assert.equal(settled({ status: "failed", failure: { ...e.denied, retryable: 1 } }), false);
  const resolved = (verdict: object): boolean =>
    isShaped({ type: "outcome_resolved", data: { ...e.resolve(1, { status: "retry" }).data, verdict } });
  assert.equal(resolved({ status: "succeeded" }), false);
  assert.equal(resolved({ status: "unknown" }), false);
  assert.equal(isShaped({ type: "run_admitted", data: admission({ onAmbiguous: "fail" }).data }), true);
  assert.equal(isShaped({ type: "run_admitted", data: { ...admission().data, onAmbiguous: "ask" } }), false);
});

test("F16: a failure is looked into, causes too", () => {
  const inside = (failure: unknown): boolean => isShaped({ type: "run_failed", data: { failure } });
  assert.equal(inside({ ...e.failure, step: "a", stack: "at a:1:1", cause: { ...e.failure, cause: e.failure } }), true);
  assert.equal(inside({ ...e.failure, step: 1 }), false);
  assert.equal(inside({ ...e.failure, cause: { ...e.failure, cause: { code: "WOML_X" } } }), false);
});

test("what can be read of a log with unreadable events is shown, and its seed is not", () => {
  const [first, , begun, done, ...rest] = logOf(admission(), e.started(), e.begin("a"), e.done("a"), e.begin("b"));
  const broken = [{ ...first, type: "step_started" }, begun, { ...done, data: null }, ...rest] as unknown as ReturnType<typeof logOf>;
  assert.deepEqual(
    stepViews(broken).map(({ id, status }) => [id, status]),
    [
      ["a", "running"],
      ["b", "running"],
    ],
  );
  const shown = eventViews(broken);
  assert.equal(shown[2]?.data, null);
  assert.equal(JSON.stringify(shown).includes("secret"), false);
});
