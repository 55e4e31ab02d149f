import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent, RunEvents, RunEventType } from "../event.ts";
import { flowViews } from "../flow-view.ts";
import { asRunId } from "../id.ts";
import { viewOfShown } from "../shown.ts";
import { admission, logOf } from "../spec.ts";
import { stepViews } from "../step-view.ts";
import { view } from "../view.ts";
import * as e from "./events.ts";

const run = asRunId("01890000-0000-7000-8000-000000000001");
const at = (ms: number): string => new Date(ms).toISOString();
const of = <K extends RunEventType>(type: K, data: RunEvents[K]): NewEvent => ({ type, data }) as NewEvent;
const shown = (...events: readonly (NewEvent | number)[]) => flowViews(logOf(admission(), e.started(), ...events));
const opened = (total: number, concurrency = 1): NewEvent =>
  of("loop_opened", { node: "each", total, concurrency, collects: false, nodes: ["work", "pick"] });
const iteration = (index: number): NewEvent => of("iteration_started", { node: "each", index });
const done = (index: number, failure: typeof e.failure | null = null): NewEvent =>
  of("iteration_settled", { node: "each", index, status: failure ? "failed" : "succeeded", failure });
const forked = of("fork_opened", { node: "split", branches: ["a", "b", "c"], joined: ["a", "b"] });
const branch = (name: string, failure: typeof e.failure | null = null): NewEvent =>
  of("branch_settled", { node: "split", branch: name, status: failure ? "failed" : "succeeded", failure });

test("a step in a loop says which, and in which iteration; one whose site is none says what it is", () => {
  const steps = stepViews(logOf(e.begin("a"), e.begin("work#0"), e.begin("work#12"), e.begin("work#x")));
  assert.deepEqual(
    steps.map(({ id, node, iteration }) => [id, node, iteration]),
    [
      ["a", "a", null],
      ["work#0", "work", 0],
      ["work#12", "work", 12],
      ["work#x", "work", null],
    ],
  );
});

test("a choice says its arm and, once settled, its output; in a loop once an iteration", () => {
  const { choices } = shown(
    e.select("pick#0", "yes"),
    1,
    e.chosen("pick#0", 7),
    e.select("pick#1", "no"),
    of("choice_settled", { node: "pick#1" }),
  );
  const placed = { node: "pick", status: "settled" };
  assert.deepEqual(choices, [
    { ...placed, id: "pick#0", iteration: 0, arm: "yes", output: 7, selectedAt: at(1_000), settledAt: at(1_001) },
    { ...placed, id: "pick#1", iteration: 1, arm: "no", output: null, selectedAt: at(1_001), settledAt: at(1_001) },
  ]);
});

test("a group says how it takes a failure, and with whom it ended", () => {
  const waits = of("parallel_opened", { node: "both", onError: "wait-all" });
  const { groups } = shown(
    e.open("any"),
    waits,
    2,
    e.settled("both", ["x"]),
    of("parallel_failing", { node: "any", failed: "y", stopped: ["z"] }),
  );
  assert.deepEqual(
    groups.map(({ id, status, onError, failed, settledAt }) => [id, status, onError, failed, settledAt]),
    [
      ["any", "failing", "fail-fast", [], null],
      ["both", "failed", "wait-all", ["x"], at(1_002)],
    ],
  );
});

test("a fork says for which branches its join waits, how each ended, and what failed the join", () => {
  const { forks } = shown(
    forked,
    branch("c", e.failure),
    1,
    branch("a", e.failure),
    of("join_settled", { node: "split", status: "failed", blocking: "a" }),
  );
  const [fork = assert.fail()] = forks;
  assert.deepEqual([fork.id, fork.status, fork.blocking, fork.settledAt], ["split", "failed", "a", at(1_001)]);
  assert.deepEqual(
    fork.branches.map(({ id, joined, status, failure, settledAt }) => [id, joined, status, failure?.code, settledAt]),
    [
      ["a", true, "failed", e.failure.code, at(1_001)],
      ["b", true, "open", undefined, null],
      ["c", false, "failed", e.failure.code, at(1_000)],
    ],
  );
});

test("a loop is counted: what is active, succeeded, failed and skipped", () => {
  const [open] = shown(opened(9, 2), iteration(0), iteration(1), done(0)).loops;
  assert.deepEqual([open?.total, open?.concurrency, open?.active, open?.succeeded, open?.status], [9, 2, 1, 1, "open"]);
  const skipped = of("iterations_skipped", { node: "each", from: 2, count: 7 });
  const over = [done(1, e.failure), skipped, of("loop_settled", { node: "each", status: "failed", failed: 1 })];
  const [loop] = shown(opened(9, 2), iteration(0), iteration(1), done(0), ...over).loops;
  const { openedAt, settledAt, ...rest } = loop ?? assert.fail();
  assert.deepEqual([openedAt, settledAt], [at(1_000), at(1_000)]);
  const counts = { total: 9, concurrency: 2, active: 0, succeeded: 1, failed: 1, skipped: 7 };
  assert.deepEqual(rest, { id: "each", status: "failed", ...counts, failure: e.failure });
});

