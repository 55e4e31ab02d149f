import assert from "node:assert/strict";
import { test } from "node:test";
import { arbitraryDefinition, arbitraryFlow, tried } from "@woml/model/testing";
import { foldAll, genesis, project, type RunEvent, type RunEventType, type Timer, timerChanges, timers } from "@woml/run";
import { plainState } from "@woml/run/spec";
import fc from "fast-check";
import { due } from "../due.ts";
import { Effects, type Move } from "./effects.ts";
import { arbitraryPayload } from "./moves.ts";
import { define } from "./play.ts";

const often = {
  call: 14,
  operation: 14,
  ok: 5,
  threw: 2,
  wait: 4,
  park: 2,
  engine: 2,
  worker: 1,
  person: 2,
  diverge: 1,
  cancel: 1,
} as const;
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    what: fc.oneof(...Object.entries(often).map(([what, weight]) => ({ weight, arbitrary: fc.constant(what as Move["what"]) }))),
    pick: fc.nat(1_000),
  }),
  { maxLength: 120 },
);
const runs = fc.record({
  definition: fc.oneof(arbitraryDefinition, arbitraryFlow),
  moves,
  payload: arbitraryPayload,
  onAmbiguous: fc.option(fc.constant("fail" as const), { nil: undefined }),
});
type Run = typeof runs extends fc.Arbitrary<infer R> ? R : never;

/** Plays the moves, then whatever ends the run: operations are answered, persons look, scripts succeed. */
function play({ definition, moves: given, payload, onAmbiguous }: Run): Effects {
  return finish(new Effects(definition, payload, onAmbiguous), given);
}

function finish(effects: Effects, given: readonly Move[]): Effects {
  const last = ["operation", "person", "ok", "wait"] as const;
  for (let turn = 0; effects.run.state.ended === null; turn++) {
    assert.ok(turn < 20_000, "the run moves on");
    effects.move(given[turn] ?? { what: last[turn % last.length] ?? "wait", pick: turn });
  }
  return effects;
}

const terminal = ({ type }: RunEvent): boolean => type === "run_succeeded" || type === "run_failed" || type === "run_cancelled";

test("PC-23: nothing that is not pure takes effect twice, and every run ends once; the plays tell every story of operations", () => {
  const told = new Map<string, number>();
  fc.assert(
    fc.property(runs, (run) => {
      const effects = play(run);
      const { log, state } = effects.run;
      for (const { type } of log) told.set(type, (told.get(type) ?? 0) + 1);
      assert.deepEqual(effects.twice, []);
      assert.deepEqual([log.filter(terminal).length, log.findIndex(terminal)], [1, log.length - 1]);
      for (const [, { status }] of state.operations.entries()) assert.ok(status !== "open" && status !== "doubted");
    }),
    { numRuns: 500 },
  );
  assert.deepEqual(
    Object.keys(everyEvent).filter((type) => !told.has(type)),
    [],
  );
});

test("nothing takes effect twice either in runs that resume one another, wherever they begin", () => {
  assert.ok(answeredIn(runs) > 0);
});

test("so it is in loops, whose iterations are begun again", () => {
  const step = { kind: "step" as const, id: "w", script: { source: "" } };
  const loop = {
    kind: "for-each" as const,
    id: "l",
    items: ["payload", "flag"] as [string, string],
    concurrency: 2,
    body: { nodes: [step], edges: [] },
  };
  const definition = define({ nodes: [loop], edges: [], result: "l" });
  assert.ok(answeredIn(runs.map((run) => ({ ...run, definition, payload: { flag: [1, 2, 3] } }))) > 50);
});

/** Plays chains of up to four runs; how often one was answered from an earlier. */
function answeredIn(chains: typeof runs): number {
  let answered = 0;
  fc.assert(
    fc.property(chains, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (run, places) => {
      let effects = play(run);
      for (const place of places) {
        const { nodes } = effects.run.graph.definition;
        const next = effects.resume(nodes[place % nodes.length]?.id ?? "");
        if (next === null) continue;
        effects = finish(next, run.moves);
        for (const { type, data } of effects.run.log) if (type === "operation_started" && data.reused === 0) answered += 1;
      }
      assert.deepEqual(effects.twice, []);
    }),
    { numRuns: 500 },
  );
  return answered;
}

