import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type EngineProcess, Ground, until } from "../ownership-ground.ts";

const ground = await Ground.open();
after(() => ground.close());
afterEach(() => ground.endEngines());

const LEASE_MS = 3_000;
const options = { leaseMs: LEASE_MS, clockBoundMs: 200 };
const counts = (engines: readonly EngineProcess[]): readonly number[] =>
  engines.map((engine) => engine.said("moved").filter(({ expected }) => expected === 0).length);
/** What it wrote, or sent to the sandbox, after that. */
/** Frames sent, and appends that landed: not those that were begun before, and are answered only now. */
function doneAfter(engine: EngineProcess, at: number): number {
  const begun = engine.said("intent").filter((one) => one.at <= at);
  const landed = engine
    .said("moved")
    .filter((one) => one.at > at && !begun.some(({ run, expected }) => run === one.run && expected === one.expected));
  return landed.length + engine.said("frame").filter((one) => one.at > at).length;
}

describe("three engines over one store, without Redis", () => {
  it("claim: each admits its share, nobody tries what another has, and no two advance one run", async () => {
    const engines = await ground.start(3, { options });
    await sleep(1_200);
    const runs = await ground.ask(150, 20);
    await ground.ends(runs);
    for (const count of counts(engines)) assert.ok(count >= 25, counts(engines).join());
    const refused = engines.reduce((sum, engine) => sum + engine.said("refused").length, 0);
    assert.ok(refused <= 30, `${refused} appends in vain`);
    await ground.assertOneAuthority(runs);
  });

  it("PC-24: lapse: one that stands still past its lease is taken over; awake again it writes nothing and sends nothing", async () => {
    const engines = await ground.start(3, { options });
    await sleep(1_200);
    const runs = await ground.ask(60, 1_500);
    await until("all are driven", () => counts(engines).reduce((a, b) => a + b) === 60);
    const [asleep] = engines;
    assert.ok(asleep);
    const [mine] = counts(engines);
    // One that is stopped between its look at the lease and its send goes on there, and is refused.
    await asleep.rests();
    asleep.signal("SIGSTOP");
    await ground.ends(runs);
    const others = engines.slice(1).flatMap((engine) => engine.said("moved"));
    assert.equal(new Set(others.filter(({ epoch }) => epoch === 2).map(({ run }) => run)).size, mine);
    const woken = performance.now();
    asleep.signal("SIGCONT");
    await until("it ends by itself", () => asleep.said("ended").length === 1);
    await sleep(200);
    assert.equal(doneAfter(asleep, woken), 0);
    await ground.assertOneAuthority(runs);
  });

  it("lapse: one that wakes before anybody has fenced it, but past its lease, has lost it all the same", async () => {
    const [asleep] = await ground.start(1, { options });
    assert.ok(asleep);
    const runs = await ground.ask(10, 2_000);
    await until("all are driven", () => asleep.said("frame").length === 10);
    await asleep.rests();
    asleep.signal("SIGSTOP");
    await sleep(LEASE_MS + 500);
    const woken = performance.now();
    asleep.signal("SIGCONT");
    await until("it ends by itself", () => asleep.said("ended").length === 1);
    assert.equal(doneAfter(asleep, woken), 0);
    const began = performance.now();
    await ground.start(2, { options });
    await ground.ends(runs);
    assert.ok(performance.now() - began < 20_000);
    await ground.assertOneAuthority(runs);
  });

  it("hand back: what one that stops in order drove goes on elsewhere within about a second", async () => {
    const engines = await ground.start(3, { options: { ...options, graceMs: 0 } });
    await sleep(1_200);
    const runs = await ground.ask(60, 4_000);
    await until("all are driven", () => counts(engines).reduce((a, b) => a + b) === 60);
    const [leaving, ...others] = engines;
    assert.ok(leaving);
    await leaving.end("SIGTERM");
    const stopped = performance.now();
    const [mine = 0] = counts(engines);
    assert.ok(mine > 0);
    const taken = (): number => others.flatMap((engine) => engine.said("moved")).filter(({ epoch }) => epoch === 2).length;
    await until("they are taken over", () => taken() >= mine);
    const tookMs = performance.now() - stopped;
    assert.ok(tookMs < 2_500, `${tookMs} ms`);
    await ground.ends(runs);
    await ground.assertOneAuthority(runs);
  });

  it("PC-26: fence: one after the other is killed and another comes, and every run ends", async () => {
    await ground.start(3, { options });
    await sleep(1_000);
    const runs = [...(await ground.ask(60, 300))];
    for (let round = 0; round < 4; round++) {
      await sleep(700);
      await ground.engines.find((engine) => !engine.isGone)?.end("SIGKILL");
      await ground.start(1, { options });
      runs.push(...(await ground.ask(15, 300)));
    }
    await ground.ends(runs);
    await ground.assertOneAuthority(runs);
    const epochs = ground.engines.flatMap((engine) => engine.said("moved")).map(({ epoch }) => epoch);
    assert.ok(Math.max(...epochs) >= 2, "some were taken over");
  });

  it("a run that waits for nobody's turn ends within the sweep, although no ring is ever heard", async () => {
    await ground.start(3, { options });
    await sleep(1_200);
    for (let round = 0; round < 3; round++) {
      const began = performance.now();
      await ground.ends(await ground.ask(10, 1));
      const tookMs = performance.now() - began;
      assert.ok(tookMs < 3_000, `${tookMs} ms`);
    }
  });
});
