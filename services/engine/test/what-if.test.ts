import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, Json, Node, Retry } from "@woml/model";
import type { Difference, WhatIf } from "../what-if.ts";
import { whatIf } from "../what-if.ts";
import { approval, called, choose, declined, define, fixed, group, Play, step } from "./play.ts";

/** As an API shows a log: without its seed. */
function shown({ log }: Play): Play["log"] {
  return log.map((event) => JSON.parse(JSON.stringify(event, (key, value) => (key === "seed" ? undefined : value))));
}
function suppose(play: Play, against: Definition): WhatIf {
  return whatIf({ log: shown(play), version: play.graph.definition, against }) ?? assert.fail("it cannot be replayed");
}
const lines = ({ differences }: { readonly differences: readonly Difference[] }): readonly string[] =>
  differences.map(({ what, of, recorded, whatIf: would }) => [what, of, ":", recorded ?? "-", "→", would ?? "-"].filter(Boolean).join(" "));

const routed = (test: readonly [string, ...string[]], more: readonly Node[] = []): Definition =>
  define({
    nodes: [step("a"), ...choose("r", ["fast", [...test], ["steps", "p"]], ["slow", null, ["steps", "q"]]), step("p"), step("q"), ...more],
    edges: ["a>r:select", "r:select>p@fast", "r:select>q@slow", "p>r", "q>r"],
    result: "r",
  });
function ran(definition: Definition, output: Json): Play {
  const play = new Play(definition);
  play.admit({ big: false });
  play.wait(5).ok("a", output);
  play.wait(7).ok("p", "P");
  return play;
}

test("under its own definition nothing differs, whatever it came to", () => {
  const play = ran(routed(["steps", "a", "ok"]), { ok: true });
  assert.deepEqual(suppose(play, play.graph.definition), { differences: [], wouldRun: [], rewritten: [] });
  const failing = new Play(play.graph.definition);
  failing.admit();
  failing.ok("a", { ok: 1 });
  assert.deepEqual(lines(suppose(failing, failing.graph.definition)), []);
});

test("another arm is said, and what was never recorded would run: what it came to nobody knows", () => {
  const play = ran(routed(["steps", "a", "ok"]), { ok: true });
  const supposed = suppose(play, routed(["payload", "big"]));
  assert.deepEqual(lines(supposed), [
    "choice r : fast → slow",
    "step p : succeeded → -",
    'output r : "P" → unknown',
    "run : succeeded → unknown",
    'result : "P" → unknown',
    "step q : - → would run",
  ]);
  assert.deepEqual(supposed.wouldRun, ["q"]);
});

test("a retry that a definition adds uses the attempts there are, and then would run", () => {
  const plain = (retry?: Retry): Definition => define({ nodes: [step("a", retry), step("b")], edges: ["a>b"], result: "b" });
  const play = new Play(plain());
  play.admit();
  play.wait(10).bad("a");
  const supposed = suppose(play, plain(fixed(3, 1_000)));
  assert.deepEqual(lines(supposed), ["step a : failed: WOML_SCRIPT_THROWN → would run", "run : failed: WOML_SCRIPT_THROWN → unknown"]);
  const retried = new Play(plain(fixed(2, 1_000)));
  retried.admit();
  retried.bad("a");
  retried.wait(1_000).fire();
  retried.ok("a");
  retried.ok("b");
  assert.deepEqual(lines(suppose(retried, plain())), [
    "step a : succeeded in attempt 2 → failed: WOML_SCRIPT_THROWN",
    "step b : succeeded → -",
    "run : succeeded → failed: WOML_SCRIPT_THROWN",
    "result : 1 → -",
  ]);
});

test("a failure of a plugin is tried again as its plugin allows", () => {
  const plain = (retry?: Retry): Definition => define({ nodes: [step("a", retry)], edges: [], result: "a" });
  for (const retryable of [true, false]) {
    const play = new Play(plain());
    play.admit();
    play.call("a", called("pure"));
    play.said("a", 1, { status: "failed", failure: { ...declined, retryable }, evidence: "" });
    play.threw("a", 1);
    assert.deepEqual(suppose(play, plain(fixed(2, 1))).wouldRun, retryable ? ["a"] : []);
  }
});

