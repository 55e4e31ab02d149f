import assert from "node:assert/strict";
import { it } from "node:test";
import { Shop } from "./shop.ts";

it("a script that only waits for an operation makes room sooner where others of its tenant wait", async () => {
  for (const { runs, parked } of [
    { runs: 1, parked: 5_000 },
    { runs: 12, parked: 100 },
  ]) {
    const shop = new Shop();
    const asked: (number | undefined)[] = [];
    shop.talks.set("a", async (_, frame) => {
      asked.push(frame.parkAfterMs);
      await shop.time.sleep(1_000);
      return { outcome: "ok", result: "1", cpuMs: 1, ms: 1 };
    });
    await shop.start();
    const version = shop.sell("a");
    for (let n = 0; n < runs; n++) shop.ask(version);
    await shop.wait(500);
    assert.deepEqual([asked.length, asked.at(-1)], [runs, parked]);
  }
});
