import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Doorbell, openLog, SHARED } from "@woml/boot";
import { redisDoorbell } from "@woml/boot/redis";
import { RedisServer, skip } from "@woml/boot/testing";
import type { RunId } from "@woml/run";
import { type EngineProcess, Ground, until } from "../ownership-ground.ts";

const ground = await Ground.open();
after(() => ground.close());

const options = { leaseMs: 10_000, clockBoundMs: 200 };
interface Given {
  readonly redis: RedisServer;
  readonly bell: Doorbell;
  readonly engines: readonly EngineProcess[];
  ask(count: number, ms: number): Promise<readonly RunId[]>;
}
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await ground.endEngines();
  await Promise.all(closing.splice(0).map((close) => close()));
});
async function given(): Promise<Given> {
  const redis = await RedisServer.start();
  const bell = redisDoorbell({ url: redis.url, prefix: "{woml}", log: openLog("control", "silent"), lost: () => undefined });
  closing.push(async () => {
    await bell.close();
    await redis.stop("SIGKILL");
  });
  const engines = await ground.start(3, { redis: redis.url, options });
  await until("the bell is there", () => bell.fault() === null);
  await sleep(1_500);
  return {
    ...{ redis, bell, engines },
    ask: (count, ms) => ground.ask(count, ms, () => bell.ring(SHARED)),
  };
}
const first = (engines: readonly EngineProcess[], run: string): number =>
  Math.min(...engines.flatMap((engine) => engine.said("moved")).flatMap((one) => (one.run === run ? [one.at] : [])));

describe("three engines over one store, with Redis", { skip }, () => {
  it("a start that is rung is admitted long before a sweep would find it, whosever turn it is", async () => {
    const { engines, ask } = await given();
    const waits: number[] = [];
    for (let n = 0; n < 20; n++) {
      const began = performance.now();
      const [run = ""] = await ask(1, 1);
      await until("it is admitted", () => Number.isFinite(first(engines, run)));
      waits.push(first(engines, run) - began);
      await sleep(30);
    }
    const median = waits.toSorted((a, b) => a - b)[10] ?? 0;
    assert.ok(median < 250, `median of ${median} ms`);
    assert.ok(engines.every((engine) => engine.said("moved").length > 0));
  });

  it("a cancel rings who drives the run, and is heard long before a sweep", async () => {
    const { engines, bell, ask } = await given();
    const runs = await ask(9, 30_000);
    await until("all are driven", () => engines.reduce((sum, engine) => sum + engine.said("frame").length, 0) >= 9);
    const waits: number[] = [];
    for (const run of runs) {
      await ground.cancel(run);
      const began = performance.now();
      bell.ring((await ground.row(run))?.owner ?? SHARED);
      await until("it is cancelled", async () => (await ground.row(run))?.status === "cancelled");
      waits.push(performance.now() - began);
    }
    const median = waits.toSorted((a, b) => a - b)[4] ?? 0;
    assert.ok(median < 400, `median of ${median} ms`);
    await ground.assertOneAuthority(runs);
  });

  it("PC-30: Redis stopped, killed, started again and flushed meanwhile: every run ends, and no two engines advance one", async () => {
    const { redis, bell, engines, ask } = await given();
    const runs = [...(await ask(20, 50))];
    redis.pause();
    runs.push(...(await ask(20, 50)));
    await sleep(500);
    redis.resume();
    await redis.stop("SIGKILL");
    const began = performance.now();
    const alone = await ask(10, 1);
    await ground.ends(alone);
    assert.ok(performance.now() - began < 4_000, "within the sweep");
    await redis.start();
    await until("the bell is back", () => bell.fault() === null);
    for (let round = 0; round < 5; round++) {
      runs.push(...(await ask(10, 20)));
      await redis.ask("FLUSHALL");
    }
    await ground.ends(runs);
    await ground.assertOneAuthority([...runs, ...alone]);
    for (const engine of engines) assert.equal(engine.isGone, false);
  });

  it("PC-30: rings that mean nothing, to everybody, all the time: every run ends, and nothing is done twice", async () => {
    const { redis, bell, engines, ask } = await given();
    const noise = setInterval(() => {
      for (const queue of [SHARED, ...engines.map(({ engine }) => engine), "00000000-0000-7000-8000-000000000000"]) bell.ring(queue);
    }, 2);
    const runs = [...(await ask(30, 100))];
    await redis.ask("LPUSH", `{woml}:${SHARED}:wait`, "no such job", "another");
    runs.push(...(await ask(30, 100)));
    await engines[0]?.end("SIGKILL");
    await ground.ends(runs);
    clearInterval(noise);
    await ground.assertOneAuthority(runs);
    const frames = engines.slice(1).flatMap((engine) => engine.said("frame").map(({ run, frame }) => `${run} ${frame}`));
    assert.equal(new Set(frames).size, frames.length, "no frame was sent twice by those that lived");
  });

  it("what a killed engine leaves in Redis is forgotten by who fences it", async () => {
    const { redis, bell, engines } = await given();
    const [dead] = engines;
    assert.ok(dead);
    bell.ring(dead.engine);
    await sleep(200);
    await dead.end("SIGKILL");
    await until("nothing of it is left", async () => ((await redis.ask("KEYS", `*${dead.engine}*`)) as readonly string[]).length === 0);
  });
});
