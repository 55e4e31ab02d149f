import assert from "node:assert/strict";
import { test } from "node:test";
import type { Seen } from "@woml/run";
import { CALLS } from "../decide/call.ts";
import { called, define, fixed, Play, step } from "./play.ts";

const one = define({ nodes: [step("a", fixed(3, 0))], edges: [], result: "a" });
const playing = (): Play => {
  const play = new Play(one);
  play.admit();
  return play;
};
const named = (name: string, inputDigest = "i") => called("unsafe", { name, inputDigest });
const charge = (inputDigest: string, kind: "unsafe" | "keyed" | "pure" = "unsafe") => called(kind, { inputDigest });
/** The first attempt fails after what is given; the second has begun. */
function retried(first: (play: Play) => void): Play {
  const play = playing();
  first(play);
  play.bad("a");
  play.fire();
  return play;
}
const refused = (call: number, code: string) => `operation_refused a#1.${call} ${code}`;
const conflict = (call = 1) => [
  `operation_refused a#2.${call} WOML_OPERATION_CONFLICT`,
  "step_failed a#2 WOML_OPERATION_CONFLICT",
  "outcome_decided failed WOML_OPERATION_CONFLICT",
  "run_failed WOML_OPERATION_CONFLICT",
];
const reused = (call = 1) => [`operation_started a#2.${call} try 1 script`, `operation_settled a#2.${call} succeeded`];

test("D16: a call is recorded once, in its order; one that leaves one out is stale", () => {
  const play = playing();
  play.call("a", charge("i"));
  assert.deepEqual(play.call("a", charge("i"), { call: 1 }), []);
  assert.deepEqual(play.call("a", charge("j"), { call: 3 }), []);
  assert.deepEqual(play.call("a", charge("j")), ["operation_started a#1.2 try 1 script"]);
});

test("D16: a script that says it saw what nobody told it has diverged", () => {
  const play = playing();
  play.call("a", charge("i"));
  assert.deepEqual(play.call("a", charge("j"), { seen: [{ answer: 1 }] }), ["attempt_diverged a#1"]);
  const honest = playing();
  honest.call("a", charge("i"));
  honest.gave("a", 1);
  assert.deepEqual(honest.call("a", charge("j"), { seen: [{ timer: 3 }, { answer: 1 }] }), ["operation_started a#1.2 try 1 script"]);
});

test("a call of an attempt that is parked, ended, diverged or stopping is stale", () => {
  const cases: readonly ((play: Play) => unknown)[] = [
    (play) => play.park("a"),
    (play) => play.said("a", 1, { status: "lost", detail: "" }),
    (play) => play.diverge("a"),
    (play) => play.cancel(),
    (play) => [play.gave("a", 1), play.ok("a")],
  ];
  for (const move of cases) {
    const play = playing();
    play.call("a", charge("i"));
    move(play);
    assert.deepEqual(play.call("a", charge("j")), []);
  }
});

test("a name stands for one call of an operation in an attempt; a refused call uses none up", () => {
  const play = playing();
  const no = { code: "WOML_CAPABILITY_NOT_GRANTED", message: "", retryable: true, ambiguous: false };
  const asked = { refused: no, capability: "acme.payments", operation: "charge", name: "pay", inputDigest: "i" };
  assert.deepEqual(play.call("a", named("pay"), { asked }), [refused(1, "WOML_CAPABILITY_NOT_GRANTED")]);
  assert.deepEqual(play.call("a", named("pay")), ["operation_started a#1.2 try 1 script"]);
  assert.deepEqual(play.call("a", named("pay", "j")), [refused(3, "WOML_OPERATION_NAME_REUSED")]);
  play.gave("a", 2);
  assert.deepEqual(play.call("a", named("pay")), [refused(4, "WOML_OPERATION_NAME_REUSED")]);
  assert.deepEqual(play.ok("a").at(-1), "run_succeeded 1", "the attempt goes on");
});

test("32 operations at once; the 33rd ends the attempt when they have settled", () => {
  const play = playing();
  for (let n = 1; n <= CALLS.pending; n++) play.call("a", charge(`i${n}`, "pure"));
  assert.deepEqual(play.call("a", charge("more")), [refused(33, "WOML_CALL_LIMIT")]);
  assert.deepEqual(play.call("a", charge("more")), []);
  for (let n = 1; n < CALLS.pending; n++) assert.equal(play.gave("a", n).length, 1);
  assert.deepEqual(play.gave("a", 32).slice(1), [
    "step_failed a#1 WOML_CALL_LIMIT",
    "outcome_decided failed WOML_CALL_LIMIT",
    "run_failed WOML_CALL_LIMIT",
  ]);
});

test("1,000 calls an attempt; the next ends it", () => {
  const play = playing();
  for (let n = 1; n <= CALLS.all; n++) {
    play.call("a", charge(`i${n}`));
    play.gave("a", n);
  }
  assert.deepEqual(play.call("a", charge("more")).slice(0, 2), [refused(1_001, "WOML_CALL_LIMIT"), "step_failed a#1 WOML_CALL_LIMIT"]);
});

