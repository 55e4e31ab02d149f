import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../event.ts";
import { asRunId } from "../id.ts";
import { viewOfShown } from "../shown.ts";
import { admission, logOf } from "../spec.ts";
import { type RunView, view } from "../view.ts";
import * as e from "./events.ts";

const run = asRunId("01890000-0000-7000-8000-000000000001");
const at = (ms: number): string => new Date(ms).toISOString();
const shown = (...events: readonly (NewEvent | number)[]): RunView =>
  view({ run, held: null }, logOf(admission(), e.started(), e.begin("a"), ...events));
const keyed = e.called(e.terms("keyed", { windowMs: 1_000 }), { name: "pay" });

test("an operation that was performed twice and answered", () => {
  const { operations, unresolvedEffects, head } = shown(e.call(1, keyed), 5, e.again(1, 2), 5, e.gave(1, { id: 7 }, 2));
  assert.deepEqual([unresolvedEffects, head], [[], 6]);
  assert.deepEqual(operations, [
    {
      ...{ id: "a:1:1", step: "a", attempt: 1, call: 1, capability: "acme.payments", operation: "charge", name: "pay" },
      ...{ release: `sha256:${"1".repeat(64)}`, class: "keyed", outcome: "succeeded", told: false, tries: 2, by: "recovery" },
      ...{ since: at(1_010), startedAt: at(1_000), settledAt: at(1_010), evidence: "how", reused: null },
      ...{ input: { cents: 5 }, result: { id: 7 }, failure: null },
    },
  ]);
});

test("what is open, doubted, refused and unknown says why and since when", () => {
  const asked = e.called(e.terms("reattachable"));
  const { operations, unresolvedEffects } = shown(e.call(1), e.call(2, asked), 5, e.doubt(2, 1, "lost", 1_005), e.refuse(3), e.unknown(1));
  const told = operations.map(({ outcome, since, settledAt, evidence, failure }) => [outcome, since, settledAt, evidence, failure?.code]);
  assert.deepEqual(told, [
    ["unknown", at(1_005), at(1_005), "how", "WOML_OPERATION_LOST"],
    ["doubted", at(1_005), null, "why", undefined],
    ["refused", at(1_005), at(1_005), "", "WOML_OPERATION_NAME_REUSED"],
  ]);
  assert.deepEqual(unresolvedEffects, ["a:1:1"]);
});

test("what a person says is its outcome, and a person's try begins anew", () => {
  const one = (...events: readonly (NewEvent | number)[]) => shown(e.call(1), e.unknown(1), 5, ...events).operations[0];
  const said = one(e.resolve(1, { status: "succeeded", result: 7 }));
  assert.deepEqual([said?.outcome, said?.result, said?.settledAt, said?.evidence], ["succeeded", 7, at(1_005), "a person said so"]);
  const no = one(e.resolve(1, { status: "failed", message: "not there" }));
  assert.deepEqual([no?.outcome, no?.failure?.code, no?.failure?.message], ["failed", "WOML_OPERATION_FAILED", "not there"]);
  const again = one(e.resolve(1, { status: "retry" }), e.again(1, 2, "person"));
  assert.deepEqual([again?.outcome, again?.by, again?.tries, again?.failure, again?.settledAt], ["open", "person", 2, null, null]);
});

test("an effect nobody knows stays listed after the end, also one the script was told of", () => {
  const left = [e.call(1), e.call(2), e.cancel, e.stop("cancelled"), e.unknown(1), e.gave(2), e.dropped("a", 1, "cancelled")];
  assert.deepEqual(shown(...left, e.decidedCancelled, e.cancelled).unresolvedEffects, ["a:1:1"]);
  const { unresolvedEffects, operations } = shown(e.call(1), e.unknown(1, true), e.done("a"), e.decidedOk, e.succeeded);
  assert.deepEqual([unresolvedEffects, operations[0]?.told], [["a:1:1"], true]);
});

test("from what an API shows of a log follow the same operations; what cannot be read is passed over", () => {
  const whole = shown(e.call(1, keyed), e.again(1, 2), e.refuse(2), e.unknown(1, false, 2));
  assert.deepEqual(viewOfShown(whole, whole.events), whole);
  const broken = whole.events.map((event) => (event.type === "operation_refused" ? { ...event, data: null } : event));
  assert.deepEqual(
    viewOfShown(whole, broken).operations.map(({ id }) => id),
    ["a:1:1"],
  );
  assert.deepEqual(viewOfShown(whole, whole.events.slice(4)).operations.length, 1);
});
