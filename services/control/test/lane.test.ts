import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openGate } from "../gate.ts";
import { openLane } from "../lane.ts";

const BOUNDS = { inside: 1, line: 10, lineBytes: 100, share: 1, patienceMs: 60_000 };
const asker = (who: string) => ({ who, bytes: 1 });

/** Keeps the process busy. */
function toil(ms: number): number {
  const until = performance.now() + ms;
  while (performance.now() < until);
  return performance.now();
}

test("after each body the process is the others' for as long as it was kept busy; the answer does not wait for that", async () => {
  // Before the first turn of the event loop nothing is counted.
  await sleep(1);
  const lane = openLane(openGate(BOUNDS));
  const began: number[] = [];
  const ended: number[] = [];
  const answered: number[] = [];
  const all = ["a", "a", "b"].map((who) =>
    lane
      .run(asker(who), async () => {
        began.push(performance.now());
        ended.push(toil(60));
      })
      .then(() => answered.push(performance.now())),
  );
  await Promise.all(all);
  for (const at of [1, 2]) {
    assert.ok((began[at] ?? 0) - (ended[at - 1] ?? 0) > 50, "the next began at once");
    assert.ok((answered[at - 1] ?? 0) < (began[at] ?? 0), "the answer waited");
  }
});

test("a body that is refused, and one that does not come to its turn, say why", async () => {
  const lane = openLane(openGate({ ...BOUNDS, line: 1 }));
  const first = lane.run(asker("a"), () => Promise.reject(new Error("refused")));
  const second = lane.run(asker("a"), async () => "second");
  await assert.rejects(
    lane.run(asker("a"), async () => "third"),
    { code: "WOML_OVERLOADED" },
  );
  await assert.rejects(first, /refused/);
  assert.equal(await second, "second");
});
