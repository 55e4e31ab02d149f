import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, Json } from "@woml/model";
import { arbitraryDefinition, shuffled, tried } from "@woml/model/testing";
import { foldAll, genesis, project, type RunEvent, type RunEventType, type Timer, type TimerKey, timerChanges, timers } from "@woml/run";
import { plainState } from "@woml/run/spec";
import fc from "fast-check";
import { due } from "../due.ts";
import { Oracle } from "./oracle.ts";
import { type Ask, Play, threw } from "./play.ts";

/** What happens to a run, move by move; `pick` chooses among the attempts in flight. */
interface Move {
  readonly what: "ok" | "true" | "threw" | "crashed" | "engine" | "worker" | "wait" | "cancel";
  readonly pick: number;
}
const often = { ok: 12, true: 12, threw: 3, engine: 2, worker: 1, wait: 4, crashed: 1, cancel: 1 } as const;
const arbitraryMoves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    what: fc.oneof(...Object.entries(often).map(([what, weight]) => ({ weight, arbitrary: fc.constant(what as Move["what"]) }))),
    pick: fc.nat(1_000),
  }),
  { maxLength: 60 },
);

/** Plays until the run ends: first the moves, then whatever is in flight succeeds and time passes. Answers all that was asked. */
function play(definition: Definition, moves: readonly Move[], payload: Json): { readonly play: Play; readonly asked: readonly Ask[] } {
  const run = new Play(definition);
  const asked: Ask[] = [];
  run.admit(payload);
  for (let turn = 0; run.state.ended === null; turn++) {
    assert.ok(turn < 5_000, "the run moves on");
    const ask = askOf(run, moves[turn] ?? { what: turn % 2 === 0 ? "true" : "wait", pick: turn });
    asked.push(ask);
    run.wait(1).do(ask);
  }
  return { play: run, asked };
}

function askOf(run: Play, { what, pick }: Move): Ask {
  if (what === "cancel") return { kind: "cancel_run", request: "r" };
  const { run: flying, nextAt } = due(run.state, run.now);
  const target = flying[pick % Math.max(1, flying.length)];
  if (target === undefined || what === "wait") {
    if (nextAt !== null) run.now = Math.max(run.now, pick % 2 === 0 || target === undefined ? nextAt : run.now);
    return { kind: "fire_timers" };
  }
  if (what === "engine" || what === "worker") return { kind: "resume_attempt", ...target, lost: what };
  if (what === "ok") return { kind: "report_attempt", ...target, outcome: { status: "succeeded", output: { pick }, cpuMs: 1 } };
  if (what === "true") return { kind: "report_attempt", ...target, outcome: { status: "succeeded", output: pick % 3 > 0, cpuMs: 1 } };
  const failure = what === "threw" ? threw : { code: "WOML_SCRIPT_TIMEOUT", kind: "wall_exceeded", message: "" };
  return { kind: "report_attempt", ...target, outcome: { status: "failed", failure, cpuMs: 1 } };
}

const payload = fc.record({ flag: fc.boolean() });
const runs = fc.record({ definition: arbitraryDefinition, moves: arbitraryMoves, payload });
const terminal = (event: RunEvent): boolean => ["run_succeeded", "run_failed", "run_cancelled"].includes(event.type);
const options = { numRuns: tried(200) };

test("D4: every play ends in exactly one terminal event, and it is the last; and the plays tell every kind of story", () => {
  const told = new Map<string, number>();
  fc.assert(
    fc.property(runs, ({ definition, moves, payload }) => {
      const { log, state } = play(definition, moves, payload).play;
      for (const { type } of log) told.set(type, (told.get(type) ?? 0) + 1);
      assert.deepEqual([log.filter(terminal).length, log.findIndex(terminal)], [1, log.length - 1]);
      assert.deepEqual(state.open, []);
      assert.deepEqual(project(state), { status: state.ended, waitingFor: null, nextDue: null, holds: false });
    }),
    { numRuns: 2_000 },
  );
  assert.deepEqual(
    Object.keys(everyEvent).filter((type) => !told.has(type)),
    [],
  );
});

test("D2, D3: nothing begins before what it waits for has an outcome in the log; success means that all has settled or is skipped", () => {
  fc.assert(
    fc.property(runs, ({ definition, moves, payload }) => {
      const { log } = play(definition, moves, payload).play;
      const oracle = new Oracle(definition);
      const outputs = new Map<string, Json>();
      for (const event of log) {
        const { type, data } = event;
        if (type === "step_started" || type === "choice_settled") assert.ok(oracle.mayBegin(data.node), `${type} ${data.node}`);
        if (type === "parallel_settled" && data.status === "succeeded") assert.ok(oracle.mayBegin(data.node), data.node);
        if (type === "step_succeeded" || type === "choice_settled") {
          assert.ok(!outputs.has(data.node), "one output a node");
          outputs.set(data.node, data.output ?? null);
        }
        oracle.see(event);
        if (type !== "run_succeeded") continue;
        assert.deepEqual(oracle.unsettled(), []);
        assert.deepEqual(data.result, outputs.get(definition.result));
      }
    }),
    options,
  );
});

