import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, type Definition, type Hook, type Notice, type Reusable, type StepNode } from "@woml/model";
import { decide } from "../decide.ts";
import { called, declined, define, each, fixed, group, line, type Parts, Play, step, threw } from "./play.ts";

const script = { source: "" };
const act = { kind: "script", script } as const;
const pager: Notice = { provider: "custom", script, reusable: { props: [] }, message: [{ kind: "text", text: "hello" }] };
const one = (on: Hook["on"], some: Partial<Hook> = {}): Hook => ({ on, actions: [act], ...some });

/** A run of what `accept` takes, with these hooks. */
function observed(parts: Parts, ...lifecycle: Hook[]): Play {
  const definition: Definition = { ...define(parts), ...(lifecycle.length > 0 ? { lifecycle } : {}) };
  const accepted = accept(definition);
  assert.ok("definition" in accepted, JSON.stringify(accepted));
  return new Play(accepted.definition);
}
const chain: Parts = { nodes: [step("a"), step("b")], edges: ["a>b"], result: "b" };
const reusable = (id: string, own: Omit<Reusable, "props">): StepNode => ({ kind: "step", id, script, reusable: { props: [], ...own } });
/** Without what they came to. */
const types = (lines: readonly string[]): readonly string[] => lines.map((said) => said.replaceAll(RESULTS, ""));
const RESULTS = / (succeeded|failed|cancelled|timed_out|[A-Z]+_\w+|\d+|(failed|cancelled)=\w*)(?= |$)/g;
const sent = { messageId: "m1" };

describe("what is kept of an iteration that has settled", () => {
  const looped = (...hooks: Hook[]): Play => {
    const play = observed(
      { nodes: [each([reusable("x", { onSuccess: [script] })], []), step("z")], edges: ["l>z"], result: "z" },
      ...hooks,
    );
    play.admit({ list: [1, 2] });
    return play;
  };
  const notified: Hook["actions"] = [act, { kind: "notify", notices: [{ ...pager, reusable: { props: [], onComplete: [script] } }] }];
  const kept = ({ state }: Play): readonly string[] =>
    [...state.hooks.entries(), ...state.steps.entries()].map(([site]) => site).toSorted();
  const play = looped(one("step_start", { steps: ["x"] }), one("step_success", { steps: ["x"], actions: notified }));

  it("nothing of it, nor of what has observed it, but what still goes on", () => {
    play.ok("@step_start/x#0/1");
    play.ok("x#0");
    assert.deepEqual(kept(play), [
      ...["@step_start/x#1", "@step_start/x#1/1", "@step_success/x#0", "@use_success/x#0", "@use_success/x#0/1"],
    ]);
    play.ok("@use_success/x#0/1");
    play.ok("@step_success/x#0/1");
    play.ok("@step_success/x#0/2.1", sent);
    assert.deepEqual(
      kept(play).filter((site) => site.includes("#0")),
      ["@use_complete/@step_success/x#0/2.1", "@use_complete/@step_success/x#0/2.1/1"],
    );
    play.ok("@use_complete/@step_success/x#0/2.1/1");
    assert.deepEqual(kept(play), ["@step_start/x#1", "@step_start/x#1/1"]);
  });
  it("what comes late about it is answered by nothing, and the run goes on to its end", () => {
    for (const site of ["x#0", "@step_start/x#0/1", "@step_success/x#0/1", "@use_success/x#0/1"]) assert.deepEqual(play.ok(site), [], site);
    play.ok("@step_start/x#1/1");
    play.ok("x#1");
    play.ok("@use_success/x#1/1");
    play.ok("@step_success/x#1/1");
    play.ok("@step_success/x#1/2.1", sent);
    play.ok("@use_complete/@step_success/x#1/2.1/1");
    play.ok("z");
    assert.deepEqual([play.state.ended, kept(play)], ["succeeded", ["z"]]);
  });
});

