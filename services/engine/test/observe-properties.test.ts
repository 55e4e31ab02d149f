import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, type Definition, HOOK_EVENTS, type Hook, type Json, type Node, type Notice } from "@woml/model";
import { arbitraryFlow, tried } from "@woml/model/testing";
import { actionSite, foldAll, hookOf, isAction, type RunEvent, type RunState } from "@woml/run";
import { plainState } from "@woml/run/spec";
import fc from "fast-check";
import { due } from "../due.ts";
import { arbitraryMoves, arbitraryPayload, playMoves } from "./moves.ts";
import { Play, threw } from "./play.ts";

const script = { source: "" };
const notice: Notice = {
  provider: "custom",
  script,
  reusable: { props: [], onSuccess: [script], onError: [script], onComplete: [script] },
};
const told: Notice = { ...notice, message: [{ kind: "text", text: "x" }] };

/** The definition with hooks, some of each by `pick`, and some approvals with notices. */
function dressed(definition: Definition, pick: number): Definition {
  const has = (bit: number): boolean => ((pick >> bit) & 1) === 1;
  const steps = definition.nodes.flatMap((node) => (node.kind === "step" ? node.id : [])).slice(0, 3);
  const hookOn = (on: Hook["on"], at: number): Hook => ({
    on,
    ...(on.startsWith("step_") && steps.length > 0 && has(at + 3) && { steps }),
    actions: [
      { kind: "script", script },
      ...(has(at + 5) ? [{ kind: "notify" as const, notices: [told, told] }] : []),
      ...(has(at + 7) ? [{ kind: "script" as const, script }] : []),
    ],
  });
  const hooks = HOOK_EVENTS.flatMap((on, at) => (has(at) ? [hookOn(on, at)] : []));
  const nodes = definition.nodes.map((node): Node => (node.kind === "approval" && has(9) ? { ...node, notices: [notice, notice] } : node));
  return accepted({ ...definition, nodes, ...(hooks.length > 0 && { lifecycle: hooks }) });
}

/** Without anything that observes. */
function bare(definition: Definition): Definition {
  const plain = <T extends Node>(node: T): T =>
    node.kind === "step" && node.reusable ? { ...node, reusable: { props: node.reusable.props } } : node;
  const stripped = definition.nodes.map((node): Node => {
    if (node.kind === "for-each") return { ...node, body: { ...node.body, nodes: node.body.nodes.map(plain) } };
    if (node.kind !== "approval") return plain(node);
    const { notices: _, ...rest } = node;
    return rest;
  });
  const { lifecycle: _, ...rest } = definition;
  return accepted({ ...rest, nodes: stripped });
}

function accepted(definition: Definition): Definition {
  const answer = accept(definition);
  if ("violations" in answer) throw new Error(JSON.stringify(answer.violations));
  return answer.definition;
}

/** A number that depends on the texts alone. */
const draw = (...texts: readonly unknown[]): number =>
  [...texts.join(" ")].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7) % 97;

/**
 * What a step comes to is the same in every play of a story; what observes goes first, comes to anything, and takes no time. Which step is next depends
 * on those alone that are in flight: one that was held back has begun behind others.
 */
function tell(definition: Definition, payload: Json, story: number): Play {
  const run = new Play(definition);
  run.admit(payload);
  for (let turn = 0; run.state.ended === null; ) {
    const { run: flying, nextAt } = due(run.state, run.now);
    const action = flying.find(({ node }) => isAction(node));
    if (action !== undefined) {
      if (draw(story, action.node) < 60 || actionSite(action.node)?.event === "notice") run.ok(action.node, { messageId: "m" });
      else run.bad(action.node, { ...threw, kind: "wall_exceeded" });
      continue;
    }
    turn += 1;
    assert.ok(turn < 2_000, "the run moves on");
    const [step] = flying.toSorted((a, b) => (a.node < b.node ? -1 : 1));
    const [approval] = run.state.waiting;
    if (draw(story, "cancel", turn) === 0) run.cancel();
    else if (step !== undefined) perform(run, step, story);
    else if (approval !== undefined && draw(story, approval) < 70) decide(run, approval, story);
    else run.wait(Math.max(0, (nextAt ?? run.now) - run.now)).fire();
  }
  return run;
}

function perform(run: Play, { node, attempt }: { readonly node: string; readonly attempt: number }, story: number): void {
  const drawn = draw(story, node, attempt);
  if (drawn < 20) run.bad(node);
  else run.ok(node, drawn < 50 ? drawn % 2 === 0 : drawn < 70 ? [{ id: 1 }, { id: 2 }] : "when-0");
}

