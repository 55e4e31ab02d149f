import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunView } from "@woml/run";
import { escaped, plain } from "../plain.ts";
import { timeline } from "../timeline.ts";

const at = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString();
const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "busy\u001b[31m\nnow" };
const RUN: RunView = {
  id: "run_1",
  workflow: "orders",
  version: "ver_1",
  status: "succeeded",
  labels: [],
  payload: {},
  result: { done: true },
  failure: null,
  waiting: null,
  steps: [
    {
      ...{ id: "stock", node: "stock", iteration: null },
      status: "succeeded",
      output: [1],
      attempts: [
        { number: 1, outcome: "failed", failure, startedAt: at(10), endedAt: at(14), cpuMs: 1 },
        { number: 2, outcome: "succeeded", failure: null, startedAt: at(114), endedAt: at(120), cpuMs: 1 },
      ],
    },
    {
      ...{ id: "credit", node: "credit", iteration: null },
      status: "succeeded",
      output: "ok",
      attempts: [{ number: 1, outcome: "succeeded", failure: null, startedAt: at(11), endedAt: at(20_011), cpuMs: 1 }],
    },
  ],
  ...{ choices: [], groups: [], forks: [], loops: [], approvals: [], hooks: [], warnings: [] },
  ...{ operations: [], unresolvedEffects: [], head: 2 },
  events: [
    { seq: 1, type: "run_admitted", at: at(0), data: {} },
    { seq: 2, type: "run_succeeded", at: at(130), data: {} },
  ],
};

test("a line per attempt in the order of their starts, with its duration and output or failure", () => {
  assert.deepEqual(timeline(RUN).split("\n"), [
    "orders  run_1  succeeded in 130 ms",
    "STEP    ATTEMPT  OUTCOME    DURATION  OUTPUT",
    "stock   1        failed     4 ms      WOML_SCRIPT_THROWN: busy\\u001b[31m now",
    'credit  1        succeeded  20.0 s    "ok"',
    "stock   2        succeeded  6 ms      [1]",
    'result  {"done":true}',
  ]);
});

test("a run that goes back to another says to which", () => {
  const [, last] = RUN.events;
  const first = (data: object): RunView => ({
    ...RUN,
    events: [{ seq: 1, type: "run_admitted", at: at(0), data: data as never }, ...(last ? [last] : [])],
  });
  const title = (data: object): string | undefined => timeline(first(data)).split("\n")[0];
  assert.equal(title({ resumed: { run: "run_0", from: "credit" } }), "orders  run_1  succeeded in 130 ms, resumes run_0 at credit");
  assert.equal(title({ rerunOf: "run_0" }), "orders  run_1  succeeded in 130 ms, repeats run_0");
});

test("a failed run says where and why, a waiting one what would move it", () => {
  const failed: RunView = { ...RUN, status: "failed", result: null, failure: { ...failure, step: "stock", message: "busy" } };
  assert.equal(timeline(failed).split("\n").at(-1), "failure (step stock)  WOML_SCRIPT_THROWN: busy");
  const waiting = { cause: "backoff", since: at(0), until: at(90), steps: ["stock"], moves: "Its time comes.", actions: [] } as const;
  const lines = timeline({ ...RUN, status: "waiting", result: null, waiting }).split("\n");
  assert.equal(lines[0], `orders  run_1  waiting, begun at ${at(0)}`);
  assert.equal(lines.at(-1), `waits: backoff of stock until ${at(90)} (what moves it: Its time comes)`);
  const held = { cause: "held", since: at(0), reason: "its log is broken", moves: "Its cancel.", actions: [] } as const;
  assert.equal(lastLine({ ...RUN, status: "waiting", waiting: held }), "waits: its log is broken (what moves it: Its cancel)");
});

test("a cancelled run has no result, and says so; so does one that has none yet", () => {
  const cancelled: RunView = { ...RUN, status: "cancelled", result: null };
  assert.equal(timeline(cancelled).split("\n")[0], "orders  run_1  cancelled in 130 ms");
  assert.equal(lastLine(cancelled), "cancelled on request; there is no result");
  assert.equal(lastLine({ ...RUN, status: "running", result: null }), "no result yet");
  assert.equal(lastLine({ ...RUN, result: null }), "result  null");
});

const lastLine = (run: RunView): string | undefined => timeline(run).split("\n").at(-1);

test("a run without a step yet is shown", () => {
  const waiting = { cause: "queued", since: at(0), moves: "An engine admits it.", actions: [] } as const;
  const queued: RunView = { ...RUN, status: "queued", result: null, waiting, steps: [], events: [] };
  assert.equal(timeline(queued), "orders  run_1  queued\nwaits: queued (what moves it: An engine admits it)");
});

test("no character reaches the terminal that could steer it", () => {
  assert.equal(plain("a\u0007b\u009bc\u202ed\u061c\ne\tf"), "a\\u0007b\\u009bc\\u202ed\\u061c e f");
  assert.equal(escaped("a\n\tb\u001b"), "a\n\tb\\u001b");
  assert.equal(plain("grüße 👩‍👩‍👧 日本"), "grüße 👩‍👩‍👧 日本");
});
