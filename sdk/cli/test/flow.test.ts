import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalView, AttemptView, OperationView, RunView, StepView } from "@woml/run";
import { timeline } from "../timeline.ts";
import { platform, refusal } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const at = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString();
const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "busy\u001b[31m" };
const RUN: RunView = {
  ...{ id: "run_1", workflow: "orders", version: "ver_1", status: "waiting", labels: [], payload: {}, result: null, failure: null },
  ...{ waiting: null, steps: [], operations: [], unresolvedEffects: [], head: 9, events: [] },
  ...{ choices: [], groups: [], forks: [], loops: [], approvals: [], hooks: [], warnings: [] },
};
const lines = (run: Partial<RunView>, where?: string | null): readonly string[] =>
  timeline({ ...RUN, ...run }, where)
    .split("\n")
    .slice(1);
const step = (node: string, iteration: number | null, outcome: "succeeded" | "failed"): StepView => {
  const attempt: AttemptView = {
    number: 1,
    outcome,
    failure: outcome === "failed" ? failure : null,
    startedAt: at(0),
    endedAt: at(1),
    cpuMs: 1,
  };
  return { id: iteration === null ? node : `${node}#${iteration}`, node, iteration, status: outcome, output: 1, attempts: [attempt] };
};
const ASKED: ApprovalView = {
  ...{ id: "release", status: "waiting", requestedAt: at(0), deadlineAt: null, onTimeout: null },
  ...{ decision: null, source: null, by: null, decidedAt: null, reason: null },
};

test("a loop is one line of counts, whatever it holds; of its steps only those that failed are shown, and not all", () => {
  const loop = { id: "each", status: "open", total: 10_000, concurrency: 4, active: 4, succeeded: 30, failed: 0, skipped: 0 } as const;
  const steps = [
    step("first", null, "succeeded"),
    ...Array.from({ length: 30 }, (_, i) => step("work", i, i % 3 === 0 ? "failed" : "succeeded")),
  ];
  const seen = lines({ loops: [{ ...loop, failure: null, openedAt: at(0), settledAt: null }], steps });
  assert.deepEqual(
    seen.filter((line) => line.startsWith("work")).map((line) => line.split(/\s+/)[0]),
    Array.from({ length: 10 }, (_, i) => `work#${i * 3}`),
  );
  assert.deepEqual(seen.slice(12, 14), [
    "LOOP  STATUS  TOTAL  ACTIVE  SUCCEEDED  FAILED  SKIPPED",
    "each  open    10000  4       30         0       0",
  ]);
  const many = lines({ steps: Array.from({ length: 90 }, (_, i) => step("work", i, "failed")) });
  assert.equal(many.filter((line) => line.startsWith("work")).length, 20);
});

test("each branch of a fork has a line, and each choice of an author's outside of loops", () => {
  const branch = { joined: true, status: "succeeded", failure: null, settledAt: at(1) } as const;
  const branches = [
    { ...branch, id: "a" },
    { ...branch, id: "b", joined: false, status: "failed", failure },
  ] as const;
  const forks = [{ id: "split", status: "succeeded", blocking: null, branches, openedAt: at(0), settledAt: at(1) }] as const;
  const choice = {
    node: "way",
    iteration: null,
    status: "settled",
    arm: "gold",
    output: { n: 1 },
    selectedAt: at(0),
    settledAt: at(0),
  } as const;
  const choices = [
    { ...choice, id: "way" },
    { ...choice, id: "ok:arms" },
    { ...choice, id: "in#0", iteration: 0 },
  ];
  assert.deepEqual(lines({ forks, choices }).slice(0, 5), [
    "FORK   BRANCH  STATUS     JOINED  FAILURE",
    "split  a       succeeded  yes",
    "split  b       failed     no      WOML_SCRIPT_THROWN: busy\\u001b[31m",
    "CHOICE  ARM   STATUS   OUTPUT",
    'way     gold  settled  {"n":1}',
  ]);
});

