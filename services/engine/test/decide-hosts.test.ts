import assert from "node:assert/strict";
import { test } from "node:test";
import { operationId } from "@woml/run";
import { TRIES } from "../decide/recovery.ts";
import type { Said } from "../decide.ts";
import { called, define, fixed, Play, step } from "./play.ts";

const KINDS = ["pure", "keyed", "reattachable", "unsafe"] as const;
const one = define({ nodes: [step("a", fixed(3, 50))], edges: [], result: "a" });

/** A run whose step `a` has made call 1, which goes to host A. */
function playing(what = called("unsafe")): Play {
  const play = new Play(one);
  play.admit();
  play.call("a", what, { host: "A" });
  return play;
}
const said = (play: Play, what: Said, host = "B"): readonly string[] => {
  const tried = operation(play).try;
  return play.do({ kind: "report_operation", node: "a", attempt: 1, call: 1, try: tried, said: what, host });
};
const operation = (play: Play) => play.state.operations.get(operationId("a", 1, 1)) ?? assert.fail();
const unsent: Said = { status: "unsent", detail: "gone" };
const lost = (runsUntil: number): Said => ({ status: "lost", detail: "out of reach", runsUntil });
const notFound: Said = { status: "not_found" };
const ambiguous: Said = {
  status: "ambiguous",
  failure: { code: "WOML_PLUGIN_TIMEOUT", message: "late", retryable: false, ambiguous: true },
};
const again = (tried: number) => `operation_started a#1.1 try ${tried} recovery`;
const asReplaced = (tried: number) => ["operation_doubted a#1.1 unsent", again(tried)];
const outOfReach = "operation_doubted a#1.1 lost";

test("every start names the host of its command: a call's, a repeat's, a person's; none where there is but one", () => {
  const play = playing(called("keyed"));
  assert.equal(operation(play).host, "A");
  said(play, ambiguous, "B");
  assert.equal(operation(play).host, "B");
  said(play, ambiguous, "");
  assert.equal(operation(play).host, "");
  said(play, ambiguous);
  const by = { by: "key", request: "q", expectedHead: play.state.head };
  play.do({ kind: "resolve_outcome", node: "a", attempt: 1, call: 1, verdict: { status: "retry" }, ...by, host: "C" });
  assert.deepEqual([operation(play).host, operation(play).by], ["C", "person"]);
  const alone = new Play(one);
  alone.admit();
  alone.call("a", called("keyed"));
  alone.said("a", 1, ambiguous);
  assert.equal(operation(alone).host, null);
  assert.equal(
    alone.log.some(({ data }) => "host" in data),
    false,
  );
});

test("D21: what was not sent is started again at once, whatever the class, for the host that is there", () => {
  for (const kind of KINDS) {
    const play = playing(called(kind));
    assert.deepEqual(said(play, unsent), asReplaced(2), kind);
    assert.deepEqual([operation(play).host, operation(play).isDoubtful], ["B", false]);
    assert.deepEqual(said(play, unsent), asReplaced(3));
  }
});

test("D21: unsaid of a try that goes to the only host there is, of one in doubt, and of an earlier one", () => {
  const alone = new Play(one);
  alone.admit();
  alone.call("a", called("unsafe"));
  assert.deepEqual(alone.said("a", 1, unsent), []);
  const doubted = playing(called("reattachable"));
  said(doubted, ambiguous);
  assert.deepEqual(said(doubted, unsent), []);
  const moved = playing(called("pure"));
  said(moved, unsent);
  assert.deepEqual(moved.do({ kind: "report_operation", node: "a", attempt: 1, call: 1, try: 1, said: unsent }), []);
});

test("D21: within the operation's time from the first in a row, and then it could not be begun", () => {
  for (const kind of KINDS) {
    const play = playing(called(kind));
    said(play, unsent);
    assert.deepEqual(said(play.wait(999), unsent), asReplaced(3), kind);
    const [line, ...rest] = said(play.wait(1), unsent);
    assert.deepEqual([line, rest], ["operation_settled a#1.1 failed WOML_OPERATION_UNAVAILABLE", []], kind);
    assert.deepEqual([operation(play).failure?.retryable, operation(play).failure?.ambiguous], [true, false]);
  }
});

test("D21: so many tries in all, and then it could not be begun", () => {
  const play = playing();
  for (let tried = 1; tried < TRIES.all; tried++) assert.deepEqual(said(play, unsent), asReplaced(tried + 1));
  assert.deepEqual(said(play, unsent), ["operation_settled a#1.1 failed WOML_OPERATION_UNAVAILABLE"]);
});

test("D21, D14: with an earlier dispatch in doubt, what cannot be begun any more proves nothing", () => {
  const play = playing(called("keyed", { timeoutMs: 10 }));
  said(play, ambiguous);
  said(play, ambiguous);
  said(play, unsent);
  assert.equal(operation(play).isDoubtful, true);
  assert.deepEqual(said(play.wait(10), unsent), ["operation_settled a#1.1 unknown WOML_OPERATION_UNAVAILABLE"]);
  const asked = playing(called("reattachable", { timeoutMs: 10, effect: { windowMs: 1_000 } }));
  said(asked, ambiguous);
  said(asked, notFound);
  said(asked, unsent);
  assert.deepEqual(said(asked.wait(10), unsent), ["operation_doubted a#1.1 ambiguous"]);
});