describe("D24: what comes before", () => {
  it("nothing of the flow begins before the hook of the run's start has settled, whatever it came to", () => {
    const play = observed(chain, one("run_start", { actions: [act, act] }));
    assert.deepEqual(play.admit(), ["run_admitted", "run_started", "hook_requested", "action_started @run_start/1#1"]);
    assert.deepEqual(play.bad("@run_start/1"), [
      "action_settled @run_start/1#1 failed WOML_SCRIPT_THROWN",
      "action_started @run_start/2#1",
    ]);
    assert.deepEqual(play.ok("@run_start/2"), ["action_settled @run_start/2#1 succeeded", "hook_settled", "step_started a#1"]);
    assert.equal(play.state.hooks.get("@run_start")?.failed, 1);
  });
  it("a step begins behind its own hook; its retries do not", () => {
    const parts = { ...chain, nodes: [step("a", fixed(2, 10)), step("b")] };
    const play = observed(parts, one("step_start", { steps: ["a"] }));
    assert.deepEqual(types(play.admit()).slice(2), ["hook_requested", "action_started @step_start/a/1#1"]);
    assert.deepEqual(play.ok("@step_start/a/1").at(-1), "step_started a#1");
    play.bad("a");
    assert.deepEqual(play.wait(10).fire(), ["step_started a#2"]);
    assert.deepEqual(play.ok("a"), ["step_succeeded a#2", "step_started b#1"]);
  });
  it("a cancel meanwhile begins nothing, and what waited never runs", () => {
    const play = observed(chain, one("run_start"), one("step_start"));
    play.admit();
    assert.deepEqual(play.cancel(), [
      ...["cancel_requested", "action_settled @run_start/1#1 cancelled", "hook_settled", "outcome_decided cancelled", "run_cancelled"],
    ]);
    assert.deepEqual(play.ok("@run_start/1"), []);
  });
  it("so does the time-out", () => {
    const play = observed({ ...chain, policy: { timeoutMs: 100 } }, one("step_start"));
    play.admit();
    assert.deepEqual(types(play.wait(100).ok("@step_start/a/1")), [
      ...["deadline_reached", "action_settled @step_start/a/1#1", "hook_settled", "outcome_decided", "run_failed"],
    ]);
  });
  it("a child whose group has failed in the meantime does not begin", () => {
    const parts = {
      nodes: [...group("g"), step("x"), step("y"), step("z")],
      edges: ["g:open>x", "g:open>y", "x>g", "y>g", "g>z"],
      result: "z",
    };
    const play = observed(parts, one("step_start", { steps: ["y"] }));
    play.admit();
    assert.deepEqual(types(play.bad("x")), ["step_failed x#1", "parallel_settled g", "main_failed"]);
    assert.deepEqual(types(play.ok("@step_start/y/1")).slice(0, 3), [
      "action_settled @step_start/y/1#1",
      "hook_settled",
      "outcome_decided",
    ]);
    assert.equal(play.state.steps.has("y"), false);
  });
});