test("an approval that waits is a question with the commands that answer it, and one that was decided says by whom", () => {
  const decided = {
    ...ASKED,
    id: "before",
    status: "approved",
    by: "key_1",
    decision: "approved",
    source: "human",
    decidedAt: at(5),
  } as const;
  const until = { ...ASKED, deadlineAt: at(60_000), onTimeout: "reject" } as const;
  const seen = lines({ approvals: [decided, until] }, " --data 'd'");
  assert.deepEqual(seen.slice(0, 3), [
    `APPROVAL  STATUS    SINCE                     UNTIL                     BY`,
    `before    approved  ${at(0)}                            key_1`,
    `release   waiting   ${at(0)}  ${at(60_000)}`,
  ]);
  assert.deepEqual(seen.slice(-3), [
    `approval  release waits for a decision since ${at(0)}, until ${at(60_000)} (then it is rejected).`,
    "         npm run woml -- runs approve run_1 release --data 'd'",
    "         npm run woml -- runs reject run_1 release --data 'd'",
  ]);
  assert.deepEqual(lines({ approvals: [ASKED] }, null).at(-1), `approval  release waits for a decision since ${at(0)}.`);
});

test("what went wrong without consequence is told, and not without end", () => {
  const warning = { code: "X", message: "no\nway", at: at(0), action: "@run_start/1", event: "run_start", subject: null };
  const seen = lines({ warnings: Array.from({ length: 25 }, () => warning) });
  assert.equal(seen[0], "warning (@run_start/1)  X: no way");
  assert.equal(seen[20], "and 5 more warnings");
});

test("calls within loops are shown where they have not succeeded", () => {
  const call: Omit<OperationView, "id" | "step" | "outcome"> = {
    ...{ attempt: 1, call: 1, capability: "http", operation: "request", name: null, release: "sha256:0", class: "pure", told: false },
    ...{ tries: 1, by: "script", since: at(0), startedAt: at(0), settledAt: at(1), evidence: "", reused: null, input: {}, result: 1 },
    failure: null,
  };
  const operations = [
    { ...call, id: "a:1:1", step: "a", outcome: "succeeded" },
    { ...call, id: "b#0:1:1", step: "b#0", outcome: "succeeded" },
    { ...call, id: "b#1:1:1", step: "b#1", outcome: "open" },
  ] as const;
  assert.deepEqual(
    lines({ operations })
      .slice(1, 3)
      .map((line) => line.split(" ")[0]),
    ["a:1:1", "b#1:1:1"],
  );
});

const SUMMARY = { id: "run_1", workflow: "w", version: "v", status: "RUNNING", labels: [], waiting: null, createdAt: "", endedAt: null };
for (const [word, decision] of [
  ["approve", "APPROVED"],
  ["reject", "REJECTED"],
] as const) {
  test(`runs ${word} asks for exactly that`, async (t) => {
    const { place, asked } = await platform(t, { resolveApproval: { run: SUMMARY } });
    const said = await womlHere(t, folderWith(t, {}), ["runs", word, "run_1", "release", ...place]);
    assert.deepEqual([said.code, said.stdout], [0, `run_1  release  ${decision.toLowerCase()}\n`]);
    assert.deepEqual(
      asked.map(({ variables }) => variables.input),
      [{ run: "run_1", approval: "release", decision }],
    );
  });
}

test("a decision that is refused is said with its code", async (t) => {
  const { place } = await platform(t, { resolveApproval: refusal("WOML_APPROVAL_DECISION_CONFLICT", "it was decided before: rejected") });
  const said = await womlHere(t, folderWith(t, {}), ["runs", "approve", "run_1", "release", ...place]);
  assert.deepEqual([said.code, said.stdout], [1, ""]);
  assert.match(said.stderr, /^WOML_APPROVAL_DECISION_CONFLICT: it was decided before: rejected/);
});