test("D21: what nobody was given is not counted as a dispatch", () => {
  const play = playing(called("keyed"));
  for (let tried = 1; tried <= 4; tried++) said(play, unsent);
  assert.deepEqual([said(play, ambiguous), said(play, ambiguous)], [[again(6)], [again(7)]]);
  assert.deepEqual(said(play, ambiguous), ["operation_settled a#1.1 unknown WOML_PLUGIN_TIMEOUT"]);
});

test("D15, D21: in a run that stops nothing takes its place: it has failed, or stays in doubt", () => {
  const play = playing();
  play.cancel();
  assert.deepEqual(said(play, unsent)[0], "operation_settled a#1.1 failed WOML_OPERATION_CANCELLED");
  const doubtful = playing(called("keyed"));
  said(doubtful, ambiguous);
  doubtful.cancel();
  assert.deepEqual(said(doubtful, unsent)[0], "operation_settled a#1.1 unknown WOML_OPERATION_CANCELLED");
});

test("D10: an unsafe one whose host is out of reach is unknown, and the log says until when it may be performed", () => {
  const play = playing();
  assert.deepEqual(said(play, lost(1_500)), [outOfReach, "operation_settled a#1.1 unknown WOML_OPERATION_LOST"]);
  assert.equal(operation(play).runsUntil, 1_500);
});

test("D11: a keyed one goes again beside a host that is out of reach, if that has stopped before the key's window is over", () => {
  assert.deepEqual(said(playing(called("keyed")), lost(1_899)), [outOfReach, again(2)]);
  assert.deepEqual(said(playing(called("keyed")), lost(1_900)), [outOfReach, "operation_settled a#1.1 unknown WOML_OPERATION_LOST"]);
  const play = playing(called("keyed"));
  said(play, lost(1_899));
  assert.deepEqual(said(play.wait(900), ambiguous), ["operation_settled a#1.1 unknown WOML_PLUGIN_TIMEOUT"]);
});

test("D12: not found is proof only from conclusiveNotFoundAfterMs after its host has stopped", () => {
  const play = playing(called("reattachable", { effect: { conclusiveNotFoundAfterMs: 60 } }));
  assert.deepEqual(said(play, lost(1_500)), [outOfReach]);
  assert.deepEqual(said(play.wait(100), notFound), ["operation_doubted a#1.1 not_found"]);
  assert.equal(operation(play).doubt?.askAt, 1_560);
  assert.deepEqual(said(play.wait(459), notFound), ["operation_doubted a#1.1 not_found"]);
  assert.deepEqual(said(play.wait(1), notFound), ["operation_doubted a#1.1 not_found", again(2)]);
  assert.equal(operation(play).isDoubtful, false);
});

test("D12: nor is it about a later try, while an earlier one may be performed", () => {
  const play = playing(called("reattachable", { effect: { conclusiveNotFoundAfterMs: 60, windowMs: 1_000 } }));
  said(play, lost(1_850));
  assert.deepEqual(said(play, notFound), [again(2)]);
  said(play, ambiguous);
  assert.deepEqual(said(play.wait(905), notFound), ["operation_doubted a#1.1 not_found"]);
  assert.equal(operation(play).doubt?.askAt, 1_910);
});

test("what its provider does not know is no reason to ask a person, while its host may still perform it", () => {
  const play = playing(called("reattachable"));
  said(play, lost(5_000));
  assert.deepEqual(said(play.wait(100), notFound), ["operation_doubted a#1.1 not_found"]);
  assert.equal(operation(play).doubt?.askAt, 5_000);
  assert.deepEqual(said(play.wait(3_900), notFound), ["operation_settled a#1.1 unknown WOML_OUTCOME_UNKNOWN"]);
});

test("D20: a person's word that it was not done counts only when nothing performs it any more, by when they said it", () => {
  const play = playing(called("keyed", { effect: { windowMs: 100 } }));
  said(play, lost(1_500));
  const failed = { status: "failed", message: "it is not there" } as const;
  const ask = (status: typeof failed | { readonly status: "retry" }, askedAt?: number) =>
    play.ask({
      ...{ kind: "resolve_outcome", node: "a", attempt: 1, call: 1, verdict: status, expectedHead: play.state.head, by: "k", request: "q" },
      ...(askedAt === undefined ? {} : { askedAt }),
    }).length;
  play.wait(499);
  assert.deepEqual([ask(failed), ask({ status: "retry" })], [0, 0]);
  play.wait(1);
  assert.deepEqual([ask(failed, 1_499), ask({ status: "retry" }, 1_499)], [0, 0]);
  assert.ok(ask(failed) > 0 && ask({ status: "retry" }) > 0);
  assert.ok(ask(failed, 1_500) > 0);
});

test("what has no effect is not waited for: nothing is said of until when it may be performed", () => {
  const play = playing(called("pure"));
  assert.deepEqual(said(play, lost(5_000)), [again(2)]);
  assert.equal(operation(play).runsUntil, null);
});

test("the trace of a start request is kept with what admitted the run", () => {
  const play = new Play(one);
  const what = { workflow: "w", version: `sha256:${"0".repeat(64)}`, trigger: { kind: "manual", id: "go" }, labels: [], seed: "s" };
  play.do({ kind: "admit_run", ...what, payload: {}, trace: "00-1-2-01" });
  assert.equal(play.state.admitted?.trace, "00-1-2-01");
});
