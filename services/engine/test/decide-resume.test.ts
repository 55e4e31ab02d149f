import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, Json, Node } from "@woml/model";
import { asRunId, type Called, foldAll, inherit, type ResumeRefused, remembering, repeated } from "@woml/run";
import { called, choose, declined, define, fixed, group, Play, step } from "./play.ts";

const FIRST = asRunId("00000000-0000-7000-8000-000000000001");
const SECOND = asRunId("00000000-0000-7000-8000-000000000002");
const series = define({ nodes: [step("a"), step("b"), step("c")], edges: ["a>b", "b>c"], result: "c" });

/** A new run that takes over what is there to take over of another, as the engine admits it; `origin` null: with another payload. */
function resumed(
  before: Play,
  from: string,
  { run = FIRST, origin = FIRST as string | null } = {},
): { play: Play; lines: readonly string[] } {
  const taken = inherit(before.graph, foldAll(before.log, remembering), { run, from });
  if ("fault" in taken) assert.fail(taken.message);
  const play = new Play(before.graph.definition);
  const { payload, workflow, version, trigger, labels, seed } = before.state.admitted ?? assert.fail();
  const links = { run, ...taken, ...(origin === null ? {} : { origin }) };
  const lines = play.do({ kind: "admit_run", workflow, version, trigger, labels, seed, payload, resumed: links });
  return { play, lines };
}
function refusal(play: Play, from: string): ResumeRefused {
  const taken = inherit(play.graph, foldAll(play.log, remembering), { run: FIRST, from });
  return "fault" in taken ? taken : assert.fail("it may be resumed");
}
/** It has come to `c`, which called `what` and then failed. */
function failedAtLast(what: Called = called("unsafe"), definition: Definition = series): Play {
  const play = new Play(definition);
  play.admit();
  play.ok("a", "A");
  play.ok("b", "B");
  play.call("c", what);
  play.gave("c", 1, "charged");
  play.bad("c");
  return play;
}

test("a resumed run begins with the outputs that its first step sees, and with that step", () => {
  const { play, lines } = resumed(failedAtLast(), "c");
  assert.deepEqual(lines, [
    "run_admitted",
    "output_inherited a",
    "output_inherited b",
    "effect_inherited c",
    "run_started",
    "step_started c#1",
  ]);
  assert.deepEqual(play.ok("c", 7), ["step_succeeded c#1", "outcome_decided succeeded 7", "run_succeeded 7"]);
});

test("D17: what an earlier run performed for the step is answered from there, and not dispatched", () => {
  const { play } = resumed(failedAtLast(), "c");
  assert.deepEqual(play.call("c", called("unsafe")), ["operation_started c#1.1 try 1 script", "operation_settled c#1.1 succeeded"]);
  const { result, reused, evidence } = play.state.operations.get("c:1:1") ?? assert.fail();
  assert.deepEqual([result, reused, evidence], ["charged", 0, `run_${FIRST} had performed it`]);
});

test("D17: so it is in the second attempt of the resumed run, and in a run that resumes that one", () => {
  const retried = define({ nodes: [step("a"), step("b"), step("c", fixed(2, 0))], edges: ["a>b", "b>c"], result: "c" });
  const before = failedAtLast(called("unsafe"), retried);
  before.fire();
  before.bad("c");
  const { play } = resumed(before, "b");
  play.ok("b");
  play.call("c", called("unsafe"));
  play.bad("c");
  play.fire();
  assert.deepEqual(play.call("c", called("unsafe")).at(-1), "operation_settled c#2.1 succeeded");
  play.bad("c");
  const again = resumed(play, "c", { run: SECOND }).play;
  assert.deepEqual(again.call("c", called("unsafe")).at(-1), "operation_settled c#1.1 succeeded");
  assert.equal(again.state.operations.get("c:0:1")?.inherited?.run, FIRST, "the run that performed it is the one it is said of");
});

test("what an earlier run achieved stays known to a later one that begins before it", () => {
  const { play } = resumed(failedAtLast(), "c");
  play.bad("c");
  const again = resumed(play, "b", { run: SECOND }).play;
  again.ok("b");
  assert.deepEqual(again.call("c", called("unsafe")).at(-1), "operation_settled c#1.1 succeeded");
});

