import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@woml/model";
import { ASK_MS, PENDING_MAX_MS, TRIES } from "../decide/recovery.ts";
import type { Said } from "../decide.ts";
import { called, declined, define, fixed, Play, step } from "./play.ts";

const one = define({ nodes: [step("a", fixed(3, 50))], edges: [], result: "a" });
/** A run whose step `a` has made call 1. */
function playing(what = called("unsafe"), definition = one): Play {
  const play = new Play(definition);
  play.admit();
  play.call("a", what);
  return play;
}
const ambiguous: Said = {
  status: "ambiguous",
  failure: { code: "WOML_PLUGIN_TIMEOUT", message: "late", retryable: false, ambiguous: true },
};
const lost: Said = { status: "lost", detail: "nobody knows it" };
const pending = (askAgainMs: number): Said => ({ status: "pending", askAgainMs });
const notFound: Said = { status: "not_found" };
const cannotTell: Said = { status: "cannot_tell", detail: "?" };
const failed = (code: string, retryable: boolean): Said => ({
  status: "failed",
  failure: { code, message: "no", retryable, ambiguous: false },
  evidence: "it said so",
});
const again = (tried: number) => [`operation_started a#1.1 try ${tried} recovery`];
const unknown = (code = "WOML_PLUGIN_TIMEOUT") => [`operation_settled a#1.1 unknown ${code}`];
const askAt = (play: Play) => play.state.operations.get("a:1:1")?.doubt?.askAt;

test("a call is durable before anything of it is dispatched, and its answer before it is told", () => {
  const play = new Play(one);
  play.admit();
  assert.deepEqual(play.call("a", called("unsafe")), ["operation_started a#1.1 try 1 script"]);
  assert.deepEqual(play.gave("a", 1, 7), ["operation_settled a#1.1 succeeded"]);
  assert.deepEqual(play.ok("a").at(-1), "run_succeeded 1");
});

test("a known failure settles, whatever the class", () => {
  for (const kind of ["pure", "keyed", "reattachable", "unsafe"] as const)
    assert.deepEqual(playing(called(kind)).said("a", 1, failed("CARD_DECLINED", false)), ["operation_settled a#1.1 failed CARD_DECLINED"]);
});

test("D10: an unsafe operation without an answer is unknown, and never dispatched again", () => {
  assert.deepEqual(playing().said("a", 1, ambiguous), unknown());
  assert.deepEqual(playing().said("a", 1, lost), unknown("WOML_OPERATION_LOST"));
});

test("D13: a pure one is performed again while hosts live, and then has failed, which another attempt may cure", () => {
  const play = playing(called("pure"));
  for (let tried = 1; tried < TRIES.live; tried++) assert.deepEqual(play.said("a", 1, ambiguous), again(tried + 1));
  assert.deepEqual(play.said("a", 1, ambiguous), ["operation_settled a#1.1 failed WOML_PLUGIN_TIMEOUT"]);
  const { failure } = play.state.operations.get("a:1:1") ?? assert.fail();
  assert.deepEqual([failure?.retryable, failure?.ambiguous], [true, false]);
});

test("D13, D11: losses of engines and hosts are survived more often", () => {
  for (const [kind, end] of [
    ["pure", "failed WOML_OPERATION_LOST"],
    ["keyed", "unknown WOML_OPERATION_LOST"],
  ] as const) {
    const play = playing(called(kind));
    for (let tried = 1; tried < TRIES.all; tried++) assert.deepEqual(play.said("a", 1, lost), again(tried + 1));
    assert.deepEqual(play.said("a", 1, lost), [`operation_settled a#1.1 ${end}`]);
  }
});

test("D11: a keyed one is performed again under its key, before nine tenths of the window are over", () => {
  for (const said of [ambiguous, lost]) {
    const play = playing(called("keyed"));
    assert.deepEqual(play.wait(899).said("a", 1, said), again(2));
    assert.equal(
      play.wait(1).said("a", 1, said)[0]?.startsWith("operation_settled a#1.1 unknown"),
      true,
      "the window counts from the first",
    );
  }
  const windowless = playing(called("keyed", { effect: { windowMs: null } }));
  assert.deepEqual(windowless.said("a", 1, lost), unknown("WOML_OPERATION_LOST"));
});

