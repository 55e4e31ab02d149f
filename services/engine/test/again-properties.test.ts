import assert from "node:assert/strict";
import { test } from "node:test";
import { graph, type Json } from "@woml/model";
import { arbitraryFlow, tried } from "@woml/model/testing";
import { asRunId, foldAll, inherit, nodeAt, type RunEvent, remembering, standsBefore } from "@woml/run";
import fc from "fast-check";
import { due } from "../due.ts";
import { whatIf } from "../what-if.ts";
import { arbitraryMoves, arbitraryPayload, playMoves } from "./moves.ts";
import { Play } from "./play.ts";

const runs = fc.record({ definition: arbitraryFlow, moves: arbitraryMoves, payload: arbitraryPayload });
const RUN = asRunId("00000000-0000-7000-8000-000000000001");

test("I1: a run that is resumed anywhere runs what stands behind, and comes to the same when its scripts do", () => {
  let resumed = 0;
  let succeeded = 0;
  fc.assert(
    fc.property(runs, ({ definition: { policy: _, ...definition }, moves, payload }) => {
      const { play: before } = playMoves(definition, moves, payload);
      const flow = graph(definition);
      for (const { id } of definition.nodes) {
        const taken = inherit(flow, foldAll(before.log, remembering), { run: RUN, from: id });
        if ("fault" in taken) continue;
        const again = new Play(definition);
        const { workflow, version, trigger, labels, seed } = before.state.admitted ?? assert.fail();
        const links = { run: RUN, ...taken, origin: RUN };
        again.do({ kind: "admit_run", workflow, version, trigger, labels, seed, payload, resumed: links });
        playAs(again, before.log);
        resumed += 1;
        for (const { type, data } of again.log)
          if (type === "step_started")
            assert.ok(!standsBefore(flow, taken.from, nodeAt(data.node)), `${data.node} stands before ${taken.from}`);
        if (before.state.outcome?.status !== "succeeded") continue;
        succeeded += 1;
        assert.deepEqual(timeless(again.state.outcome ?? {}), timeless(before.state.outcome));
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(resumed > 200 && succeeded > 30, `${resumed} resumed, ${succeeded} of them succeed`);
});

test("a run under its own definition comes to what it came to, however late its timers come and however much comes at one time", () => {
  fc.assert(
    fc.property(runs, fc.integer({ min: 1, max: 6 }), ({ definition, moves, payload }, atOnce) => {
      const { log } = playMoves(definition, moves, payload, atOnce).play;
      assert.deepEqual(whatIf({ log, version: definition, against: definition }), { differences: [], wouldRun: [], rewritten: [] });
    }),
    { numRuns: tried(300) },
  );
});

test("against any other definition it comes to an end, and says what it does not know", () => {
  fc.assert(
    fc.property(runs, arbitraryFlow, ({ definition, moves, payload }, against) => {
      const { play } = playMoves(definition, moves, payload);
      const supposed = whatIf({ log: play.log, version: definition, against });
      assert.ok(supposed !== null);
      const end = supposed.differences.find(({ what }) => what === "run");
      if (supposed.wouldRun.length > 0 && end !== undefined) assert.notEqual(end.whatIf, null);
    }),
    { numRuns: tried(200) },
  );
});

/** Without when people decided. */
const timeless = (outcome: object): object => JSON.parse(JSON.stringify(outcome, (key, value) => (key === "decidedAt" ? null : value)));

/** Plays to its end: each script comes to what it came to in `log`, people decide as they did. */
function playAs(run: Play, log: readonly RunEvent[]): void {
  const outputs = new Map(log.flatMap(({ type, data }) => (type === "step_succeeded" ? [[data.node, data.output] as const] : [])));
  const decisions = new Map(
    log.flatMap(({ type, data }) =>
      type === "approval_resolved" ? [[data.node, { decision: data.source === "human" ? data.decision : null }] as const] : [],
    ),
  );
  for (let turn = 0; run.state.ended === null; turn++) {
    assert.ok(turn < 5_000, "the run moves on");
    const approval = run.state.waiting.find((site) => decisions.get(site)?.decision !== null);
    const { decision } = { decision: "approved" as const, ...decisions.get(approval ?? "") };
    if (
      approval !== undefined &&
      decision &&
      run.do({ kind: "resolve_approval", node: approval, decision, by: "k", askedAt: run.now }).length > 0
    )
      continue;
    const [target] = due(run.state, run.now).run;
    const output: Json = outputs.get(target?.node ?? "") ?? true;
    if (target !== undefined) run.wait(1).do({ kind: "report_attempt", ...target, outcome: { status: "succeeded", output, cpuMs: 1 } });
    else {
      run.now = Math.max(run.now, due(run.state, run.now).nextAt ?? 0);
      run.fire();
    }
  }
}