describe("D25: what comes behind a step", () => {
  it("holds nothing back, and goes on one after the other: its own lifecycle, then the hooks", () => {
    const parts = { nodes: [reusable("a", { onSuccess: [script, script], onComplete: [script] }), step("b")], edges: ["a>b"], result: "b" };
    const play = observed(parts, one("step_success", { steps: ["a"] }), one("step_complete", { steps: ["a"] }));
    play.admit();
    assert.deepEqual(play.ok("a"), [
      ...["step_succeeded a#1", "hook_requested", "hook_requested", "hook_requested", "hook_requested"],
      ...["action_started @use_success/a/1#1", "step_started b#1"],
    ]);
    play.ok("@use_success/a/1");
    assert.equal(play.ok("@use_success/a/2").at(-1), "action_started @use_complete/a/1#1");
    assert.equal(play.bad("@use_complete/a/1").at(-1), "action_started @step_success/a/1#1");
    assert.equal(play.ok("@step_success/a/1").at(-1), "action_started @step_complete/a/1#1");
    assert.deepEqual(play.ok("b").slice(1), ["outcome_decided succeeded 1"]);
    assert.deepEqual(play.ok("@step_complete/a/1"), ["action_settled @step_complete/a/1#1 succeeded", "hook_settled", "run_succeeded 1"]);
  });
  it("a failure tells the others, once it is for good", () => {
    const hooks = [one("step_success"), one("step_failure"), one("step_complete")];
    const play = observed({ nodes: [step("a", fixed(2, 1))], edges: [], result: "a" }, ...hooks);
    play.admit();
    assert.deepEqual(types(play.bad("a")), ["step_failed a#1", "step_retry_scheduled a#2"]);
    play.wait(1).fire();
    assert.deepEqual(types(play.bad("a")), [
      ...["step_failed a#2", "hook_requested", "hook_requested", "action_started @step_failure/a/1#1", "outcome_decided"],
    ]);
    const { attempts, failure } = play.state.hooks.get("@step_failure/a") ?? {};
    assert.deepEqual([attempts, failure?.code], [2, threw.code]);
  });
  it("it sees the outputs that there were then, and they are dropped with it", () => {
    const play = observed(chain, one("step_success", { steps: ["a"] }));
    play.admit();
    play.ok("a", 7);
    play.ok("b", 8);
    const outputs = () => [...(play.state.hooks.get("@step_success/a")?.outputs.entries() ?? [])];
    assert.deepEqual(outputs(), [["a", 7]]);
    play.ok("@step_success/a/1");
    assert.deepEqual(outputs(), []);
  });
});

describe("D26: what comes behind the outcome", () => {
  it("begins when all else has settled, and the terminal event is last", () => {
    const play = observed(chain, one("step_complete", { steps: ["b"] }), one("run_success"), one("run_failure"), one("run_complete"));
    play.admit();
    play.ok("a");
    assert.deepEqual(play.ok("b"), [
      ...["step_succeeded b#1", "hook_requested", "action_started @step_complete/b/1#1", "outcome_decided succeeded 1"],
    ]);
    assert.deepEqual(play.cancel(), [], "a cancel comes too late");
    assert.deepEqual(play.ok("@step_complete/b/1").slice(1), [
      ...["hook_settled", "hook_requested", "hook_requested", "action_started @run_success/1#1"],
    ]);
    assert.equal(play.bad("@run_success/1").at(-1), "action_started @run_complete/1#1");
    assert.deepEqual(play.ok("@run_complete/1").slice(1), ["hook_settled", "run_succeeded 1"]);
  });
  it("tells of a failure, and of a cancel after what it has cut short", () => {
    const failing = observed(chain, one("run_failure"));
    failing.admit();
    assert.deepEqual(types(failing.bad("a")).slice(1), ["outcome_decided", "hook_requested", "action_started @run_failure/1#1"]);
    assert.deepEqual(types(failing.ok("@run_failure/1")).slice(1), ["hook_settled", "run_failed"]);
    const cancelled = observed(chain, one("step_success"), one("step_complete"), one("run_cancel"));
    cancelled.admit();
    cancelled.ok("a");
    assert.deepEqual(cancelled.cancel(), [
      ...[
        "cancel_requested",
        "action_settled @step_success/a/1#1 cancelled",
        "step_cancelled b#1 cancelled",
        "hook_settled",
        "hook_settled",
      ],
      ...["outcome_decided cancelled", "hook_requested", "action_started @run_cancel/1#1"],
    ]);
    assert.deepEqual(cancelled.ok("@run_cancel/1").slice(1), ["hook_settled", "run_cancelled"]);
  });
  it("a run that never began is observed by nothing; one that nobody can read ends at once", () => {
    const refused = observed(chain, one("run_failure"));
    assert.deepEqual(types(refused.refuse(threw)), ["run_admitted", "outcome_decided", "run_failed"]);
    const held = observed(chain, one("run_success"), one("run_complete"));
    held.admit();
    held.ok("a");
    held.ok("b");
    const cancelled = decide(null, held.state, { kind: "cancel_run", request: "r", now: held.now });
    assert.deepEqual(cancelled.map(line), [
      ...["action_settled @run_success/1#1 cancelled", "hook_settled", "hook_settled", "run_succeeded 1"],
    ]);
  });
});

