import assert from "node:assert/strict";
import { test } from "node:test";
import { type Definition, HOOK_EVENTS } from "@woml/model";
import { arbitraryFlow, shuffled, tried } from "@woml/model/testing";
import {
  foldAll,
  genesis,
  isFlowOpen,
  project,
  type RunEvent,
  type RunEventType,
  type RunState,
  type Timer,
  type TimerKey,
  timerChanges,
  timers,
} from "@woml/run";
import { plainState } from "@woml/run/spec";
import fc from "fast-check";
import { due } from "../due.ts";
import { arbitraryMoves, arbitraryPayload, playMoves } from "./moves.ts";
import { Oracle } from "./oracle.ts";
import { Play } from "./play.ts";

/** Some with hooks before and behind everything: what observes changes nothing of this. */
const arbitraryHooks: fc.Arbitrary<Pick<Definition, "lifecycle">> = fc
  .subarray([...HOOK_EVENTS])
  .map((events) =>
    events.length === 0 ? {} : { lifecycle: events.map((on) => ({ on, actions: [{ kind: "script", script: { source: "" } }] })) },
  );
const definition = fc.tuple(arbitraryFlow, fc.oneof(fc.constant({}), arbitraryHooks)).map(([flow, hooks]) => ({ ...flow, ...hooks }));
const runs = fc.record({ definition, moves: arbitraryMoves, payload: arbitraryPayload });
const options = { numRuns: tried(250) };
const logOf = ({ definition, moves, payload }: typeof runs extends fc.Arbitrary<infer R> ? R : never): readonly RunEvent[] =>
  playMoves(definition, moves, payload).play.log;
/** Each ask passes a millisecond, so what shares a time was appended together. */
const appends = (log: readonly RunEvent[]) => [...Map.groupBy(log, ({ at }) => at).values()];

test("every play of every construct ends in one terminal event, the last; and the plays tell every kind of story", () => {
  const told = new Map<string, number>();
  fc.assert(
    fc.property(runs, (run) => {
      const log = logOf(run);
      for (const event of log) told.set(storyOf(event), (told.get(storyOf(event)) ?? 0) + 1);
      const isTerminal = ({ type }: RunEvent): boolean => ["run_succeeded", "run_failed", "run_cancelled"].includes(type);
      assert.deepEqual([log.filter(isTerminal).length, log.findIndex(isTerminal)], [1, log.length - 1]);
    }),
    { numRuns: 3_000 },
  );
  assert.deepEqual(
    STORIES.filter((story) => !told.has(story)),
    [],
  );
});

test("D2, D3: nothing begins before what it waits for has an outcome in the log, and nothing that can is left out", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const oracle = new Oracle(run.definition);
      const log = logOf(run);
      const isCut = log.some(({ type }) => type === "cancel_requested" || type === "deadline_reached");
      const failed = new Set(log.flatMap((event) => stepOf(event)));
      for (const event of log) {
        oracle.see(event);
        if (event.type === "outcome_decided" && !isCut) assert.deepEqual(oracle.left(failed), []);
        if (event.type === "run_succeeded") assert.deepEqual(oracle.unsettled(), []);
      }
    }),
    options,
  );
});

test("D8: the order of nodes and edges changes no event", () => {
  const pairs = runs.chain((run) => shuffled(run.definition).map((other) => ({ run, other })));
  fc.assert(
    fc.property(pairs, ({ run, other }) => {
      assert.deepEqual(logOf({ ...run, definition: other }), logOf(run));
    }),
    options,
  );
});

test("D9: every log folds, and in two parts as in one", () => {
  fc.assert(
    fc.property(runs, fc.nat(), (run, at) => {
      const { log, state } = playMoves(run.definition, run.moves, run.payload).play;
      const cut = at % (log.length + 1);
      assert.deepEqual(plainState(foldAll(log.slice(cut), foldAll(log.slice(0, cut)))), plainState(state));
    }),
    options,
  );
});