test("known failures and pure calls are performed again", () => {
  const play = new Play(series);
  play.admit();
  play.ok("a");
  play.ok("b");
  play.call("c", called("pure"));
  play.gave("c", 1);
  play.call("c", called("unsafe", { inputDigest: "j" }));
  play.said("c", 2, { status: "failed", failure: declined, evidence: "it said so" });
  play.bad("c");
  const again = resumed(play, "c");
  assert.deepEqual(
    again.lines.filter((line) => line.startsWith("effect")),
    [],
  );
  assert.deepEqual(again.play.call("c", called("unsafe", { inputDigest: "j" })), ["operation_started c#1.1 try 1 script"]);
});

test("D18: another call in the place of one that an earlier run performed ends the attempt", () => {
  for (const other of [called("unsafe", { inputDigest: "other" }), called("unsafe", { inputDigest: "other", name: "pay" })]) {
    const { play } = resumed(failedAtLast(other.name === null ? called("unsafe") : called("unsafe", { name: "pay" })), "c");
    const lines = play.call("c", other);
    assert.equal(lines[0], "operation_refused c#1.1 WOML_OPERATION_CONFLICT");
    assert.match(play.failure?.message ?? "", /^c:1:1 of run_0{8}-.* has performed acme\.payments\.charge already/);
  }
});

test("D18: what was asked for in one breath with it, before it, and had failed, comes before it again", () => {
  const play = new Play(series);
  play.admit();
  play.ok("a");
  play.ok("b");
  play.call("c", called("unsafe", { inputDigest: "first" }));
  play.call("c", called("unsafe", { inputDigest: "second" }));
  play.said("c", 1, { status: "failed", failure: declined, evidence: "it said so" });
  play.gave("c", 2);
  play.bad("c");
  const again = resumed(play, "c").play;
  assert.deepEqual(again.call("c", called("unsafe", { inputDigest: "first" })), ["operation_started c#1.1 try 1 script"]);
  assert.deepEqual(again.call("c", called("unsafe", { inputDigest: "second" })).at(-1), "operation_settled c#1.2 succeeded");
});

test("with another payload nothing that was performed is taken over, and what will happen once more is listed", () => {
  const before = failedAtLast();
  assert.deepEqual(repeated(before.graph, foldAll(before.log, remembering), "c"), ["c:1:1"]);
  const { play, lines } = resumed(before, "c", { origin: null });
  assert.deepEqual(lines, ["run_admitted", "output_inherited a", "output_inherited b", "run_started", "step_started c#1"]);
  assert.deepEqual(play.call("c", called("unsafe")), ["operation_started c#1.1 try 1 script"]);
});

test("I3: it is refused where nobody knows what a step did that would run again, and only there", () => {
  const play = new Play(define({ nodes: [step("a"), step("b")], edges: ["a>b"], result: "b", policy: { onAmbiguous: "fail" } }));
  play.admit();
  play.call("a", called("unsafe"));
  play.said("a", 1, { status: "lost", detail: "gone" });
  play.ok("a");
  play.bad("b");
  assert.deepEqual([refusal(play, "a").fault, refusal(play, "a").operations], ["WOML_RESUME_EFFECT_UNKNOWN", ["a:1:1"]]);
  const { play: second } = resumed(play, "b");
  second.bad("b");
  assert.equal(refusal(second, "a").fault, "WOML_RESUME_EFFECT_UNKNOWN", "the next run of the chain knows it too");
});

test("I1: it is refused before the run has ended, where it had not come, and from what does not stand by itself", () => {
  const play = new Play(series);
  play.admit();
  assert.equal(refusal(play, "a").fault, "WOML_RUN_NOT_ENDED");
  play.bad("a");
  assert.equal(refusal(play, "b").fault, "WOML_RESUME_NOT_REACHED");
  assert.equal(refusal(play, "nowhere").fault, "WOML_RESUME_FROM_INVALID");
  assert.deepEqual(resumed(play, "a").lines.slice(-2), ["run_started", "step_started a#1"]);
});

