import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { arbitraryMoves, playMoves } from "./moves.ts";
import { define, Play } from "./play.ts";
import { Chance } from "./simulation/chance.ts";
import { payloadFor, plots } from "./simulation/plot.ts";
import { ruleFaults } from "./simulation/rules.ts";

/** Definitions of the simulation: with hooks and notices around them, groups and loops of which not all goes on at once. */
const runs = fc.record({ seed: fc.nat(), moves: arbitraryMoves });

test("whatever befalls a run, its log keeps to the rules of each construct", () => {
  const types = new Set<string>();
  fc.assert(
    fc.property(runs, ({ seed, moves }) => {
      const chance = new Chance(seed);
      const [{ graph }] = plots(chance, false);
      const { log } = playMoves(graph.definition, moves, payloadFor(chance)).play;
      for (const { type } of log) types.add(type);
      assert.deepEqual(ruleFaults(graph, log), []);
    }),
    { numRuns: 500 },
  );
  const wanted = ["branch_settled", "join_settled", "iteration_settled", "approval_resolved", "hook_settled", "parallel_settled"];
  assert.deepEqual(
    wanted.filter((type) => !types.has(type)),
    [],
  );
});

const asks = define({
  nodes: [
    { kind: "approval", id: "ok", choice: "ok:end", timeoutMs: 100, onTimeout: "reject" },
    { kind: "choice", id: "ok:end" },
  ],
  edges: ["ok>ok:end@approved", "ok>ok:end@rejected"],
  result: "ok",
});

test("what is said of an approval when its time is over decides nothing, though nobody has said so yet", () => {
  const saidAt = (ms: number, more = 0): string | undefined => {
    const play = new Play(asks);
    play.admit();
    const askedAt = play.now + ms;
    play.wait(ms + more).do({ kind: "resolve_approval", node: "ok", decision: "approved", by: "key_1", askedAt });
    return play.state.approvals.get("ok")?.status;
  };
  assert.equal(saidAt(100), "waiting");
  assert.equal(saidAt(99), "approved");
  assert.equal(saidAt(99, 50), "approved", "said in time, and heard too late");
});