describe("D28, D29: notices", () => {
  const approval = (...notices: Notice[]): Parts => ({
    nodes: [
      { kind: "approval", id: "ok", choice: "ok:end", ...(notices.length > 0 ? { notices } : {}) },
      { kind: "choice", id: "ok:end" },
    ],
    edges: ["ok>ok:end@approved", "ok>ok:end@rejected"],
    result: "ok",
  });
  const { message: _, ...plain } = pager;
  it("of an approval all go at once; one that is delivered suffices, and what a provider says is kept", () => {
    const play = observed(approval(plain, plain));
    assert.deepEqual(play.admit().slice(2), [
      ...["approval_requested ok", "hook_requested", "action_started @notice/ok/1#1", "action_started @notice/ok/2#1"],
    ]);
    play.ok("@notice/ok/1", { messageId: "m1", secret: "x" });
    const last = play.log.at(-1);
    assert.deepEqual(last?.type === "action_settled" && last.data.result, sent);
    for (const waitMs of [1_000, 5_000]) {
      assert.deepEqual(types(play.bad("@notice/ok/2")), [`action_settled @notice/ok/2#${waitMs === 1_000 ? 1 : 2}`]);
      assert.deepEqual(play.wait(waitMs - 1).fire(), []);
      assert.deepEqual(play.wait(1).fire().length, 1);
    }
    assert.deepEqual(types(play.bad("@notice/ok/2")), ["action_settled @notice/ok/2#3", "hook_settled"]);
    assert.deepEqual([play.state.waiting, play.failure], [["ok"], null]);
  });
  it("when none is delivered, the approval fails, and its flow with it; not when it is decided already", () => {
    for (const isDecided of [false, true]) {
      const play = observed(approval(plain));
      play.admit();
      play.bad("@notice/ok/1");
      play.wait(1_000).fire();
      if (isDecided) play.do({ kind: "resolve_approval", node: "ok", decision: "approved", by: "key", askedAt: play.now });
      assert.equal(types(play.bad("@notice/ok/1"))[0], "action_settled @notice/ok/1#2");
      play.wait(5_000).fire();
      play.bad("@notice/ok/1");
      assert.equal(play.failure?.code, isDecided ? undefined : "WOML_NOTIFICATION_DELIVERY_FAILED");
      assert.equal(play.state.ended, isDecided ? "succeeded" : "failed");
    }
  });
  it("once it is decided, nobody is told any more: what waits to be tried again is not, and the run does not wait for it", () => {
    const play = observed(approval(plain, plain));
    play.admit();
    play.bad("@notice/ok/1");
    const decided = play.do({ kind: "resolve_approval", node: "ok", decision: "approved", by: "key", askedAt: play.now });
    const [, withdrawn, ...more] = types(decided);
    assert.equal(withdrawn, "action_settled @notice/ok/1#2");
    assert.match(more.at(-1) ?? "", /^outcome_decided/);
    assert.deepEqual(types(play.bad("@notice/ok/2")).slice(0, 2), ["action_settled @notice/ok/2#1", "hook_settled"]);
    assert.equal(play.state.ended, "succeeded");
  });
  it("one that answers without an id, or that may have been sent, is not sent again", () => {
    const play = observed(approval(plain, plain));
    play.admit();
    assert.deepEqual(play.ok("@notice/ok/1", "sent"), ["action_settled @notice/ok/1#1 failed WOML_NOTIFICATION_RESPONSE_INVALID"]);
    play.call("@notice/ok/2", called("unsafe"));
    play.said("@notice/ok/2", 1, { status: "lost", detail: "gone" });
    assert.deepEqual(play.bad("@notice/ok/2").slice(0, 2), ["action_settled @notice/ok/2#1 failed WOML_SCRIPT_THROWN", "hook_settled"]);
  });
  it("of a hook are tried as often, one after the other, and have a lifecycle of their own", () => {
    const own: Notice = { ...pager, reusable: { props: [], onError: [script], onComplete: [script] } } as Notice;
    const play = observed(chain, one("run_start", { actions: [{ kind: "notify", notices: [own, pager] }] }));
    play.admit();
    for (const waitMs of [1_000, 5_000]) {
      play.bad("@run_start/1.1");
      play.wait(waitMs).fire();
    }
    assert.deepEqual(types(play.bad("@run_start/1.1")), [
      ...["action_settled @run_start/1.1#3", "hook_requested", "hook_requested"],
      ...["action_started @use_error/@run_start/1.1/1#1", "action_started @run_start/1.2#1"],
    ]);
    assert.equal(play.ok("@run_start/1.2", sent).at(-1), "step_started a#1");
    assert.equal(play.ok("@use_error/@run_start/1.1/1").at(-1), "action_started @use_complete/@run_start/1.1/1#1");
  });
});