test("D14: in a resumed run a provider that is asked may tell of what it refused in the earlier one", () => {
  const play = new Play(series);
  play.admit();
  play.call("a", called("reattachable"));
  const no = { status: "failed" as const, failure: declined, evidence: "it said so" };
  play.said("a", 1, no);
  play.bad("a");
  const { play: second } = resumed(play, "a");
  second.call("a", called("reattachable"));
  second.said("a", 1, { status: "lost", detail: "gone" });
  assert.deepEqual(second.said("a", 1, no), ["operation_settled a#1.1 unknown WOML_OUTCOME_UNKNOWN"]);
  const { play: other } = resumed(play, "a", { origin: null });
  other.call("a", called("reattachable"));
  other.said("a", 1, { status: "lost", detail: "gone" });
  assert.deepEqual(other.said("a", 1, no), ["operation_settled a#1.1 failed CARD_DECLINED"], "it has keys of its own");
});

/** A run whose first step called a keyed operation at 1,000, was refused, and failed. */
function refusedOnce(): Play {
  const play = new Play(series);
  play.admit();
  play.call("a", called("keyed"));
  play.said("a", 1, { status: "failed", failure: declined, evidence: "it said so" });
  play.bad("a");
  return play;
}
const lost = { status: "lost", detail: "gone" } as const;

test("I5, D11: the window of a key counts from its first dispatch, in whichever run of the chain that was", () => {
  const { play: second, lines } = resumed(refusedOnce(), "a");
  assert.deepEqual(lines, ["run_admitted", "key_inherited a", "run_started", "step_started a#1"]);
  second.wait(400).call("a", called("keyed"));
  assert.deepEqual(second.wait(499).said("a", 1, lost), ["operation_started a#1.1 try 2 recovery"]);
  assert.deepEqual(second.wait(1).said("a", 1, lost), ["operation_settled a#1.1 unknown WOML_OPERATION_LOST"]);
});

test("I5: so it is where a run of the chain never came to the call, or was refused there again", () => {
  for (const isCalled of [false, true]) {
    const { play: second } = resumed(refusedOnce(), "a");
    second.wait(300);
    if (isCalled) second.call("a", called("keyed"));
    if (isCalled) second.said("a", 1, { status: "failed", failure: declined, evidence: "it said so" });
    second.bad("a");
    const { play: third } = resumed(second, "a", { run: SECOND });
    assert.deepEqual(third.state.windows.get("a i 1"), { node: "a", windowFrom: 1_000 });
    third.wait(900).call("a", called("keyed"));
    assert.deepEqual(third.said("a", 1, lost), ["operation_settled a#1.1 unknown WOML_OPERATION_LOST"]);
  }
});

test("I5: what has been done under the key is taken over as that; with another payload there are other keys", () => {
  const { play: second } = resumed(refusedOnce(), "a");
  second.call("a", called("keyed"));
  second.gave("a", 1);
  second.bad("a");
  assert.deepEqual(resumed(second, "a", { run: SECOND }).lines.slice(1, 3), ["effect_inherited a", "run_started"]);
  const { play: other, lines } = resumed(refusedOnce(), "a", { origin: null });
  assert.deepEqual(lines, ["run_admitted", "run_started", "step_started a#1"]);
  other.wait(900).call("a", called("keyed"));
  assert.deepEqual(other.said("a", 1, lost), ["operation_started a#1.1 try 2 recovery"]);
});

test("I4: one that was to resume another and was refused is not resumed, wherever that would begin", () => {
  const before = failedAtLast();
  const play = new Play(series);
  const { payload, workflow, version, trigger, labels, seed } = before.state.admitted ?? assert.fail();
  const links = { run: FIRST, from: "c", outputs: [], operations: [], keys: [] };
  const failure = { code: "WOML_DEFINITION_HASH_MISMATCH", kind: "definition_refused" as const, message: "" };
  play.do({ kind: "refuse_run", workflow, version, trigger, labels, seed, payload, resumed: links, failure });
  assert.equal(play.state.outcome?.status, "failed");
  for (const from of ["a", "c"]) assert.equal(refusal(play, from).fault, "WOML_RESUME_NOT_REACHED");
});