test("D11: while hosts live, three dispatches under a key are enough", () => {
  const play = playing(called("keyed"));
  assert.deepEqual([play.said("a", 1, ambiguous), play.said("a", 1, ambiguous)], [again(2), again(3)]);
  assert.deepEqual(play.said("a", 1, ambiguous), unknown());
});

test("D12: a reattachable one is asked about first, at once, after a loss as after a lost answer", () => {
  for (const [said, reason] of [
    [ambiguous, "ambiguous"],
    [lost, "lost"],
  ] as const) {
    const play = playing(called("reattachable"));
    assert.deepEqual(play.said("a", 1, said), [`operation_doubted a#1.1 ${reason}`]);
    assert.equal(askAt(play), play.now);
    assert.deepEqual(play.gave("a", 1), ["operation_settled a#1.1 succeeded"]);
  }
});

const doubted = (effect: Parameters<typeof called>[1] = {}): Play => {
  const play = playing(called("reattachable", effect));
  play.said("a", 1, lost);
  return play;
};

test("what its provider says of it counts as it is", () => {
  assert.deepEqual(doubted().said("a", 1, failed("CARD_DECLINED", true)), ["operation_settled a#1.1 failed CARD_DECLINED"]);
});

test("pending: asked again after what the provider says, within bounds, until its limit, and then unknown", () => {
  for (const [said, pauseMs] of [
    [1, ASK_MS.least],
    [5_000, 5_000],
    [9_000_000, ASK_MS.most],
  ] as const) {
    const play = doubted();
    assert.deepEqual(play.said("a", 1, pending(said)), ["operation_doubted a#1.1 pending"]);
    assert.equal(askAt(play), play.now + pauseMs);
  }
  const short = doubted({ effect: { pendingMaxMs: 2_500 } });
  short.wait(2_000).said("a", 1, pending(5_000));
  assert.equal(askAt(short), 3_500, "asked once more at the limit");
  assert.deepEqual(short.wait(500).said("a", 1, pending(5_000)), unknown("WOML_OUTCOME_UNKNOWN"));
  const long = doubted();
  assert.deepEqual(long.wait(PENDING_MAX_MS - 1).said("a", 1, pending(1)), ["operation_doubted a#1.1 pending"]);
  assert.deepEqual(long.wait(1).said("a", 1, pending(1)), unknown("WOML_OUTCOME_UNKNOWN"));
});

test("D12: not found is no evidence by itself", () => {
  assert.deepEqual(doubted().said("a", 1, notFound), unknown("WOML_OUTCOME_UNKNOWN"));
});

test("D12: not found is asked again until it is proof, then the operation is performed again, with the proof in the log", () => {
  const play = doubted({ effect: { conclusiveNotFoundAfterMs: 60 } });
  assert.deepEqual(play.wait(20).said("a", 1, notFound), ["operation_doubted a#1.1 not_found"]);
  assert.equal(askAt(play), 1_060);
  assert.deepEqual(play.wait(39).said("a", 1, notFound), ["operation_doubted a#1.1 not_found"]);
  assert.deepEqual(play.wait(1).said("a", 1, notFound), ["operation_doubted a#1.1 not_found", ...again(2)]);
});

test("D12: what was asked too early is no proof, however late it is answered", () => {
  const play = doubted({ effect: { conclusiveNotFoundAfterMs: 60 } });
  assert.deepEqual(play.wait(100).said("a", 1, { ...notFound, askedAt: 1_059 }), ["operation_doubted a#1.1 not_found"]);
  assert.equal(askAt(play), 1_100);
  assert.deepEqual(play.said("a", 1, { ...notFound, askedAt: 1_100 }), ["operation_doubted a#1.1 not_found", ...again(2)]);
});

test("D12: not found, and its key is in its window: performed again at once", () => {
  const play = doubted({ effect: { windowMs: 1_000, conclusiveNotFoundAfterMs: 60 } });
  assert.deepEqual(play.wait(10).said("a", 1, notFound), again(2));
  const late = doubted({ effect: { windowMs: 1_000 } });
  assert.deepEqual(late.wait(900).said("a", 1, notFound), unknown("WOML_OUTCOME_UNKNOWN"));
});

test("the doubt of a new dispatch begins anew: an old absence proves nothing of it", () => {
  const play = doubted({ effect: { conclusiveNotFoundAfterMs: 60 } });
  play.wait(60).said("a", 1, notFound);
  play.said("a", 1, lost);
  assert.deepEqual(play.said("a", 1, notFound), ["operation_doubted a#1.1 not_found"]);
  assert.equal(askAt(play), 1_120);
});

