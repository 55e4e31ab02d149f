import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { due } from "../due.ts";
import { Effects, type Move } from "./effects.ts";
import { called, declined, define, fixed, Play, step } from "./play.ts";

const lost = { status: "lost", detail: "gone" } as const;
const no = { status: "failed", failure: declined, evidence: "it said so" } as const;

/** Attempt 1 was refused at 1,000, which its provider may remember since then; attempt 2 has called at 1,000 + `delayMs`. */
function refusedBefore(what = called("keyed"), delayMs = 600): Play {
  const play = new Play(define({ nodes: [step("a", fixed(2, delayMs))], edges: [], result: "a" }));
  play.admit();
  play.call("a", what);
  play.said("a", 1, no);
  play.bad("a");
  play.wait(delayMs).fire();
  play.call("a", what);
  return play;
}

test("D11: in a later attempt the window of a key counts from its first dispatch: a provider may do so, whatever it answered then", () => {
  const play = refusedBefore();
  assert.deepEqual(play.wait(299).said("a", 1, lost), ["operation_started a#2.1 try 2 recovery"]);
  assert.deepEqual(play.wait(1).said("a", 1, lost), ["operation_settled a#2.1 unknown WOML_OPERATION_LOST"]);
  const doubted = refusedBefore(called("reattachable", { effect: { windowMs: 1_000 } }));
  doubted.wait(300).said("a", 1, lost);
  assert.deepEqual(doubted.said("a", 1, { status: "not_found" }), ["operation_settled a#2.1 unknown WOML_OUTCOME_UNKNOWN"]);
});

test("what was refused, long ago or not, is asked for anew: that is no second effect. Only its own answer may not be lost then", () => {
  const play = refusedBefore(called("keyed"), 5_000);
  assert.equal(play.state.operations.get("a:2:1")?.status, "open");
  assert.deepEqual(play.gave("a", 1), ["operation_settled a#2.1 succeeded"]);
  const late = refusedBefore(called("keyed"), 5_000);
  assert.deepEqual(late.said("a", 1, lost), ["operation_settled a#2.1 unknown WOML_OPERATION_LOST"]);
});

test("what has no window has none from before either", () => {
  for (const what of [called("unsafe"), called("pure"), called("reattachable")])
    assert.equal(refusedBefore(what).state.operations.get("a:2:1")?.windowFrom, 1_600);
});

/** What a script does that calls one keyed operation in each attempt, what becomes of its dispatches, and how long that takes; then it gives up. */
const call: Move = { what: "call", pick: 6 };
const threw: Move = { what: "threw", pick: 0 };
/** Refused as often as anything else. */
const REFUSED = 6;
const becomes = fc.tuple(fc.nat(33), fc.oneof(fc.constant(REFUSED), fc.nat(1_000)));
const attempt: fc.Arbitrary<readonly Move[]> = fc.array(becomes, { minLength: 1, maxLength: 6 }).map((all) => [
  call,
  ...all.flatMap(([time, pick]): Move[] => [
    { what: "wait", pick: 3 * time },
    { what: "operation", pick },
  ]),
  threw,
]);
const run = fc.array(attempt, { minLength: 1, maxLength: 3 }).map((attempts) => attempts.flat());
const plays = fc.record({ runs: fc.array(run, { minLength: 1, maxLength: 3 }), delayMs: fc.constantFrom(300, 600, 850) });

/** The moves that fit, and then what ends the run. Between attempts it waits. */
function finish(effects: Effects, given: readonly Move[]): Effects {
  const moves = [...given];
  const last = ["operation", "person", "threw"] as const;
  for (let turn = 0; effects.run.state.ended === null; turn++) {
    assert.ok(turn < 5_000, "the run moves on");
    const { state, now } = effects.run;
    const isPending = due(state, now).operations.length > 0;
    const next = moves.shift() ?? { what: last[turn % last.length] ?? "threw", pick: 2 * turn };
    if (state.steps.get("a")?.status === "backoff") effects.move({ what: "wait", pick: 1 });
    if ((next.what !== "operation" && next.what !== "wait") || isPending) effects.move(next);
  }
  return effects;
}

test("D11: a key is not used past the window of its first dispatch, whichever attempt or run that was in", () => {
  const seen = { attempts: 0, runs: 0, again: 0, unknown: 0 };
  fc.assert(
    fc.property(plays, ({ runs: [first = [], ...others], delayMs }) => {
      const policy = { timeoutMs: 1_000_000 };
      const definition = define({ nodes: [step("a", fixed(3, delayMs))], edges: [], result: "a", policy });
      let effects = finish(new Effects(definition, null), first);
      for (const given of others) {
        count(effects, seen);
        const next = effects.resume("a");
        if (next === null) break;
        effects = finish(next, given);
      }
      count(effects, seen);
      assert.deepEqual(effects.twice, []);
    }),
    { numRuns: 400 },
  );
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 50, `${what}: ${times}`);
});

function count({ run: { log, state } }: Effects, seen: Record<"attempts" | "runs" | "again" | "unknown", number>): void {
  for (const { type, data } of log) {
    if (type === "operation_started" && data.windowFrom !== undefined) seen[state.windows.has(data.key) ? "runs" : "attempts"] += 1;
    if (type === "operation_started" && data.called === null) seen.again += 1;
    if (type === "operation_settled" && data.outcome.status === "unknown") seen.unknown += 1;
  }
}
