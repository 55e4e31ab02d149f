import assert from "node:assert/strict";
import { test } from "node:test";
import { asRunId } from "../id.ts";
import { viewOfShown } from "../shown.ts";
import { admission, logOf } from "../spec.ts";
import { queuedView, view } from "../view.ts";
import * as e from "./events.ts";

const run = asRunId("01890000-0000-7000-8000-000000000001");
const at = (ms: number): string => new Date(ms).toISOString();

test("the view of a run that succeeded after a retry", () => {
  const log = logOf(
    ...[
      admission({ payload: { n: 1 }, labels: ["x"] }),
      e.started(),
      e.begin("b"),
      1,
      e.begin("a"),
      1,
      e.broke("b"),
      e.retry("b", 2, 1_010),
    ],
    ...[e.done("a", 1, null), 8, e.begin("b", 2), 2, e.done("b", 2, 1), e.decidedOk, e.succeeded],
  );
  const { events, ...shown } = view({ run, held: null }, log);
  const first = { number: 1, outcome: "failed", failure: e.failure, startedAt: at(1_000), endedAt: at(1_002), cpuMs: 2 };
  const second = { number: 2, outcome: "succeeded", failure: null, startedAt: at(1_010), endedAt: at(1_012), cpuMs: 2 };
  const only = { number: 1, outcome: "succeeded", failure: null, startedAt: at(1_001), endedAt: at(1_002), cpuMs: 2 };
  assert.deepEqual(shown, {
    id: "run_01890000-0000-7000-8000-000000000001",
    workflow: "w",
    version: `ver_${"0".repeat(64)}`,
    status: "succeeded",
    labels: ["x"],
    payload: { n: 1 },
    result: 1,
    failure: null,
    waiting: null,
    steps: [
      { id: "b", node: "b", iteration: null, status: "succeeded", output: 1, attempts: [first, second] },
      { id: "a", node: "a", iteration: null, status: "succeeded", output: null, attempts: [only] },
    ],
    ...{ choices: [], groups: [], forks: [], loops: [], approvals: [], hooks: [], warnings: [] },
    ...{ operations: [], unresolvedEffects: [], head: log.length },
  });
  assert.deepEqual(events.at(-1), { seq: log.length, type: "run_succeeded", at: at(1_012), data: { result: 1 } });
});

test("the seed is in no view, and the log keeps it", () => {
  const log = logOf(admission());
  assert.ok(!JSON.stringify(view({ run, held: null }, log)).includes("seed"));
  assert.match(JSON.stringify(log), /"seed":"secret"/);
});

test("a failed run shows its failure, a cancelled back-off no attempt that never was", () => {
  const log = logOf(
    ...[admission(), e.started(), e.begin("a"), e.broke("a"), e.retry("a", 2, 9_000), e.begin("b"), e.broke("b")],
    ...[e.dropped("a", 2, "run_failed"), e.decidedFailed, e.failed],
  );
  const { status, failure, steps } = view({ run, held: null }, log);
  assert.deepEqual([status, failure], ["failed", e.failure]);
  assert.deepEqual([steps[0]?.status, steps[0]?.attempts.length, steps[0]?.attempts[0]?.outcome], ["cancelled", 1, "failed"]);
});

test("a running run says what it waits for", () => {
  const shown = view({ run, held: null }, logOf(admission(), e.started(), e.begin("a")));
  assert.deepEqual([shown.status, shown.waiting?.cause, shown.steps[0]?.status], ["running", "script", "running"]);
});

test("a step in back-off is shown so", () => {
  const shown = view({ run, held: null }, logOf(admission(), e.started(), e.begin("a"), e.broke("a"), e.retry("a", 2, 9_000)));
  assert.deepEqual([shown.status, shown.waiting?.until, shown.steps[0]?.status], ["waiting", at(9_000), "backoff"]);
});

test("a held run is waiting with its reason, even with a log that no fold takes", () => {
  const broken = logOf(admission(), e.started(), e.begin("a", 7));
  const { status, waiting, steps } = view({ run, held: "fold threw", heldSince: 2_000 }, broken);
  assert.deepEqual([status, waiting?.cause, waiting?.reason, waiting?.since], ["waiting", "held", "fold threw", at(2_000)]);
  assert.deepEqual([waiting?.moves.startsWith("Its cancel"), waiting?.actions], [true, ["cancelRun"]]);
  assert.equal(steps[0]?.attempts[0]?.number, 7);
  assert.throws(() => view({ run, held: null }, broken), { code: "WOML_LOG_ATTEMPT" });
});

test("a run that is not admitted yet has a view too", () => {
  const shown = queuedView({ run, workflow: "w", version: `sha256:${"0".repeat(64)}`, payload: { n: 1 }, labels: [], since: 5 });
  assert.deepEqual([shown.status, shown.waiting?.cause, shown.waiting?.since, shown.payload], ["queued", "queued", at(5), { n: 1 }]);
  assert.deepEqual([shown.version, shown.events, shown.steps, shown.result], [`ver_${"0".repeat(64)}`, [], [], null]);
});

test("from what an API shows of a log follows the same view", () => {
  const ends = [[e.decidedOk, e.succeeded], [e.decidedFailed, e.failed], []];
  for (const end of ends) {
    const work = end[0] === e.decidedFailed ? e.broke("a") : e.done("a", 1, null);
    const log = logOf(
      admission({ payload: { n: 1 }, labels: ["x"] }),
      e.started(),
      e.begin("a"),
      ...(end.length > 0 ? [work] : []),
      ...end,
    );
    const whole = view({ run, held: null }, log);
    assert.deepEqual(viewOfShown(whole, whole.events), whole);
  }
});

test("a log that has ended decides over an older word about the run", () => {
  const log = logOf(admission(), e.started(), e.begin("a"));
  const before = view({ run, held: null }, log);
  const after = view({ run, held: null }, logOf(admission(), e.started(), e.begin("a"), e.done("a", 1, 1), e.decidedOk, e.succeeded));
  assert.deepEqual(viewOfShown(before, after.events), after);
});

test("a log without its beginning is shown as far as it can be read", () => {
  const whole = view({ run, held: "broken" }, logOf(admission(), e.started(), e.begin("a")));
  const { status, payload, steps } = viewOfShown(whole, whole.events.slice(1));
  assert.deepEqual([status, payload, steps.length], ["waiting", null, 1]);
});