test("a provider that cannot tell is asked three times, with doubled pauses; any other word begins the count anew", () => {
  const play = doubted();
  for (const pauseMs of [1_000, 2_000]) {
    assert.deepEqual(play.said("a", 1, cannotTell), ["operation_doubted a#1.1 cannot_tell"]);
    assert.equal(askAt(play), play.now + pauseMs);
  }
  const spared = doubted();
  for (const said of [cannotTell, cannotTell, pending(1), cannotTell, cannotTell])
    assert.equal(spared.said("a", 1, said)[0]?.split(" ")[0], "operation_doubted");
  assert.deepEqual(play.said("a", 1, cannotTell), unknown("WOML_OUTCOME_UNKNOWN"));
});

test("D14: a failure of a later dispatch is no failure of the operation while an earlier one is in doubt", () => {
  const refusedThen = (what: ReturnType<typeof called>, said: Said) => {
    const play = playing(what);
    play.said("a", 1, lost);
    return play.said("a", 1, said);
  };
  const sticky = called("keyed", { effect: { sticky: true } });
  const settled = ["operation_settled a#1.1 failed CARD_DECLINED"];
  assert.deepEqual(refusedThen(called("keyed"), failed("CARD_DECLINED", false)), again(3), "it may try anew, and the first may land later");
  assert.deepEqual(refusedThen(sticky, failed("CARD_DECLINED", true)), again(3), "it did not answer for good");
  assert.deepEqual(refusedThen(sticky, failed("WOML_SECRET_NOT_SET", false)), again(3), "that is no word of the provider");
  assert.deepEqual(refusedThen(sticky, failed("CARD_DECLINED", false)), settled);
  assert.deepEqual(refusedThen(called("pure"), failed("CARD_DECLINED", true)), settled, "a pure one has done nothing");
});

test("D14: after proof that nothing was done, a failure is one; while the key was in its window, the provider is asked", () => {
  const proven = doubted({ effect: { conclusiveNotFoundAfterMs: 0 } });
  proven.said("a", 1, notFound);
  assert.deepEqual(proven.said("a", 1, failed("CONNECTION_REFUSED", true)), ["operation_settled a#1.1 failed CONNECTION_REFUSED"]);
  const inWindow = doubted({ effect: { windowMs: 1_000 } });
  inWindow.said("a", 1, notFound);
  assert.deepEqual(inWindow.said("a", 1, failed("CONNECTION_REFUSED", true)), ["operation_doubted a#1.1 ambiguous"]);
});

test("D14: what a provider that tries anew says when it is asked speaks for the last dispatch, and an earlier one may still arrive", () => {
  const declined = (effect: object) => {
    const play = doubted({ effect: { windowMs: 1_000, ...effect } });
    play.said("a", 1, notFound);
    play.said("a", 1, failed("CARD_DECLINED", false));
    return { play, said: () => play.said("a", 1, failed("CARD_DECLINED", false)) };
  };
  const { play, said } = declined({});
  assert.deepEqual(said(), again(3));
  play.said("a", 1, lost);
  assert.deepEqual(said(), unknown("WOML_OUTCOME_UNKNOWN"), "the key was used often enough");
  assert.deepEqual(declined({ sticky: true }).said(), ["operation_settled a#1.1 failed CARD_DECLINED"]);
});

/** The provider has refused call 1 in attempt 1; in attempt 2 the answer is lost, and it is asked. */
function refusedBefore(effect: object = {}): Play {
  const play = playing(called("reattachable", { effect }));
  play.said("a", 1, failed("CARD_DECLINED", false));
  play.bad("a");
  play.wait(50).fire();
  play.call("a", called("reattachable", { effect }));
  play.said("a", 1, lost);
  return play;
}

test("D14: a provider that is asked may tell of an earlier attempt that it refused under the key, and this one may still arrive", () => {
  const no = failed("CARD_DECLINED", false);
  assert.deepEqual(refusedBefore().said("a", 1, no), ["operation_settled a#2.1 unknown WOML_OUTCOME_UNKNOWN"]);
  assert.deepEqual(refusedBefore({ windowMs: 1_000 }).said("a", 1, no), ["operation_started a#2.1 try 2 recovery"]);
  assert.deepEqual(refusedBefore({ sticky: true }).said("a", 1, no), ["operation_settled a#2.1 failed CARD_DECLINED"]);
  const answered = refusedBefore({ conclusiveNotFoundAfterMs: 0 });
  answered.said("a", 1, notFound);
  assert.deepEqual(answered.said("a", 1, no), ["operation_settled a#2.1 failed CARD_DECLINED"], "it says so of this very dispatch");
});