test("time is that of the record: a shorter time-out ends the run, and a longer one does not", () => {
  const timed = (timeoutMs?: number): Definition =>
    define({ nodes: [step("a"), step("b")], edges: ["a>b"], result: "b", ...(timeoutMs === undefined ? {} : { policy: { timeoutMs } }) });
  const play = new Play(timed());
  play.admit();
  play.wait(600).ok("a");
  play.wait(600).ok("b");
  assert.deepEqual(lines(suppose(play, timed(2_000))), []);
  assert.deepEqual(lines(suppose(play, timed(1_000))), [
    "step b : succeeded → cancelled",
    "run : succeeded → failed: WOML_WORKFLOW_TIMED_OUT",
    "result : 1 → -",
  ]);
});

test("a cancel comes when it came", () => {
  const plain = define({ nodes: [step("a"), step("b")], edges: ["a>b"], result: "b" });
  const play = new Play(plain);
  play.admit();
  play.wait(100).ok("a");
  play.wait(100).cancel();
  assert.deepEqual(lines(suppose(play, plain)), []);
  const gone = define({ nodes: [step("a")], edges: [], result: "a" });
  assert.deepEqual(lines(suppose(play, gone)), ["step b : cancelled → -", "run : cancelled → succeeded", "result : - → 1"]);
});

test("a group that waits for all lets its other steps come to their end", () => {
  const grouped = (onError?: "wait-all"): Definition =>
    define({
      nodes: [
        ...group("g").map((node) => (node.kind === "parallel" && onError ? { ...node, onError } : node)),
        step("x"),
        step("y"),
        step("z"),
      ],
      edges: ["g:open>x", "g:open>y", "x>g", "y>g", "g>z"],
      result: "z",
    });
  const play = new Play(grouped("wait-all"));
  play.admit();
  play.wait(10).bad("x");
  play.wait(10).ok("y");
  assert.deepEqual(lines(suppose(play, grouped())), ["step y : succeeded → cancelled"]);
});

const looped = (result?: readonly [string, ...string[]], concurrency?: number): Definition =>
  define({
    nodes: [
      {
        kind: "for-each",
        id: "l",
        items: ["payload", "items"],
        ...(concurrency === undefined ? {} : { concurrency }),
        body: { nodes: [{ kind: "step", id: "w", script: { source: "" } }], edges: [] },
        ...(result === undefined ? {} : { result: [...result] }),
      },
    ],
    edges: [],
    result: "l",
  });

test("iterations are told apart, and what the loop gives", () => {
  const play = new Play(looped());
  play.admit({ items: [1, 2] });
  play.ok("w#0", { n: 1 });
  play.ok("w#1", { n: 2 });
  assert.deepEqual(lines(suppose(play, looped(["steps", "w", "n"], 2))), [
    'result : {"total":2,"succeeded":2} → {"total":2,"succeeded":2,"results":[1,2]}',
  ]);
  const missing = suppose(play, looped(["steps", "w", "gone"]));
  assert.deepEqual(
    lines(missing)[0],
    "loop l : 2 iterations: 2 succeeded, 0 failed, 0 not begun → 2 iterations: 0 succeeded, 1 failed, 1 not begun",
  );
});

test("an approval is decided as it was, or ends by another time-out", () => {
  const approved = (timeoutMs?: number): Definition =>
    define({
      nodes: [
        {
          kind: "approval",
          id: "ok",
          choice: "ok:choice",
          ...(timeoutMs === undefined ? {} : { timeoutMs, onTimeout: "reject" as const }),
        },
        { kind: "choice", id: "ok:choice" },
        step("yes"),
        step("end"),
      ],
      edges: ["ok>yes@approved", "ok>ok:choice@rejected", "yes>ok:choice", "ok:choice>end"],
      result: "end",
    });
  const play = new Play(approved());
  play.admit();
  play.wait(500).do({ kind: "resolve_approval", node: "ok", decision: "approved", by: "k", askedAt: play.now });
  play.ok("yes");
  play.ok("end");
  assert.deepEqual(lines(suppose(play, approved(501))), []);
  const sooner = suppose(play, approved(100));
  assert.deepEqual(lines(sooner).slice(0, 3), [
    "approval ok : approved by a person → rejected by its time-out",
    "choice ok:choice : approved → rejected",
    "step yes : succeeded → -",
  ]);
});

