import assert from "node:assert/strict";
import { test } from "node:test";
import type { Said } from "../decide.ts";
import { due } from "../due.ts";
import { called, define, fixed, Play, step } from "./play.ts";

const chain = define({ nodes: [step("a", fixed(2, 50)), step("b")], edges: ["a>b"], result: "b" });
const lost: Said = { status: "lost", detail: "" };
const unknownAt = (...whats: readonly ReturnType<typeof called>[]): Play => {
  const play = new Play(chain);
  play.admit();
  for (const [i, what] of whats.entries()) play.call("a", what, { key: `k${i}` });
  for (const i of whats.keys()) play.said("a", i + 1, lost);
  return play;
};
const succeeded = { status: "succeeded", result: 7 } as const;
const failed = { status: "failed", message: "never arrived" } as const;
const retry = { status: "retry" } as const;
const said = (what: string) => `outcome_resolved a#1.1 ${what}`;

test("unknown: the step stays open, nothing of it runs, and only a person moves it", () => {
  const play = unknownAt(called("unsafe"));
  assert.deepEqual(due(play.state, play.now), { run: [], operations: [], nextAt: null });
  assert.deepEqual(
    [play.ok("a"), play.bad("a"), play.lose("a", "engine"), play.park("a"), play.diverge("a"), play.fire()],
    [[], [], [], [], [], []],
  );
});

test("a person's word is the answer, and the script is replayed against its journal", () => {
  const yes = unknownAt(called("unsafe"));
  assert.deepEqual(yes.resolve("a", 1, succeeded), [said("succeeded"), "attempt_resumed a#1"]);
  assert.equal(yes.state.operations.get("a:1:1")?.result, 7);
  assert.deepEqual(yes.ok("a").at(-1), "step_started b#1");
  const no = unknownAt(called("unsafe"));
  assert.deepEqual(no.resolve("a", 1, failed), [said("failed"), "attempt_resumed a#1"]);
  assert.equal(no.state.operations.get("a:1:1")?.failure?.message, "never arrived");
  assert.deepEqual(no.bad("a").at(-1), "step_retry_scheduled a#2", "a known failure may be retried");
});

test("perform again is a dispatch of its own, by a person, and its answer wakes the script", () => {
  const play = unknownAt(called("unsafe"));
  assert.deepEqual(play.resolve("a", 1, retry), [said("retry"), "operation_started a#1.1 try 2 person"]);
  assert.deepEqual(due(play.state, play.now).run, []);
  assert.equal(due(play.state, play.now).operations[0]?.try, 2);
  assert.deepEqual(play.said("a", 1, lost, 1), []);
  assert.deepEqual(play.gave("a", 1), ["operation_settled a#1.1 succeeded", "attempt_resumed a#1"]);
});

test("perform again and lost again is unknown again, and needs another word", () => {
  const play = unknownAt(called("unsafe"));
  play.resolve("a", 1, retry);
  assert.deepEqual(play.said("a", 1, lost), ["operation_settled a#1.1 unknown WOML_OPERATION_LOST"]);
  assert.deepEqual(play.resolve("a", 1, retry), [said("retry"), "operation_started a#1.1 try 3 person"]);
});

test("D14: … but a provider that is only busy has not said that nothing came of the dispatches before, where key or question can tell", () => {
  const busy: Said = { status: "failed", failure: { code: "BUSY", message: "", retryable: true, ambiguous: false }, evidence: "" };
  const vague: Said = { status: "ambiguous", failure: { code: "X", message: "", retryable: false, ambiguous: true } };
  const keyed = new Play(chain);
  keyed.admit();
  keyed.call("a", called("keyed"), { key: "k" });
  for (let n = 0; n < 3; n++) keyed.said("a", 1, vague);
  assert.deepEqual(keyed.resolve("a", 1, retry), [said("retry"), "operation_started a#1.1 try 4 person"]);
  assert.deepEqual(keyed.said("a", 1, busy), ["operation_settled a#1.1 unknown BUSY"]);
  const asked = new Play(chain);
  asked.admit();
  asked.call("a", called("reattachable"), { key: "k" });
  asked.said("a", 1, vague);
  asked.said("a", 1, { status: "not_found" });
  asked.resolve("a", 1, retry);
  assert.deepEqual(asked.said("a", 1, busy), ["operation_doubted a#1.1 ambiguous"]);
});

test("a failure of a person's dispatch is known: whoever asked for it had looked", () => {
  const play = unknownAt(called("unsafe"));
  play.resolve("a", 1, retry);
  const refused: Said = { status: "failed", failure: { code: "X", message: "", retryable: true, ambiguous: false }, evidence: "" };
  assert.deepEqual(play.said("a", 1, refused), ["operation_settled a#1.1 failed X", "attempt_resumed a#1"]);
});

