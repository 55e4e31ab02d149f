import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationView, RunView } from "@woml/run";
import { placeWords } from "../place.ts";
import { timeline } from "../timeline.ts";

const at = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString();
const CHARGE: OperationView = {
  ...{ id: "pay:1:1", step: "pay", attempt: 1, call: 1, capability: "acme.payments", operation: "charge", name: "order-7" },
  ...{ release: "sha256:0", class: "unsafe", outcome: "succeeded", told: false, tries: 1, by: "script", reused: null },
  ...{ startedAt: at(10), since: at(40), settledAt: at(40), evidence: "The provider answered.", failure: null },
  ...{ input: { cents: 5 }, result: { id: "ch_1" } },
};
const lost = { code: "ACME_UNREACHABLE", message: "no answer", retryable: false, ambiguous: true };
const UNKNOWN: OperationView = {
  ...CHARGE,
  ...{ outcome: "unknown", result: null, failure: lost, evidence: "A byte of the request had left" },
};
const RUN: RunView = {
  ...{ id: "run_1", workflow: "orders", version: "ver_1", status: "succeeded", labels: [], payload: {}, result: 1, failure: null },
  ...{ choices: [], groups: [], forks: [], loops: [], approvals: [], hooks: [], warnings: [] },
  ...{ waiting: null, steps: [], operations: [CHARGE], unresolvedEffects: [], head: 9, events: [] },
};
const lines = (run: Partial<RunView>): readonly string[] => timeline({ ...RUN, ...run }).split("\n");

test("a line per call: what it was, its class, outcome, tries, duration, and what it answered", () => {
  const again = { ...CHARGE, id: "pay:2:1", name: null, class: "keyed", reused: 1 } as const;
  const refused = {
    ...CHARGE,
    id: "pay:2:2",
    class: null,
    outcome: "refused",
    tries: 0,
    failure: { ...lost, message: "not granted" },
  } as const;
  const open = { ...CHARGE, id: "pay:2:3", outcome: "open", result: null, settledAt: null, evidence: "", tries: 2 } as const;
  assert.deepEqual(lines({ operations: [CHARGE, again, refused, open] }).slice(1, -1), [
    "CALL     OPERATION                       CLASS   OUTCOME    TRIES  DURATION  RESULT",
    'pay:1:1  acme.payments.charge "order-7"  unsafe  succeeded  1      30 ms     {"id":"ch_1"}',
    'pay:2:1  acme.payments.charge            keyed   succeeded  1      30 ms     {"id":"ch_1"} (as attempt 1 was answered)',
    'pay:2:2  acme.payments.charge "order-7"          refused    0      30 ms     ACME_UNREACHABLE: not granted',
    'pay:2:3  acme.payments.charge "order-7"  unsafe  open       2',
  ]);
});

const needs = (operations: readonly string[]): Pick<RunView, "status" | "waiting" | "result"> => ({
  ...{ status: "needs_resolution", result: null },
  waiting: { cause: "needs_resolution", since: at(40), steps: ["pay"], operations, moves: "A person.", actions: ["resolveUnknown"] },
});

test("a call that waits for a run of another workflow says for which", () => {
  const call = { ...CHARGE, outcome: "open", result: null, settledAt: null, evidence: "", child: "run_2" } as const;
  assert.match(lines({ operations: [call] })[2] ?? "", / open +1 +of run_2$/);
});

test("an unknown outcome is said in words, with the commands that resolve it against what is shown", () => {
  const shown = lines({ operations: [UNKNOWN], ...needs(["pay:1:1"]) });
  assert.deepEqual(shown.slice(-5), [
    "waits: needs resolution of pay:1:1 (what moves it: A person)",
    `unknown  pay:1:1 acme.payments.charge "order-7" since ${at(40)}: A byte of the request had left. It may have happened. Look where it would show, then say what became of it:`,
    "         npm run woml -- runs resolve run_1 pay:1:1 --head 9 --succeeded '<what it answered, JSON>'",
    "         npm run woml -- runs resolve run_1 pay:1:1 --head 9 --failed '<why>'",
    "         npm run woml -- runs resolve run_1 pay:1:1 --head 9 --retry",
  ]);
});

test("the commands lead back to the platform that was named, without its key; of one that is gone there are none", () => {
  const asked = { ...RUN, operations: [UNKNOWN], ...needs(["pay:1:1"]) };
  assert.match(timeline(asked, placeWords({ data: "my data" })), /pay:1:1 --data 'my data' --head 9 --retry$/);
  const remote = timeline(asked, placeWords({ url: "http://127.0.0.1:7330/graphql", key: "woml_k_s" }));
  assert.match(remote, /pay:1:1 --url http:\/\/127\.0\.0\.1:7330\/graphql --key … --head 9 --retry$/);
  assert.match(timeline(asked, null), /It may have happened\. Its platform was a temporary one and is gone: [^\n]*$/);
});

test("of one that its script was told nobody is asked; of a run that has ended nothing can be said", () => {
  assert.match(lines({ operations: [{ ...UNKNOWN, told: true }] }).at(-1) ?? "", /^result/);
  assert.match(lines({ operations: [UNKNOWN], status: "cancelled", result: null }).at(-1) ?? "", /The run has ended without an answer\.$/);
});

test("an attempt that diverged is asked about as a whole", () => {
  const event = { seq: 8, type: "attempt_diverged", at: at(8), data: { node: "pay", attempt: 1, detail: "call 2 is another" } } as const;
  const shown = lines({ events: [event], ...needs(["pay:1"]) });
  assert.match(shown.at(-4) ?? "", /^diverged {2}pay:1: .*\(call 2 is another\)/);
  assert.match(shown.at(-1) ?? "", /runs resolve run_1 pay:1 --head 9 --retry$/);
});

test("what a plugin says cannot steer the terminal", () => {
  const shown = timeline({ ...RUN, operations: [{ ...UNKNOWN, name: "\u001b[2J", evidence: "\u202ex" }], ...needs(["pay:1:1"]) });
  assert.doesNotMatch(shown.replaceAll("\n", ""), /[\p{Cc}\u202e]/u);
});