test("an approval says until when it waits and what follows then, who decided, or why nobody did", () => {
  const asks = (node: string, deadlineAt: number | null, onTimeout: "fail" | "reject" = "fail"): NewEvent =>
    of("approval_requested", { node, deadlineAt, onTimeout });
  const { approvals } = shown(
    ...[asks("a", null), asks("b", 5_000, "reject"), asks("c", 5_000), asks("d", null), 10],
    of("approval_resolved", { node: "a", decision: "approved", source: "human", by: "key_1" }),
    ...[of("approval_resolved", { node: "b", decision: "rejected", source: "timeout", by: null })],
    of("approval_failed", { node: "c", reason: "timeout" }),
  );
  const nobody = { decision: null, source: null, by: null, decidedAt: null, reason: null };
  const some = { requestedAt: at(1_000), deadlineAt: null, onTimeout: null };
  assert.deepEqual(approvals, [
    { id: "a", status: "approved", ...some, ...nobody, decision: "approved", source: "human", by: "key_1", decidedAt: at(1_010) },
    {
      ...{ id: "b", status: "rejected", requestedAt: at(1_000), deadlineAt: at(5_000), onTimeout: "reject" },
      ...{ ...nobody, decision: "rejected", source: "timeout", decidedAt: at(1_010) },
    },
    { ...{ id: "c", status: "failed", ...some, deadlineAt: at(5_000), onTimeout: "fail" }, ...nobody, reason: "timeout" },
    { id: "d", status: "waiting", ...some, ...nobody },
  ]);
});

test("with the outcome what is open is over, and what has ended stays as it was", () => {
  const asks = of("approval_requested", { node: "a", deadlineAt: null, onTimeout: "fail" });
  const { approvals, groups, forks, loops } = shown(
    ...[forked, branch("a"), asks, e.open("any"), opened(3, 2), iteration(0)],
    ...[e.cancel, 4, e.decidedCancelled],
  );
  assert.deepEqual(
    [approvals[0]?.status, groups[0]?.status, loops[0]?.status, loops[0]?.active],
    ["cancelled", "cancelled", "cancelled", 0],
  );
  assert.deepEqual(
    [forks[0]?.status, forks[0]?.branches.map(({ status }) => status)],
    ["cancelled", ["succeeded", "cancelled", "cancelled"]],
  );
  assert.equal(groups[0]?.settledAt, at(1_004));
});

test("a hook shows its actions, and what of it failed is a warning", () => {
  const [hook, first, second] = ["@step_success/work#2", "@step_success/work#2/1", "@step_success/work#2/2.1"];
  const acts = (node: string, attempt = 1): NewEvent => of("action_started", { node, attempt });
  const ends = (node: string, attempt: number, failed: boolean, dueAt: number | null = null): NewEvent =>
    of("action_settled", { node, attempt, status: failed ? "failed" : "succeeded", failure: failed ? e.failure : null, cpuMs: 1, dueAt });
  const { hooks, warnings } = shown(
    ...[of("hook_requested", { hook, actions: [first, second] }), acts(first), 1, ends(first, 1, false)],
    ...[acts(second), ends(second, 1, true, 2_000), 999, acts(second, 2), ends(second, 2, true), of("hook_settled", { hook, failed: 1 })],
  );
  const [{ actions, ...seen } = assert.fail()] = hooks;
  assert.deepEqual(seen, {
    ...{ id: hook, event: "step_success", subject: "work#2", status: "settled", failed: 1 },
    ...{ requestedAt: at(1_000), settledAt: at(2_000) },
  });
  const times = { startedAt: at(1_000), endedAt: at(1_001), dueAt: null };
  assert.deepEqual(actions, [
    { id: first, status: "succeeded", attempts: 1, failure: null, ...times },
    { id: second, status: "failed", attempts: 2, failure: e.failure, startedAt: at(1_001), endedAt: at(2_000), dueAt: null },
  ]);
  const about = { action: second, event: "step_success", subject: "work#2" };
  assert.deepEqual(warnings, [{ code: e.failure.code, message: e.failure.message, at: at(2_000), ...about }]);
  const [pending] = shown(of("hook_requested", { hook, actions: [first, second] }), acts(first), ends(first, 1, true, 3_000)).hooks;
  assert.deepEqual(
    pending?.actions.map(({ status, dueAt, startedAt }) => [status, dueAt, startedAt]),
    [
      ["backoff", at(3_000), at(1_000)],
      ["waiting", null, null],
    ],
  );
});

test("a limit that is near is a warning too", () => {
  const { warnings } = shown(of("limit_warned", { limit: "events", used: 200_000, most: 250_000 }));
  assert.deepEqual(
    warnings.map(({ code, action, message }) => [code, action, message]),
    [["WOML_RUN_LIMIT_NEAR", null, "The run has 200000 of the 250000 events that it may have."]],
  );
});

test("what belongs to nothing, comes twice, or cannot be read is passed over", () => {
  const views = flowViews(
    logOf(
      ...[branch("a"), iteration(0), done(0), e.settled("x"), e.chosen("x", 1), e.select("s", "one"), e.select("s", "two")],
      ...[of("action_started", { node: "@x/1", attempt: 1 }), of("hook_settled", { hook: "@x", failed: 0 })],
      ...[of("approval_failed", { node: "a", reason: "timeout" }), { type: "loop_opened", data: { node: 1 } } as unknown as NewEvent],
    ),
  );
  const { choices, ...others } = views;
  assert.deepEqual([choices.length, choices[0]?.arm], [1, "one"]);
  for (const [name, list] of Object.entries(others)) assert.deepEqual(list, [], name);
});

test("a time-out that ends behind the last date is shown as that", () => {
  const [approval] = shown(of("approval_requested", { node: "a", deadlineAt: Number.MAX_SAFE_INTEGER, onTimeout: "fail" })).approvals;
  assert.equal(approval?.deadlineAt, "+275760-09-13T00:00:00.000Z");
});

test("from what an API shows of a log follow the same views", () => {
  const whole = view(
    { run, held: null },
    logOf(admission(), e.started(), e.select("p", "yes"), opened(3), iteration(0), e.begin("work#0")),
  );
  assert.deepEqual(viewOfShown(whole, whole.events), whole);
  assert.equal(whole.loops[0]?.active, 1);
});