test("D20: perform again is not granted before an absence would be proof", () => {
  const play = unknownAt(called("keyed", { effect: { windowMs: null, conclusiveNotFoundAfterMs: 60 } }));
  assert.deepEqual(play.wait(59).resolve("a", 1, retry), []);
  assert.deepEqual(play.wait(1).resolve("a", 1, retry).length, 2);
});

test("D19: a word about what is not unknown, or by someone who had not seen the last of it, changes nothing", () => {
  const play = unknownAt(called("unsafe"));
  const { head } = play.state;
  for (const expected of [head - 1, head + 1]) assert.deepEqual(play.resolve("a", 1, succeeded, expected), []);
  assert.deepEqual([play.resolve("a", 2, succeeded), play.resolve("b", 1, succeeded), play.resolve("a", null, succeeded)], [[], [], []]);
  play.resolve("a", 1, retry);
  assert.deepEqual(play.resolve("a", 1, succeeded), [], "it is being performed");
  play.said("a", 1, lost);
  assert.deepEqual(play.resolve("a", 1, succeeded, head), [], "the word was about the dispatch before");
  assert.deepEqual(play.resolve("a", 1, succeeded).length, 2);
  assert.deepEqual(play.resolve("a", 1, succeeded), []);
});

test("a result that comes after a person's word is too late", () => {
  const play = unknownAt(called("unsafe"));
  assert.deepEqual(play.gave("a", 1), []);
  play.resolve("a", 1, failed);
  assert.deepEqual(play.gave("a", 1), []);
});

test("with several unknown the script waits for the last of them", () => {
  const play = unknownAt(called("unsafe"), called("unsafe"));
  assert.deepEqual(play.resolve("a", 1, succeeded), [said("succeeded")]);
  assert.deepEqual(play.resolve("a", 2, failed), ["outcome_resolved a#1.2 failed", "attempt_resumed a#1"]);
});

test("an operation that settles beside an unknown one does not wake the script; the person's word does", () => {
  const play = new Play(chain);
  play.admit();
  play.call("a", called("unsafe"), { key: "k1" });
  play.call("a", called("pure"), { key: "k2" });
  play.said("a", 1, lost);
  assert.deepEqual(play.gave("a", 2), ["operation_settled a#1.2 succeeded"]);
  assert.deepEqual(play.resolve("a", 1, succeeded).at(-1), "attempt_resumed a#1");
});

function diverged(policy: { readonly onAmbiguous?: "fail" } = {}): Play {
  const play = new Play({ ...chain, policy });
  play.admit();
  play.call("a", called("unsafe"));
  play.gave("a", 1);
  assert.deepEqual(play.diverge("a"), ["attempt_diverged a#1"]);
  return play;
}

test("an attempt that diverged is resolved as a whole: with its output", () => {
  const play = diverged();
  assert.deepEqual(play.resolve("a", null, succeeded), ["outcome_resolved a#1 succeeded", "step_succeeded a#1", "step_started b#1"]);
  assert.equal(play.state.outputs.get("a"), 7);
});

test("… or as failed, which no policy retries", () => {
  const play = diverged();
  const code = "WOML_REPLAY_DIVERGED";
  assert.deepEqual(play.resolve("a", null, failed), [
    "outcome_resolved a#1 failed",
    `step_failed a#1 ${code}`,
    `outcome_decided failed ${code}`,
    `run_failed ${code}`,
  ]);
  assert.match(play.failure?.message ?? "", /another call.*never arrived/);
});

test("… or by a new attempt at once, which is answered from the log", () => {
  const play = diverged();
  assert.deepEqual(play.resolve("a", null, retry), [
    ...["outcome_resolved a#1 retry", "step_failed a#1 WOML_REPLAY_DIVERGED", "step_retry_scheduled a#2", "step_started a#2"],
  ]);
  assert.deepEqual(play.call("a", called("unsafe")).at(-1), "operation_settled a#2.1 succeeded");
});

test("D19, D20: not before its operations are known, and no new attempt over an unknown one", () => {
  const play = new Play({ ...chain, policy: { onAmbiguous: "fail" } });
  play.admit();
  play.call("a", called("unsafe"), { key: "k1" });
  play.call("a", called("unsafe"), { key: "k2" });
  play.diverge("a");
  assert.deepEqual(due(play.state, play.now).run, []);
  play.gave("a", 1);
  assert.deepEqual(play.resolve("a", null, retry), [], "an operation is pending");
  assert.deepEqual(play.said("a", 2, lost), ["operation_settled a#1.2 unknown WOML_OPERATION_LOST told"]);
  assert.deepEqual(play.resolve("a", null, retry), [], "it holds an unknown");
  assert.deepEqual(play.resolve("a", null, succeeded, play.state.head - 1), []);
  assert.deepEqual(play.resolve("a", null, succeeded).length, 3);
});