const awaited = (timeoutMs: number): Definition =>
  define({
    nodes: [...approval("ok", timeoutMs), step("yes")],
    edges: ["ok>yes@approved", "yes>ok:end", "ok>ok:end@rejected"],
    result: "ok",
  });

test("a decision that came within the time of its approval and was written at its end, or later, is the one that counts", () => {
  for (const lateMs of [0, 7]) {
    const play = new Play(awaited(100));
    play.admit();
    play.wait(100 + lateMs).decide("ok", "approved", play.now - lateMs - 1);
    play.ok("yes");
    assert.deepEqual(lines(suppose(play, awaited(100))), []);
    assert.deepEqual(lines(suppose(play, awaited(5_000))), []);
    assert.equal(lines(suppose(play, awaited(99)))[0], "approval ok : approved by a person → failed: timeout");
  }
});

const pair = (retry?: Retry): Definition =>
  define({
    nodes: [...group("g"), step("x", retry), step("y")],
    edges: ["g:open>x", "g:open>y", "x>g", "y>g"],
    result: "g",
  });

test("of what came at one time that comes first which is first in the record", () => {
  const first = new Play(pair());
  first.admit();
  first.wait(10).ok("y");
  first.bad("x");
  assert.deepEqual(lines(suppose(first, pair())), []);
  const retried = new Play(pair(fixed(2, 10)));
  retried.admit();
  retried.bad("x");
  retried.wait(10).fire();
  retried.ok("x");
  retried.bad("y");
  assert.deepEqual(lines(suppose(retried, pair(fixed(2, 10)))), []);
  const stopped = new Play(pair());
  stopped.admit();
  stopped.wait(10).ok("x");
  stopped.cancel();
  assert.deepEqual(lines(suppose(stopped, pair())), []);
});

test("a timer that came late comes as late, and one that something else came before does not come; a shorter one is on time", () => {
  const play = new Play(pair(fixed(2, 10)));
  play.admit();
  play.bad("x");
  play.wait(15).bad("y");
  assert.deepEqual(lines(suppose(play, pair(fixed(2, 10)))), []);
  assert.deepEqual(suppose(play, pair(fixed(2, 9))).wouldRun, ["x"]);
  const late = new Play(pair(fixed(2, 10)));
  late.admit();
  late.bad("x");
  late.wait(50).fire();
  late.wait(10).ok("x");
  late.bad("y");
  assert.deepEqual(lines(suppose(late, pair(fixed(2, 10)))), []);
});

test("a run that was judged within its time and written after it has not run out of it", () => {
  const timed = (timeoutMs: number): Definition => define({ nodes: [step("a")], edges: [], result: "a", policy: { timeoutMs } });
  const play = new Play(timed(100));
  play.admit();
  play.wait(99).ok("a");
  const written = shown(play).map((event) => (event.at === play.now ? { ...event, at: event.at + 4 } : event));
  const under = (timeoutMs: number) => whatIf({ log: written, version: null, against: timed(timeoutMs) }) ?? assert.fail();
  assert.deepEqual(lines(under(100)), []);
  assert.deepEqual(lines(under(90)).at(-2), "run : succeeded → failed: WOML_WORKFLOW_TIMED_OUT");
});

test("a script that was written anew is named, and what it had come to is taken all the same", () => {
  const play = ran(routed(["steps", "a", "ok"]), { ok: true });
  const anew = routed(["steps", "a", "ok"]);
  const nodes = anew.nodes.map((node) => (node.kind === "step" && node.id === "a" ? { ...node, script: { source: "return 2;" } } : node));
  assert.deepEqual(suppose(play, { ...anew, nodes }), { differences: [], wouldRun: [], rewritten: ["a"] });
});

test("what is no run's log, or begins where the definition does not, cannot be replayed", () => {
  const play = ran(routed(["steps", "a", "ok"]), { ok: true });
  assert.equal(whatIf({ log: shown(play).slice(1), version: null, against: play.graph.definition }), null);
});
