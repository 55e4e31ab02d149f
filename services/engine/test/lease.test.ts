import assert from "node:assert/strict";
import { it } from "node:test";
import { Clock } from "../clock.ts";
import { openTenure, type Tenure } from "../lease.ts";
import { EPOCH, Stage, withCalls } from "./stage.ts";

interface Given {
  readonly stage: Stage;
  readonly tenure: Tenure;
  readonly clock: Clock;
  readonly ended: () => boolean;
}
type Renew = (asked: number) => Promise<number | null>;

async function given(renew?: (stage: Stage) => Renew): Promise<Given> {
  const stage = new Stage();
  const memory = stage.memory.open();
  let asked = 0;
  const store = withCalls(memory, {
    openLease: async (engine, leaseMs) => {
      const opened = await memory.openLease(engine, leaseMs);
      if (renew === undefined) return opened;
      return { ...opened, lease: { ...opened.lease, renew: () => renew(stage)(asked++) } };
    },
  });
  const clock = new Clock(() => stage.time.now);
  const tenure = await openTenure(stage.world(store), clock);
  let isOver = false;
  void tenure.ended.then(() => {
    isOver = true;
  });
  return { stage, tenure, clock, ended: () => isOver };
}

it("renews for as long as it is renewed, and keeps PostgreSQL's time", async () => {
  const { stage, tenure, clock, ended } = await given();
  await stage.wait(120_000);
  assert.deepEqual([tenure.alive(), ended(), clock.now()], [true, false, EPOCH + 120_000]);
});

it("ends at once when its row is found fenced, or its session breaks", async () => {
  const fenced = await given(() => async () => null);
  await fenced.stage.wait(3_001);
  assert.deepEqual([fenced.tenure.alive(), fenced.ended()], [false, true]);
  const broken = await given();
  broken.stage.memory.breakLease(broken.tenure.engine);
  await broken.stage.settle();
  assert.deepEqual([broken.tenure.alive(), broken.ended()], [false, true]);
});

it("outlives a store that does not answer for a while, but not the lease: counted from when the last renewal was sent", async () => {
  const slow = await given((stage) => async (asked) => {
    if (asked === 0) return stage.time.sleep(2_000).then(() => EPOCH + stage.time.now);
    throw new Error("connection lost");
  });
  await slow.stage.wait(17_999);
  assert.equal(slow.tenure.alive(), true);
  await slow.stage.wait(2);
  assert.deepEqual([slow.tenure.alive(), slow.ended()], [false, true]);
});

it("does not come back when the answer to a renewal comes after the end", async () => {
  const late = await given((stage) => () => stage.time.sleep(20_000).then(() => EPOCH + stage.time.now));
  await late.stage.wait(60_000);
  assert.deepEqual([late.tenure.alive(), late.ended()], [false, true]);
});

it("after a sleep past its end it renews nothing, and gives its row up, so that the next engine need not wait", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  let renewals = 0;
  const store = withCalls(memory, {
    openLease: async (engine, leaseMs) => {
      const { lease, at } = await memory.openLease(engine, leaseMs);
      const renew = (): Promise<number | null> => {
        renewals += 1;
        return lease.renew();
      };
      return { at, lease: { ...lease, renew } };
    },
  });
  let sleptMs = 0;
  const world = { ...stage.world(store), monotonic: () => stage.time.now + sleptMs };
  const tenure = await openTenure(world, new Clock(world.monotonic));
  await stage.wait(1_000);
  sleptMs = 20_000;
  await stage.wait(3_000);
  assert.deepEqual([tenure.alive(), renewals, stage.memory.isFenced(tenure.engine)], [false, 0, true]);
});

it("a release is no loss", async () => {
  const { stage, tenure, ended } = await given();
  await tenure.release();
  await stage.wait(30_000);
  assert.deepEqual([tenure.alive(), ended()], [false, false]);
});