test("D17: what an earlier attempt achieved is answered from the log, with what it gave then, and not dispatched", () => {
  const play = retried((first) => {
    first.call("a", named("pay"));
    first.gave("a", 1, { id: 7 });
  });
  assert.deepEqual(play.call("a", named("pay")), reused());
  const operation = play.state.operations.get("a:2:1");
  assert.deepEqual([operation?.result, operation?.reused, operation?.status], [{ id: 7 }, 1, "succeeded"]);
  play.bad("a");
  play.fire();
  assert.deepEqual(play.call("a", named("pay"))[1], "operation_settled a#3.1 succeeded");
  assert.equal(play.state.operations.get("a:3:1")?.reused, 1, "the attempt that performed it, not the one in between");
});

test("D17: also without a name, whatever the order; a known failure and a pure call are performed again", () => {
  const play = retried((first) => {
    for (const input of ["x", "y", "z"]) first.call("a", charge(input, input === "z" ? "pure" : "unsafe"));
    for (const n of [1, 2, 3]) first.gave("a", n, n);
  });
  assert.deepEqual([play.call("a", charge("y")), play.call("a", charge("x"))], [reused(1), reused(2)]);
  assert.deepEqual([play.state.operations.get("a:2:1")?.result, play.state.operations.get("a:2:2")?.result], [2, 1]);
  assert.deepEqual(play.call("a", charge("z", "pure")), ["operation_started a#2.3 try 1 script"]);
  const failed = retried((first) => {
    first.call("a", named("pay"));
    first.said("a", 1, { status: "failed", failure: { code: "X", message: "", retryable: true, ambiguous: false }, evidence: "" });
  });
  assert.deepEqual(failed.call("a", named("pay", "j")), ["operation_started a#2.1 try 1 script"]);
});

test("D18: another input under the name of what was achieved ends the attempt, and no policy retries it", () => {
  const play = retried((first) => {
    first.call("a", named("pay"));
    first.gave("a", 1);
  });
  assert.deepEqual(play.call("a", named("pay", "j")), conflict());
  assert.deepEqual([play.failure?.kind, play.failure?.step], ["operation_conflict", "a"]);
});

test("D18: without a name, another input is a conflict while an achieved one is not asked for yet, and none after", () => {
  const first = (play: Play) => {
    play.call("a", charge("x"));
    play.gave("a", 1);
  };
  assert.deepEqual(retried(first).call("a", charge("y")), conflict());
  const matched = retried(first);
  matched.call("a", charge("x"));
  assert.deepEqual(matched.call("a", charge("y")), ["operation_started a#2.2 try 1 script"]);
  const other = retried(first);
  assert.deepEqual(
    other.call("a", called("unsafe", { operation: "refund", inputDigest: "y" }), { key: "r" }).length,
    1,
    "another operation",
  );
  assert.deepEqual(other.call("a", charge("y", "pure")).length, 1, "a pure one");
  assert.deepEqual(other.call("a", named("new", "y")).length, 1, "a new name");
});

test("D18: what failed in one breath with an achieved one is performed again; where that may have taken its place, it is a conflict", () => {
  const failure = { code: "X", message: "", retryable: true, ambiguous: false };
  const pair = (second: string, seen: Seen, failing = 1) =>
    retried((first) => {
      const fail = () => first.said("a", failing, { status: "failed", failure, evidence: "" });
      first.call("a", charge("x"), { key: "first" });
      if (seen.length > 0) fail();
      first.call("a", charge(second), { key: "second", seen });
      if (seen.length === 0) fail();
      first.gave("a", 3 - failing);
    });
  for (const second of ["x", "y"]) {
    const beside = pair(second, []);
    assert.deepEqual(beside.call("a", charge("x"), { key: "first" }), ["operation_started a#2.1 try 1 script"]);
    assert.deepEqual(beside.call("a", charge(second), { key: "second" }), reused(2));
    for (const seen of [[{ answer: 1 }], [{ timer: 1 }]]) {
      assert.deepEqual(pair(second, seen).call("a", charge("x"), { key: "first" }), conflict());
    }
  }
  const changed = pair("y", []);
  changed.call("a", charge("x"), { key: "first" });
  assert.deepEqual(changed.call("a", charge("z"), { key: "third" }), conflict(2).slice(0, 1), "what is achieved is still to be asked for");
  assert.deepEqual(pair("y", [], 2).call("a", charge("y"), { key: "second" }), conflict(), "out of its turn");
});

test("D18: a conflict waits for the operations that are pending", () => {
  const play = retried((first) => {
    first.call("a", named("pay"));
    first.gave("a", 1);
  });
  play.call("a", named("other"));
  assert.deepEqual(play.call("a", named("pay", "j")), conflict(2).slice(0, 1));
  assert.deepEqual(play.gave("a", 1).slice(1), conflict().slice(1));
});

test("D17: what a person said succeeded is achieved; what a person said failed is performed again", () => {
  const said = (verdict: Parameters<Play["resolve"]>[2]) =>
    retried((first) => {
      first.call("a", named("pay"));
      first.said("a", 1, { status: "lost", detail: "" });
      first.resolve("a", 1, verdict);
    });
  assert.deepEqual(said({ status: "succeeded", result: 7 }).call("a", named("pay")), reused());
  assert.deepEqual(said({ status: "failed", message: "no" }).call("a", named("pay")), ["operation_started a#2.1 try 1 script"]);
});
