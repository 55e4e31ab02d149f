import assert from "node:assert/strict";
import { test } from "node:test";
import { arbitraryFlow } from "@woml/model/testing";
import { foldAll, genesis, project, type RunEvent } from "@woml/run";
import fc from "fast-check";
import { arbitraryMoves, arbitraryPayload, playMoves } from "./moves.ts";

const runs = fc.record({ definition: arbitraryFlow, moves: arbitraryMoves, payload: arbitraryPayload });
/** What a caller may be told to do, by the cause for which it is told; the mutations of the API. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  ...{ queued: ["cancelRun"], script: ["cancelRun"], operation: ["cancelRun"], child: ["cancelRun"], backoff: ["cancelRun"] },
  ...{ approval: ["resolveApproval", "cancelRun"], needs_resolution: ["resolveUnknown", "cancelRun"], stopping: [], lifecycle: [] },
};

test("PC-34: a run that has not ended always says why it waits, since when, what would move it, and what may be done", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(runs, ({ definition, moves, payload }) => {
      const { log } = playMoves(definition, moves, payload).play;
      let state = genesis;
      for (const events of appends(log)) {
        state = foldAll(events, state);
        if (state.ended !== null) return;
        const { waitingFor, nextDue } = project(state);
        assert.ok(waitingFor !== null, `after ${events.at(-1)?.type}`);
        const { cause, since, until, moves: moved, actions, steps } = waitingFor;
        seen.add(cause);
        assert.deepEqual(actions, ACTIONS[cause], cause);
        assert.ok(moved.length > 10 && Date.parse(since) <= state.at, `${cause} since ${since}`);
        assert.equal(new Date(since).toISOString(), since);
        for (const site of steps ?? []) assert.ok(state.open.includes(site) || state.waiting.includes(site), `${site} is open`);
        // What it says will happen at a time is what it is looked at for, then or earlier.
        if (until !== undefined) assert.ok(nextDue !== null && nextDue <= Date.parse(until), `${cause} until ${until}`);
        // Nothing that has no time, and asks nobody, is left waiting.
        if (nextDue === null)
          assert.ok(
            actions.some((action) => action.startsWith("resolve")),
            cause,
          );
      }
    }),
    { numRuns: 400 },
  );
  for (const cause of ["script", "backoff", "approval", "lifecycle"]) assert.ok(seen.has(cause), `no play waited for ${cause}`);
});

/** Each ask passes a millisecond, so what shares a time was appended together. */
const appends = (log: readonly RunEvent[]) => [...Map.groupBy(log, ({ at }) => at).values()];