test("D1: a command judged again, at any later state, answers nothing", () => {
  fc.assert(
    fc.property(runs, ({ definition, moves, payload }) => {
      const { play: ended, asked } = playMoves(definition, moves, payload);
      for (const ask of asked) assert.deepEqual(ended.ask(ask), []);
      const again = new Play(definition);
      again.admit(payload);
      for (const ask of asked) {
        again.wait(1).do(ask);
        if (ask.kind === "report_attempt" || ask.kind === "resolve_approval") assert.deepEqual(again.ask(ask), []);
      }
    }),
    options,
  );
});

test("D22, D23: what has nothing open settles in the answer to what ended it, and so does the run", () => {
  fc.assert(
    fc.property(runs, (run) => {
      let state = genesis;
      for (const events of appends(logOf(run))) {
        state = foldAll(events, state);
        if (state.outcome === null) assert.ok(isFlowOpen(state), "the outcome comes with the last of the flow");
        for (const [loop, { active, status, next, total, concurrency, failed }] of state.loops.entries()) {
          if (status !== "open" || state.outcome !== null) continue;
          assert.ok(active.length > 0, `${loop} goes on`);
          assert.ok(active.length === concurrency || next === total || failed > 0, `${loop} runs as many iterations as it may`);
          for (const index of active) assert.ok(isOpenIn(state, `#${index}`), `${loop} is at work in ${index}`);
        }
      }
    }),
    options,
  );
});

test("a group never has more children at work than it may, those included that wait for the hook before them", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const most = concurrencies(run.definition);
      let state = genesis;
      for (const event of logOf(run)) {
        state = foldAll([event], state);
        const held = state.observing.flatMap((hook) => (hook.startsWith("@step_start/") ? [hook.slice("@step_start/".length)] : []));
        for (const [group, sites] of Map.groupBy(new Set([...state.open, ...held]), (site) => most.groupOf(site)))
          assert.ok(sites.length <= most.of(group), `${group}: ${sites}`);
      }
    }),
    options,
  );
});

test("settlements add up, and a failed run names what failed first", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const log = logOf(run);
      const state = foldAll(log);
      const isCut = state.cancelRequested || state.deadlineReached;
      for (const [, { total, succeeded, failed, skipped, status }] of state.loops.entries()) {
        if (status !== "open") assert.equal(succeeded + failed + skipped, total);
        assert.ok(status !== "open" || isCut);
      }
      for (const [, { branches, join, joined }] of state.forks.entries()) {
        assert.ok(isCut || [...branches.entries()].every(([, status]) => status !== "open"));
        assert.ok(isCut || join === (joined.some((branch) => branches.get(branch) === "failed") ? "failed" : "succeeded"));
      }
      for (const [, { status }] of state.approvals.entries()) assert.ok(isCut || status !== "waiting");
      if (state.outcome?.status === "failed" && !state.deadlineReached) assert.equal(firstFailure(log), state.outcome.failure.code);
      if (state.outcome?.status === "failed") assert.equal(state.cancelRequested, false);
    }),
    options,
  );
});

test("a run that has not ended has something in flight, a time to look again, or asks a person; its projection and alarms say so", () => {
  fc.assert(
    fc.property(runs, (run) => {
      let state = genesis;
      let stored: ReadonlyMap<string, Timer> = new Map();
      const key = ({ kind, subject }: TimerKey): string => `${kind} ${subject}`;
      for (const events of appends(logOf(run))) {
        const next = foldAll(events, state);
        const { set, cleared } = timerChanges(state, next);
        const gone = new Set(cleared.map(key));
        stored = new Map([...[...stored].filter(([one]) => !gone.has(one)), ...set.map((timer) => [key(timer), timer] as const)]);
        assert.deepEqual(stored, new Map(timers(next).map((timer) => [key(timer), timer])));
        state = next;
        const { run: scripts, nextAt } = due(state, state.at);
        const { status, nextDue, waitingFor } = project(state);
        if (state.ended !== null) return;
        assert.ok(waitingFor !== null && waitingFor.cause !== "nothing");
        assert.equal(waitingFor.cause === "approval", state.waiting.length > 0);
        assert.equal(status === "running" || status === "cancelling", scripts.length > 0);
        if (scripts.length > 0) assert.ok(nextDue !== null && nextDue <= state.at);
        else assert.equal(nextDue, nextAt);
        if (scripts.length === 0 && nextAt === null) assert.equal(waitingFor.cause, "approval");
      }
    }),
    options,
  );
});

