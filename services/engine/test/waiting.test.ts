import assert from "node:assert/strict";
import { it } from "node:test";
import { chain, ok, Stage } from "./stage.ts";

it("L4: what only waits for its turn while engines come and go is not held against it", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 400_000, outcome: ok(1) });
  const version = stage.publish(chain("a"));
  const few = { tenantWindow: 1, window: 1 };
  let engine = await stage.start(few);
  const keys = Array.from({ length: 3 }, () => stage.ask(version));
  await stage.wait(100);
  const DEATHS = 9;
  // Each dies in the middle of the one script that it could send.
  for (let deaths = 0; deaths < DEATHS; deaths++) {
    stage.memory.breakLease(engine.id);
    await stage.settle();
    engine = await stage.start(few);
    await stage.wait(2_000);
  }
  const counts = keys.map((key) => stage.log(key).filter((entry) => entry.startsWith("attempt_resumed")).length);
  const all = counts.reduce((sum, count) => sum + count, 0);
  assert.ok(all >= 5 && all <= DEATHS, `${DEATHS} deaths met ${counts.join(", ")} executions`);
  assert.deepEqual(
    keys.map((key) => stage.run(key).status),
    ["running", "running", "running"],
  );
});

it("a run that waits for its turn through six engines is not taken for poison", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 4_000, outcome: ok(1) });
  const version = stage.publish(chain("a"));
  const few = { tenantWindow: 1, window: 1 };
  let engine = await stage.start(few);
  const keys = Array.from({ length: 12 }, () => stage.ask(version));
  await stage.wait(100);
  for (let deaths = 0; deaths < 9; deaths++) {
    stage.memory.breakLease(engine.id);
    await stage.settle();
    engine = await stage.start(few);
    await stage.wait(5_000);
  }
  await stage.wait(60_000);
  assert.deepEqual([...new Set(keys.map((key) => stage.run(key).held ?? stage.run(key).status))], ["succeeded"]);
});
