import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../event.ts";
import { foldAll, genesis } from "../fold.ts";
import { project, WAITING_STEPS } from "../projection.ts";
import { admission, logOf } from "../spec.ts";
import { timerChanges, timers } from "../timer.ts";
import * as e from "./events.ts";
import * as f from "./events-flow.ts";

const at = (ms: number): string => new Date(ms).toISOString();
const state = (...events: readonly (NewEvent | number)[]) => foldAll(logOf(admission(), ...events));
const actions = ["cancelRun"];

test("before the start a run is queued and due at once", () => {
  const { status, nextDue, waitingFor } = project(state());
  assert.deepEqual([status, nextDue, waitingFor?.cause, waitingFor?.since], ["queued", 1_000, "queued", at(1_000)]);
});

test("an open attempt: running, due since the run began, whatever else waits", () => {
  const events = [e.started(9_000), 5, e.begin("b"), 5, e.begin("a"), e.begin("c"), e.broke("c"), e.retry("c", 2, 2_000)];
  const { status, nextDue, waitingFor } = project(state(...events));
  assert.deepEqual([status, nextDue], ["running", 1_000]);
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
  assert.deepEqual(project(state(e.decidedFailed, e.failed)), { status: "failed", waitingFor: null, nextDue: null, holds: false });
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

const asked = e.called(e.terms("reattachable", { conclusiveNotFoundAfterMs: 50 }));
const parked = [e.begin("a"), 5, e.call(1), 5, e.park];

test("a parked attempt waits for its operations, and is due since its dispatch", () => {
  const { status, nextDue, waitingFor } = project(state(e.started(9_000), ...parked));
  assert.deepEqual([status, nextDue, waitingFor?.cause, waitingFor?.since], ["waiting", 1_005, "operation", at(1_005)]);
  assert.deepEqual([waitingFor?.operations, waitingFor?.steps, waitingFor?.actions], [["a:1:1"], ["a"], actions]);
});

test("one that is doubted is due when its provider is asked next, and has an alarm until it settles", () => {
  const log = [e.started(), e.begin("a"), e.call(1, asked), e.park, e.doubt(1, 1, "pending", 3_000)];
  const doubted = state(...log);
  const { status, nextDue, waitingFor } = project(doubted);
  assert.deepEqual([status, nextDue, waitingFor?.until], ["waiting", 3_000, at(3_000)]);
  assert.deepEqual(timers(doubted), [{ subject: "a:1:1", kind: "ask", dueAt: 3_000 }]);
  assert.deepEqual(timerChanges(doubted, state(...log, e.gave(1))).cleared, [{ subject: "a:1:1", kind: "ask" }]);
});

test("what is indexed of the row of a run whose scripts run stays as it is from step to step", () => {
  const log = [e.started(9_000), 5, e.begin("a"), 5, e.done("a"), e.begin("b"), 5, e.begin("c"), 5, e.done("b"), e.begin("d")];
  const told = log.flatMap((_, at) => (at < 2 || typeof log[at] === "number" ? [] : project(state(...log.slice(0, at + 1)))));
  const running = told.filter(({ waitingFor }) => waitingFor?.cause === "script");
  assert.equal(running.length, 5);
  for (const { status, nextDue, holds } of running) assert.deepEqual([status, nextDue, holds], ["running", 1_000, true]);
});

test("an outcome that waits for a person: needs_resolution, whatever siblings do, and due only for them and the deadline", () => {
  const log = [e.begin("a"), e.call(1), 5, e.unknown(1)];
  const alone = project(state(e.started(), ...log));
  assert.deepEqual([alone.status, alone.nextDue, alone.waitingFor?.since], ["needs_resolution", null, at(1_005)]);
  assert.deepEqual([alone.waitingFor?.operations, alone.waitingFor?.actions], [["a:1:1"], ["resolveUnknown", "cancelRun"]]);
  assert.deepEqual(project(state(e.started(9_000), ...log)).nextDue, 9_000);
  const beside = project(state(e.started(9_000), ...log, e.begin("b")));
  assert.deepEqual([beside.status, beside.nextDue], ["needs_resolution", 1_000]);
  assert.equal(project(state(e.started(), e.begin("a"), e.call(1), e.unknown(1, true))).status, "running");
});

test("an attempt that diverged waits for a person as a whole", () => {
  const { status, nextDue, waitingFor } = project(state(e.started(), e.begin("a"), e.diverge));
  assert.deepEqual([status, nextDue, waitingFor?.operations], ["needs_resolution", null, ["a:1"]]);
});

test("a run that stops: cancelling for a cancel, without a deadline, until its operations have settled", () => {
  const log = [e.started(9_000), e.begin("a"), e.call(1), 5, e.cancel, e.stop("cancelled")];
  const { status, nextDue, waitingFor } = project(state(...log));
  assert.deepEqual([status, nextDue, waitingFor?.cause, waitingFor?.since], ["cancelling", 1_000, "stopping", at(1_005)]);
  assert.deepEqual([waitingFor?.operations, waitingFor?.actions], [["a:1:1"], []]);
  assert.deepEqual(timers(state(...log)), []);
  assert.equal(project(state(...log.slice(0, 4), e.stop("run_failed"))).status, "running");
  const doubted = [e.started(), e.begin("a"), e.call(1, asked), e.stop("run_failed"), e.doubt(1, 1, "lost", 1_000)];
  assert.equal(project(state(...doubted)).status, "waiting");
});

test("operations that wait are listed up to the same bound", () => {
  const calls = Array.from({ length: WAITING_STEPS + 1 }, (_, i) => e.call(i + 1));
  assert.equal(project(state(e.started(), e.begin("a"), ...calls, e.park)).waitingFor?.operations?.length, WAITING_STEPS);
});

test("an approval that waits comes before all but an unknown outcome, whatever else goes on", () => {
  const alone = project(state(e.started(9_000), 5, f.ask(1_500, "reject")));
  const moves = "A person who decides (woml runs approve or reject), or the time-out of an approval; or its cancel.";
  const waitingFor = {
    cause: "approval",
    since: at(1_005),
    steps: ["ok"],
    until: at(1_500),
    moves,
    actions: ["resolveApproval", ...actions],
  };
  assert.deepEqual(alone, { status: "waiting", waitingFor, nextDue: 1_500, holds: false });
  const beside = project(state(e.started(), f.ask(), e.begin("b")));
  assert.deepEqual([beside.status, beside.waitingFor?.cause, beside.waitingFor?.until], ["running", "approval", undefined]);
  const { nextDue } = project(state(e.started(), f.ask()));
  assert.equal(nextDue, null, "only a person moves it");
  const unknown = project(state(e.started(), f.ask(), e.begin("a"), e.call(1), e.unknown(1)));
  assert.deepEqual([unknown.status, unknown.waitingFor?.cause], ["needs_resolution", "needs_resolution"]);
  const parked = project(state(e.started(), f.ask(), ...parkedOn));
  assert.deepEqual([parked.status, parked.waitingFor?.cause], ["waiting", "approval"]);
  assert.equal(project(state(e.started(), f.ask(1_500), f.unanswered("undelivered"), e.decidedFailed, e.failed)).waitingFor, null);
});
const parkedOn = [e.begin("a"), e.call(1), e.park];

test("scripts that wait for runs of other workflows alone: child, until the first call is over", () => {
  const child = { run: "run_1", version: `sha256:${"0".repeat(64)}` };
  const call = e.call(1, { ...e.called(e.terms("reattachable"), { timeoutMs: 500 }), child });
  const { status, waitingFor } = project(state(e.started(), e.begin("a"), call, e.park));
  assert.deepEqual([status, waitingFor?.cause, waitingFor?.operations, waitingFor?.until], ["waiting", "child", ["a:1:1"], at(1_500)]);
  const beside = project(state(e.started(), e.begin("a"), call, e.call(2), e.park));
  assert.deepEqual([beside.waitingFor?.cause, beside.waitingFor?.until], ["operation", undefined]);
});

test("what was told to end with its group asks nobody and runs no script: its operations are waited for", () => {
  const group = [e.open("p"), e.begin("a"), e.begin("b"), e.call(1), e.call(2), e.broke("b"), f.failing("p", "b", "a"), e.unknown(1)];
  const { status, waitingFor, nextDue } = project(state(e.started(), ...group));
  assert.deepEqual([status, waitingFor?.cause, waitingFor?.operations, nextDue], ["waiting", "operation", ["a:1:2"], 1_000]);
});

test("an outcome that is decided while hooks go on: lifecycle, and nothing that anybody could do", () => {
  const hooks = [f.hook("@run_failure", "1"), f.act("@run_failure/1")];
  const { status, waitingFor, nextDue } = project(state(e.started(9_000), 5, e.decidedFailed, ...hooks));
  assert.deepEqual([status, waitingFor?.cause, waitingFor?.steps, waitingFor?.actions], ["running", "lifecycle", ["@run_failure/1"], []]);
  assert.deepEqual([waitingFor?.since, nextDue, timers(state(e.started(9_000), e.decidedFailed, ...hooks))], [at(1_005), 1_000, []]);
  assert.equal(
    project(state(e.started(), e.cancel, e.decidedCancelled, f.hook("@run_cancel", "1"), f.act("@run_cancel/1"))).status,
    "cancelling",
  );
  const notice = [f.hook("@run_failure", "1.1"), f.act("@run_failure/1.1"), f.acted("@run_failure/1.1", "failed", 3_000)];
  const later = project(state(e.started(), e.decidedFailed, ...notice));
  assert.deepEqual([later.status, later.waitingFor?.cause, later.nextDue], ["waiting", "lifecycle", 3_000]);
});

test("a log that decide does not leave so is due at once, and says that nothing moves it", () => {
  const { status, waitingFor, nextDue } = project(state(e.started(), 5));
  assert.deepEqual([status, waitingFor?.cause, waitingFor?.since, nextDue], ["running", "nothing", at(1_000), 1_000]);
});

test("alarms of approvals are set while they wait and the run goes on", () => {
  const waits = [e.started(), f.ask(1_500), e.begin("a"), e.call(1)];
  assert.deepEqual(timers(state(...waits)), [{ subject: "ok", kind: "approval", dueAt: 1_500 }]);
  assert.deepEqual(timers(state(...waits, f.say("approved"))), []);
  assert.deepEqual(timers(state(...waits, e.cancel, e.stop("cancelled"))), []);
  assert.deepEqual(timers(state(e.started(), f.ask())), []);
});