/** By the site of a child: its group, where that stands; and how many of its children may be at work. */
function concurrencies({ nodes, edges }: Definition) {
  const bodies = nodes.flatMap((node) => (node.kind === "for-each" ? [node.body] : []));
  const all = [{ nodes, edges }, ...bodies];
  const ends = new Map(all.flatMap(({ nodes: of }) => of.flatMap((node) => (node.kind === "parallel" ? [[node.id, node] as const] : []))));
  const groups = new Map(all.flatMap(({ edges: of }) => of.flatMap(({ from, to }) => (ends.has(to) ? [[from, to] as const] : []))));
  return {
    groupOf: (site: string): string => site.replace(/^[^#]*/, (child) => groups.get(child) ?? ""),
    of: (group: string): number => ends.get(group.split("#")[0] ?? "")?.concurrency ?? Number.POSITIVE_INFINITY,
  };
}

const isOpenIn = (state: RunState, iteration: string): boolean =>
  state.open.some((site) => site.endsWith(iteration) || site.includes(`${iteration}/`));

/** What the run must fail with: the first scope outside all that failed. One that nothing goes on beside says so with the outcome. */
function firstFailure(log: readonly RunEvent[]): string | undefined {
  for (const { type, data } of log) {
    if (type === "main_failed") return data.failure.code;
    if (type === "branch_settled" && data.failure !== null) return data.failure.code;
    if (type === "outcome_decided") return data.status === "failed" ? data.failure.code : undefined;
  }
  return undefined;
}

/** What a scope has failed for. */
function stepOf({ type, data }: RunEvent): readonly string[] {
  if (type === "outcome_decided") return data.status === "failed" ? [data.failure.step ?? ""] : [];
  return type === "main_failed" || type === "branch_settled" ? [data.failure?.step ?? ""] : [];
}

function storyOf({ type, data }: RunEvent): string {
  if ("status" in data && type !== "outcome_decided" && type !== "action_settled") return `${type} ${data.status}`;
  if (type === "approval_resolved") return `${type} ${data.decision} ${data.source}`;
  if (type === "parallel_opened") return `${type} ${data.onError ?? "fail-fast"}`;
  if (type === "choice_settled") return `${type} ${"output" in data ? "with" : "without"} output`;
  return type;
}

const STORIES = [
  ...["run_succeeded", "run_failed", "run_cancelled", "deadline_reached", "main_failed", "step_retry_scheduled", "attempt_resumed"],
  ...["parallel_opened fail-fast", "parallel_opened wait-all", "parallel_settled succeeded", "parallel_settled failed"],
  ...["choice_selected", "choice_settled with output", "choice_settled without output"],
  ...["fork_opened", "branch_settled succeeded", "branch_settled failed", "join_settled succeeded", "join_settled failed"],
  ...["loop_opened", "iteration_started", "iteration_settled succeeded", "iteration_settled failed", "iterations_skipped"],
  ...["loop_settled succeeded", "loop_settled failed", "approval_requested", "approval_failed"],
  ...["approval_resolved approved human", "approval_resolved rejected human", "approval_resolved rejected timeout"],
  ...(["hook_requested", "action_started", "hook_settled"] satisfies readonly RunEventType[]),
];