function decide(run: Play, node: string, story: number): void {
  const decision = draw(story, node, "says") < 60 ? "approved" : "rejected";
  run.do({ kind: "resolve_approval", node, decision, by: "key", askedAt: run.now });
}

const isObserving = ({ type, data }: RunEvent): boolean =>
  type.startsWith("hook_") || type.startsWith("action_") || ("node" in data && isAction(String(data.node)));
/** In no order: what is held back comes later in the answer of the same moment. */
const business = (run: Play): readonly string[] =>
  run.log
    .filter((event) => !isObserving(event))
    .map(({ type, at, data }) => JSON.stringify([at, type, data]))
    .sort();

const stories = fc.record({ definition: arbitraryFlow, pick: fc.nat(65_535), payload: arbitraryPayload, story: fc.nat(1_000) });

test("what observes changes nothing: the same events at the same times, with it and without", () => {
  let observed = 0;
  fc.assert(
    fc.property(stories, ({ definition, pick, payload, story }) => {
      const run = tell(dressed(definition, pick), payload, story);
      assert.deepEqual(business(run), business(tell(bare(definition), payload, story)));
      observed += run.log.filter(isObserving).length;
    }),
    { numRuns: 300 },
  );
  assert.ok(observed > 1_000);
});

const runs = fc.record({ definition: arbitraryFlow, pick: fc.nat(65_535), moves: arbitraryMoves, payload: arbitraryPayload });
const played = ({ definition, pick, moves, payload }: typeof runs extends fc.Arbitrary<infer R> ? R : never) =>
  playMoves(dressed(definition, pick), moves, payload);
const options = { numRuns: tried(300) };

/** States before and after each event. */
function* states(log: readonly RunEvent[]): Generator<{ readonly event: RunEvent; readonly before: RunState; readonly after: RunState }> {
  let before = foldAll([]);
  for (const event of log) {
    const after = foldAll([event], before);
    yield { event, before, after };
    before = after;
  }
}
const isOpen = (state: RunState, hook: string): boolean => state.hooks.get(hook)?.status === "open";

test("D24: nothing begins before what holds it back has settled, and the terminal event is last of all", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const { log } = played(run).play;
      for (const { event, before } of states(log)) {
        const { type, data } = event;
        const isBegin = type === "step_started" || type === "approval_requested" || type === "loop_opened" || type === "fork_opened";
        if (isBegin) assert.ok(!isOpen(before, "@run_start"), `${type} behind the start`);
        if (type === "step_started") assert.ok(!isOpen(before, `@step_start/${data.node}`), data.node);
        if (["run_succeeded", "run_failed", "run_cancelled"].includes(type)) assert.deepEqual([before.observing, before.open], [[], []]);
      }
    }),
    options,
  );
});

const PLACES = ["use_success", "use_error", "use_complete", "step_success", "step_failure", "step_complete"];
const ENDS = ["run_success", "run_failure", "run_cancel", "run_complete"];

test("D25–D27: what observes one thing goes on in its order, one action at a time, and the end's hooks behind all others", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(runs, (run) => {
      for (const { event, before } of states(played(run).play.log)) {
        if (event.type !== "action_started" || event.data.attempt > 1) continue;
        const { hook = "", event: on = "", subject = null } = actionSite(event.data.node) ?? {};
        seen.add(on);
        const busy = before.open.filter(isAction).map((site) => actionSite(site)?.hook);
        if (on !== "notice") assert.ok(!busy.includes(hook), "one after the other");
        const place = PLACES.indexOf(on);
        if (place >= 0) for (const earlier of PLACES.slice(0, place)) assert.ok(!isOpen(before, `@${earlier}/${subject}`), `${hook} waits`);
        if (!ENDS.includes(on)) continue;
        assert.notEqual(before.outcome, null);
        const others = before.observing.filter((one) => !ENDS.includes(hookOf(one).event) && !hookOf(one).subject?.startsWith("@run_"));
        assert.deepEqual(others, []);
      }
    }),
    { numRuns: 300 },
  );
  assert.deepEqual(
    [...HOOK_EVENTS, "use_success", "use_error", "use_complete", "notice"].filter((event) => !seen.has(event)),
    [],
  );
});

test("D1, D9: commands judged again answer nothing, and every log folds in two parts as in one", () => {
  fc.assert(
    fc.property(runs, fc.nat(), (run, at) => {
      const { play, asked } = played(run);
      for (const ask of asked) assert.deepEqual(play.ask(ask), []);
      const cut = at % (play.log.length + 1);
      assert.deepEqual(plainState(foldAll(play.log.slice(cut), foldAll(play.log.slice(0, cut)))), plainState(play.state));
    }),
    options,
  );
});
