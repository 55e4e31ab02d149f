import assert from "node:assert/strict";
import { it } from "node:test";
import { startEngine } from "../index.ts";
import { chain, ok, Stage, withCalls } from "./stage.ts";
import { telling } from "./telling.ts";

it("PC-34: every engine counts what is held or moved by nothing, twice a minute, and keeps the last count when it has no answer", async () => {
  const stage = new Stage();
  const told = telling();
  stage.scripts = () => ({ after: 600_000, outcome: ok(1) });
  const memory = stage.memory.open();
  let asked = 0;
  let isDumb = false;
  const store = withCalls(memory, {
    stuck: async () => {
      asked += 1;
      if (isDumb) throw new Error("no answer");
      return memory.stuck();
    },
  });
  const engine = await startEngine({ ...stage.world(store), telemetry: told.telemetry });
  await stage.settle();
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(31_000);
  assert.deepEqual([told.gauge("woml_runs_stuck"), asked], [0, 2]);
  await memory.hold(key, { engine: engine.id, epoch: stage.run(key).epoch }, "poison");
  await stage.wait(31_000);
  assert.deepEqual([told.gauge("woml_runs_stuck"), asked], [1, 3]);
  isDumb = true;
  stage.memory.unhold(key);
  await stage.wait(61_000);
  assert.equal(told.gauge("woml_runs_stuck"), 1);
});
