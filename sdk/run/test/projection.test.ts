import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../event.ts";
import { foldAll, genesis } from "../fold.ts";
import { project, WAITING_STEPS } from "../projection.ts";
import { admission, logOf } from "../spec.ts";
import { timerChanges, timers } from "../timer.ts";
import * as e from "./events.ts";

const at = (ms: number): string => new Date(ms).toISOString();
const state = (...events: readonly (NewEvent | number)[]) => foldAll(logOf(admission(), ...events));
const actions = ["cancelRun"];

test("before the start a run is queued and due at once", () => {
  const { status, nextDue, waitingFor } = project(state());
  assert.deepEqual([status, nextDue, waitingFor?.cause, waitingFor?.since], ["queued", 1_000, "queued", at(1_000)]);
});

test("an open attempt: running, due since it started, whatever else waits", () => {
  const events = [e.started(9_000), 5, e.begin("b"), 5, e.begin("a"), e.begin("c"), e.broke("c"), e.retry("c", 2, 2_000)];
  const { status, nextDue, waitingFor } = project(state(...events));
  assert.deepEqual([status, nextDue], ["running", 1_005]);
  const moves = "The outcome of the script, or the run's time-out.";
  assert.deepEqual(waitingFor, { cause: "script", since: at(1_005), steps: ["b", "a"], moves, actions });
});

const inBackoff = [e.begin("a"), e.begin("b"), 5, e.broke("a"), e.retry("a", 2, 3_000), 5, e.broke("b"), e.retry("b", 2, 2_000)];
test("only back-offs: waiting until the first of them", () => {
  const { status, nextDue, waitingFor } = project(state(e.started(), ...inBackoff));
  assert.deepEqual([status, nextDue], ["waiting", 2_000]);
  const moves = "The next attempt when it is due.";
  assert.deepEqual(waitingFor, { cause: "backoff", since: at(1_005), until: at(2_000), steps: ["a", "b"], moves, actions });
});

test("a deadline before the first retry is what is due", () => {
  const { nextDue, waitingFor } = project(state(e.started(1_500), ...inBackoff));
  assert.deepEqual([nextDue, waitingFor?.until], [1_500, at(2_000)]);
});

test("an ended run waits for nothing and is never due", () => {
  assert.deepEqual(project(state(e.decidedFailed, e.failed)), { status: "failed", waitingFor: null, nextDue: null });
});

test("what waits is listed up to a bound", () => {
  const many = Array.from({ length: WAITING_STEPS + 1 }, (_, i) => e.begin(`s${i}`));
  assert.equal(project(state(e.started(), ...many)).waitingFor?.steps?.length, WAITING_STEPS);
});

test("timers are the retries and the deadline, and none of an ended run", () => {
  const retries = [
    { subject: "a", kind: "retry", dueAt: 3_000 },
    { subject: "b", kind: "retry", dueAt: 2_000 },
  ];
  assert.deepEqual(timers(state(e.started(), ...inBackoff)), retries);
  assert.deepEqual(timers(state(e.started(1_500), ...inBackoff)), [...retries, { subject: "", kind: "deadline", dueAt: 1_500 }]);
  assert.deepEqual(timers(state(e.started(1_500), e.decidedFailed, e.failed)), []);
});

test("timer changes: set when new or moved, cleared when gone, never both, nothing when unchanged", () => {
  const before = state(e.started(9_000), ...inBackoff);
  const started = state(e.started(9_000), ...inBackoff, 1_000, e.begin("b", 2));
  const again = state(e.started(9_000), ...inBackoff, 1_000, e.begin("b", 2), e.broke("b", 2), e.retry("b", 3, 4_000));
  assert.deepEqual(timerChanges(genesis, before).set, timers(before));
  assert.deepEqual(timerChanges(before, before), { set: [], cleared: [] });
  assert.deepEqual(timerChanges(before, started), { set: [], cleared: [{ subject: "b", kind: "retry" }] });
  assert.deepEqual(timerChanges(before, again), { set: [{ subject: "b", kind: "retry", dueAt: 4_000 }], cleared: [] });
});