const nodes: readonly Node[] = [
  step("a"),
  ...group("g"),
  step("x"),
  step("y"),
  ...choose("r", ["yes", ["steps", "a", "ok"], ["steps", "p"]], ["no", null, ["steps", "q"]]),
  step("p"),
  step("q"),
  step("z"),
];
const grouped = define({
  nodes,
  edges: ["a>g:open", "g:open>x", "g:open>y", "x>g", "y>g", "g>r:select", "r:select>p@yes", "r:select>q@no", "p>r", "q>r", "r>z"],
  result: "z",
});
function ranWhole(output: Json = { ok: true }): Play {
  const play = new Play(grouped);
  play.admit();
  play.ok("a", output);
  play.ok("x", "X");
  play.ok("y", "Y");
  play.ok("p", "P");
  play.bad("z");
  return play;
}

test("a group and a choice are begun again by the name of either end, and never from their inside", () => {
  const play = ranWhole();
  for (const from of ["g", "g:open"]) assert.deepEqual(resumed(play, from).lines.slice(-2), ["step_started x#1", "step_started y#1"]);
  for (const from of ["r", "r:select"])
    assert.deepEqual(resumed(play, from).lines.slice(-2), ["choice_selected r yes", "step_started p#1"]);
  for (const from of ["x", "p"]) assert.equal(refusal(play, from).fault, "WOML_RESUME_FROM_INVALID");
  const { play: last, lines } = resumed(play, "z");
  assert.deepEqual(
    lines.slice(1, -2),
    ["a", "r", "x", "y"].map((id) => `output_inherited ${id}`),
  );
  assert.equal(last.ok("z", 1).at(-1), "run_succeeded 1");
});

test("a branch that no join waits for and that stands before it is not run again", () => {
  const forked = define({
    nodes: [
      step("a"),
      { kind: "fork", id: "f:fork", join: "f" },
      { kind: "join", id: "f", branches: ["one"] },
      step("p"),
      step("q"),
      step("z"),
    ],
    edges: ["a>f:fork", "f:fork>p@one", "f:fork>q@two", "f:fork>f", "p>f", "f>z"],
    result: "z",
  });
  const play = new Play(forked);
  play.admit();
  play.ok("a");
  play.ok("p", "P");
  play.bad("z");
  play.bad("q");
  const { play: again, lines } = resumed(play, "z");
  assert.deepEqual(lines, ["run_admitted", "output_inherited a", "output_inherited p", "run_started", "step_started z#1"]);
  assert.equal(again.ok("z", 1).at(-1), "run_succeeded 1");
  assert.deepEqual(resumed(play, "f").lines.slice(-2), ["step_started p#1", "step_started q#1"]);
});

test("a loop is begun again whole, and what each iteration had done is answered from there", () => {
  const body = { nodes: [{ kind: "step" as const, id: "w", script: { source: "" } }], edges: [] };
  const looped = define({
    nodes: [step("a"), { kind: "for-each", id: "l", items: ["steps", "a"], concurrency: 2, body }, step("z")],
    edges: ["a>l", "l>z"],
    result: "z",
  });
  const play = new Play(looped);
  play.admit();
  play.ok("a", [1, 2, 3]);
  play.call("w#0", called("unsafe"));
  play.gave("w#0", 1, "first");
  play.ok("w#0");
  play.bad("w#1");
  play.call("w#2", called("unsafe"));
  play.gave("w#2", 1, "third");
  play.bad("w#2");
  const { play: again, lines } = resumed(play, "l");
  assert.deepEqual(lines.slice(1, 4), ["output_inherited a", "effect_inherited w#0", "effect_inherited w#2"]);
  assert.equal(again.call("w#0", called("unsafe")).at(-1), "operation_settled w#0#1.1 succeeded");
  assert.deepEqual(again.call("w#1", called("unsafe")), ["operation_started w#1#1.1 try 1 script"]);
  assert.equal(refusal(play, "w").fault, "WOML_RESUME_FROM_INVALID");
});

test("a lost answer is judged again, and an admission that is judged twice says nothing more", () => {
  const { play } = resumed(failedAtLast(), "c");
  assert.deepEqual(play.admit(), []);
  assert.deepEqual(foldAll(play.log).head, play.state.head);
});