test("D9: every log folds, and in two parts as in one", () => {
  fc.assert(
    fc.property(runs, fc.nat(), ({ definition, moves, payload }, at) => {
      const { log, state } = play(definition, moves, payload).play;
      const cut = at % (log.length + 1);
      assert.deepEqual(plainState(foldAll(log.slice(cut), foldAll(log.slice(0, cut)))), plainState(state));
    }),
    options,
  );
});

test("D8: the order of nodes and edges changes no event", () => {
  const pairs = runs.chain((run) => shuffled(run.definition).map((other) => ({ ...run, other })));
  fc.assert(
    fc.property(pairs, ({ definition, other, moves, payload }) => {
      assert.deepEqual(play(other, moves, payload).play.log, play(definition, moves, payload).play.log);
    }),
    options,
  );
});

test("D1: a command judged again, at any later state, answers nothing", () => {
  fc.assert(
    fc.property(runs, ({ definition, moves, payload }) => {
      const { play: ended, asked } = play(definition, moves, payload);
      for (const ask of asked) assert.deepEqual(ended.ask(ask), []);
      const again = new Play(definition);
      again.admit(payload);
      for (const ask of asked) {
        again.wait(1).do(ask);
        if (ask.kind === "report_attempt") assert.deepEqual(again.ask(ask), []);
      }
    }),
    options,
  );
});

test("a run that has not ended always has something in flight or a time to look again, and its projection says when", () => {
  fc.assert(
    fc.property(runs, ({ definition, moves, payload }) => {
      const { log } = play(definition, moves, payload).play;
      const stored = new Map<string, Timer>();
      const key = ({ kind, subject }: TimerKey): string => `${kind} ${subject}`;
      let state = genesis;
      for (const { at, events } of appends(log)) {
        const next = foldAll(events, state);
        const changes = timerChanges(state, next);
        for (const timer of changes.cleared) assert.ok(stored.delete(key(timer)));
        for (const timer of changes.set) stored.set(key(timer), timer);
        assert.deepEqual(new Map(timers(next).map((timer) => [key(timer), timer])), stored);
        state = next;
        if (state.ended !== null) return;
        const { run, nextAt } = due(state, at);
        assert.ok(run.length > 0 || nextAt !== null);
        const { nextDue, status } = project(state);
        assert.equal(status, run.length > 0 ? "running" : "waiting");
        assert.ok(run.length > 0 ? nextDue !== null && nextDue <= at : nextDue === nextAt);
      }
    }),
    options,
  );
});

/** The others are told in decide-effects.test.ts. */
type OfOperations =
  | `operation_${"started" | "refused" | "doubted" | "settled"}`
  | "outcome_resolved"
  | "stop_decided"
  | "attempt_parked"
  | "attempt_diverged";
/** And these in decide-flow.test.ts and what stands beside it. */
type OfFlows =
  | `${"fork" | "loop"}_opened`
  | `${"branch" | "join" | "loop" | "iteration" | "hook" | "action"}_settled`
  | `approval_${"requested" | "resolved" | "failed"}`
  | `${"iteration" | "action"}_started`
  | "iterations_skipped"
  | "hook_requested"
  | "main_failed"
  | "parallel_failing"
  | "limit_warned"
  | "output_inherited"
  | "effect_inherited"
  | "key_inherited";
const everyEvent: { readonly [K in Exclude<RunEventType, OfOperations | OfFlows>]: true } = {
  ...{ run_admitted: true, run_started: true, cancel_requested: true, deadline_reached: true, outcome_decided: true },
  ...{ run_succeeded: true, run_failed: true, run_cancelled: true, step_started: true, attempt_resumed: true, step_succeeded: true },
  ...{ step_failed: true, step_cancelled: true, step_retry_scheduled: true, parallel_opened: true, parallel_settled: true },
  ...{ choice_selected: true, choice_settled: true },
};

/** Each ask passes a millisecond, so what shares a time was appended together. */
function appends(log: readonly RunEvent[]): readonly { readonly at: number; readonly events: readonly RunEvent[] }[] {
  return [...Map.groupBy(log, ({ at }) => at)].map(([at, events]) => ({ at, events }));
}