describe("D27: actions are performed like attempts, and nobody is asked about them", () => {
  const observing = (): Play => {
    const play = observed(chain, one("run_start"));
    play.admit();
    return play;
  };
  it("an unknown outcome is told to the script, whatever the setting", () => {
    const play = observing();
    play.call("@run_start/1", called("unsafe"));
    const said = play.said("@run_start/1", 1, { status: "lost", detail: "gone" });
    assert.deepEqual(said, ["operation_settled @run_start/1#1.1 unknown WOML_OPERATION_LOST told"]);
    assert.deepEqual(play.bad("@run_start/1").slice(1), ["hook_settled", "step_started a#1"]);
  });
  it("a replay that does something else has failed, once what it called has settled", () => {
    const play = observing();
    play.call("@run_start/1", called("keyed"));
    assert.deepEqual(play.diverge("@run_start/1"), ["attempt_parked @run_start/1#1"]);
    assert.deepEqual(play.gave("@run_start/1", 1).at(-1), "attempt_resumed @run_start/1#1");
    assert.deepEqual(play.diverge("@run_start/1"), [
      ...["action_settled @run_start/1#1 failed WOML_REPLAY_DIVERGED", "hook_settled", "step_started a#1"],
    ]);
  });
  it("lost too often, it has failed", () => {
    const play = observing();
    for (let lost = 1; lost <= 5; lost++) play.do({ kind: "resume_attempt", node: "@run_start/1", attempt: 1, lost: "engine" });
    const last = play.do({ kind: "resume_attempt", node: "@run_start/1", attempt: 1, lost: "host" });
    assert.deepEqual(last[0], "action_settled @run_start/1#1 failed WOML_SCRIPT_HOST_CRASHED");
  });
  it("a cancel waits for its operations, as for those of steps", () => {
    const play = observed(chain, one("run_start"), one("run_cancel"));
    play.admit();
    play.call("@run_start/1", called("keyed"));
    assert.deepEqual(play.cancel(), ["cancel_requested", "stop_decided cancelled"]);
    assert.deepEqual(types(play.said("@run_start/1", 1, { status: "failed", failure: declined, evidence: "" })), [
      ...["operation_settled @run_start/1#1.1", "action_settled @run_start/1#1", "hook_settled"],
      ...["outcome_decided", "hook_requested", "action_started @run_cancel/1#1"],
    ]);
  });
  it("what nobody knows of them when the run ends is left to be looked at, like that of steps", () => {
    const play = observing();
    play.call("@run_start/1", called("unsafe"));
    play.cancel();
    const said = play.said("@run_start/1", 1, { status: "lost", detail: "gone" });
    assert.equal(said[0], "operation_settled @run_start/1#1.1 unknown WOML_OPERATION_LOST");
    assert.equal(play.state.ended, "cancelled");
  });
});
