import assert from "node:assert/strict";
import type { RunKey } from "@woml/run";
import type { Append } from "../engine-store.ts";
import { newKey, wanted } from "./opened.ts";
import type { Case } from "./scene.ts";

export function stuckRuns(play: Case): void {
  play("what is held, or that nothing moves, is counted; what waits for somebody's word is not", async ({ store, engine }) => {
    const write = async (projection: Append["projection"]): Promise<RunKey> => {
      const key = newKey();
      await store.append(wanted(key, engine, { projection }));
      return key;
    };
    const waits = { moves: "", actions: [], since: "" } as const;
    const before = await store.stuck();
    await write({ status: "running", waitingFor: null, nextDue: 1, holds: false });
    await write({ status: "waiting", waitingFor: { cause: "needs_resolution", ...waits }, nextDue: null, holds: false });
    await write({ status: "succeeded", waitingFor: null, nextDue: null, holds: false });
    assert.equal(await store.stuck(), before);
    await write({ status: "running", waitingFor: null, nextDue: null, holds: false });
    assert.equal(await store.stuck(), before + 1);
    const held = await write({ status: "running", waitingFor: null, nextDue: 1, holds: false });
    await store.hold(held, { engine, epoch: 1 }, "poison");
    assert.equal(await store.stuck(), before + 2);
  });
}