test("D12: a reattachable one is dispatched ten times at most; proven absent after that, it has failed", () => {
  const play = playing(called("reattachable", { effect: { conclusiveNotFoundAfterMs: 0 } }));
  for (let tried = 1; tried < TRIES.all; tried++) {
    play.said("a", 1, lost);
    assert.deepEqual(play.said("a", 1, notFound).at(-1), `operation_started a#1.1 try ${tried + 1} recovery`);
  }
  play.said("a", 1, lost);
  assert.deepEqual(play.said("a", 1, notFound), ["operation_settled a#1.1 failed WOML_OPERATION_NOT_PERFORMED"]);
});

test("D1: what is said of an earlier dispatch, of a settled operation, or does not fit, changes nothing", () => {
  const play = playing(called("pure"));
  assert.deepEqual(
    [play.said("a", 2, lost), play.said("a", 1, lost, 2), play.said("a", 1, pending(1)), play.said("a", 1, notFound)],
    [[], [], [], []],
  );
  assert.deepEqual(play.said("a", 1, cannotTell), []);
  play.said("a", 1, lost);
  assert.deepEqual(play.said("a", 1, lost, 1), []);
  play.gave("a", 1);
  assert.deepEqual([play.said("a", 1, lost), play.gave("a", 1), play.said("a", 1, failed("X", false))], [[], [], []]);
  const asked = doubted();
  assert.deepEqual([asked.said("a", 1, lost), asked.said("a", 1, ambiguous)], [[], []]);
});

test("unknown: the script is told where the version or the tenant wants it so, and the attempt goes on", () => {
  const version = playing(called("unsafe"), define({ nodes: [step("a")], edges: [], result: "a", policy: { onAmbiguous: "fail" } }));
  assert.deepEqual(version.said("a", 1, lost), ["operation_settled a#1.1 unknown WOML_OPERATION_LOST told"]);
  assert.deepEqual(version.ok("a").at(-1), "run_succeeded 1");
  const tenant = new Play(one);
  tenant.admit({}, "fail");
  tenant.call("a", called("unsafe"));
  assert.deepEqual(tenant.said("a", 1, lost), ["operation_settled a#1.1 unknown WOML_OPERATION_LOST told"]);
  const failure = tenant.state.operations.get("a:1:1")?.failure;
  assert.deepEqual([failure?.ambiguous, failure?.retryable], [true, false]);
});

test("D6: a failure that the script passed on is the step's, and retried only if it is retryable", () => {
  const passedOn = (retryable: boolean): readonly string[] => {
    const play = playing();
    play.said("a", 1, failed("CARD_DECLINED", retryable));
    return play.threw("a", 1);
  };
  assert.deepEqual(passedOn(false), ["step_failed a#1 CARD_DECLINED", "outcome_decided failed CARD_DECLINED", "run_failed CARD_DECLINED"]);
  assert.deepEqual(passedOn(true), ["step_failed a#1 CARD_DECLINED", "step_retry_scheduled a#2"]);
  const own = playing();
  own.said("a", 1, { status: "failed", failure: declined, evidence: "" });
  assert.deepEqual(own.bad("a"), ["step_failed a#1 WOML_SCRIPT_THROWN", "step_retry_scheduled a#2"]);
  const kinds: readonly (Json | undefined)[] = [own.state.steps.get("a")?.failure?.kind];
  assert.deepEqual(kinds, ["script_threw"]);
});

test("D6: an attempt that holds an unknown is never retried, whatever it threw", () => {
  const told = define({ nodes: [step("a", fixed(3, 50))], edges: [], result: "a", policy: { onAmbiguous: "fail" } });
  for (const end of [(play: Play) => play.bad("a"), (play: Play) => play.threw("a", 1)]) {
    const play = playing(called("unsafe"), told);
    play.said("a", 1, lost);
    assert.equal(end(play).at(-1)?.split(" ")[0], "run_failed");
  }
});