test("what the log says of an effect is true: succeeded was done, failed was not", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const effects = play(run);
      const achieved = new Set<string>();
      for (const [, { key, called, status }] of effects.run.state.operations.entries()) {
        if (called === null || called.effect.class === "pure") continue;
        if (status === "succeeded") achieved.add(key);
        if (status === "succeeded") assert.equal(effects.counts.get(key)?.length, 1, key);
      }
      for (const [, { key, status, called }] of effects.run.state.operations.entries())
        if (status === "failed" && called?.effect.class !== "pure" && !achieved.has(key)) assert.equal(effects.counts.has(key), false, key);
    }),
    { numRuns: tried(300) },
  );
});

test("D9: every such log folds, and in two parts as in one", () => {
  fc.assert(
    fc.property(runs, fc.nat(), (run, at) => {
      const { log, state } = play(run).run;
      const cut = at % (log.length + 1);
      assert.deepEqual(plainState(foldAll(log.slice(cut), foldAll(log.slice(0, cut)))), plainState(state));
    }),
    { numRuns: tried(100) },
  );
});

test("no legal log stays legal without one of its events about operations, or with one said twice", () => {
  const kinds: ReadonlySet<string> = new Set(["operation_started", "operation_settled", "outcome_resolved"]);
  fc.assert(
    fc.property(runs, fc.nat(), (run, at) => {
      const { log } = play(run).run;
      const places = log.flatMap(({ type }, i) => (kinds.has(type) ? [i] : []));
      const place = places[at % Math.max(1, places.length)];
      if (place === undefined) return;
      const renumbered = (events: readonly RunEvent[]) => events.map((event, i) => ({ ...event, seq: i + 1 }));
      assert.throws(() => foldAll(renumbered(log.toSpliced(place, 1))), { name: "BrokenLog" });
      assert.throws(() => foldAll(renumbered(log.toSpliced(place, 0, ...log.slice(place, place + 1)))), { name: "BrokenLog" });
    }),
    { numRuns: tried(150) },
  );
});

test("a run that has not ended has something in flight, a time to look again, or asks a person; its projection and alarms say so", () => {
  fc.assert(
    fc.property(runs, (run) => {
      let state = genesis;
      let stored: ReadonlyMap<string, Timer> = new Map();
      for (const events of Map.groupBy(play(run).run.log, ({ at }) => at).values()) {
        const next = foldAll(events, state);
        const { set, cleared } = timerChanges(state, next);
        const gone = new Set(cleared.map(({ kind, subject }) => `${kind} ${subject}`));
        stored = new Map([
          ...[...stored].filter(([key]) => !gone.has(key)),
          ...set.map((timer) => [`${timer.kind} ${timer.subject}`, timer] as const),
        ]);
        assert.deepEqual(stored, new Map(timers(next).map((timer) => [`${timer.kind} ${timer.subject}`, timer])));
        state = next;
        const { run: scripts, operations, nextAt } = due(state, state.at);
        const { status, nextDue, waitingFor } = project(state);
        if (state.ended !== null) return;
        const isBusy = scripts.length > 0 || operations.length > 0;
        if (isBusy) assert.ok(nextDue !== null && nextDue <= state.at);
        else assert.equal(nextDue, nextAt);
        if (!isBusy && nextAt === null) assert.ok(waitingFor?.cause === "needs_resolution" || waitingFor?.cause === "approval");
        assert.equal(waitingFor?.cause === "needs_resolution", status === "needs_resolution");
      }
    }),
    { numRuns: tried(200) },
  );
});

const everyEvent: { readonly [K in RunEventType as K extends `operation_${string}` | `attempt_${string}` ? K : never]: true } & {
  readonly [K in "outcome_resolved" | "stop_decided"]: true;
} = {
  ...{ operation_started: true, operation_refused: true, operation_doubted: true, operation_settled: true },
  ...{ attempt_parked: true, attempt_resumed: true, attempt_diverged: true, outcome_resolved: true, stop_decided: true },
};
