import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { PACE } from "../bounds.ts";
import { Pace } from "../pace.ts";

/** A thread on which work takes time, and what it has done in order; `heard` is what comes from outside between two slices. */
function given() {
  let now = 0;
  const done: string[] = [];
  const alarms: (() => void)[] = [];
  const pace = new Pace({
    monotonic: () => now,
    alarm: (_, ring) => {
      alarms.push(ring);
      return () => undefined;
    },
  });
  const work = async (tenant: string, name: string, ms: number): Promise<void> => {
    const waits = pace.turn(tenant);
    if (waits !== null) await waits;
    now += ms;
    done.push(name);
  };
  return {
    ...{ done, alarms, work },
    many: (tenant: string, count: number, ms: number): void => {
      for (let n = 0; n < count; n++) void work(tenant, `${tenant}${n}`, ms);
    },
    pass: (ms: number): void => {
      now += ms;
    },
    heard: async (what: () => void = () => undefined): Promise<void> => {
      what();
      alarms.shift()?.();
      await turn();
    },
  };
}

it("lets go on at once who comes alone, and who comes after a pause, however long the others took", async () => {
  const { work, many, done, alarms, pass } = given();
  for (let n = 0; n < 100; n++) {
    void work("a", "once", PACE.sliceMs * 2);
    await turn();
    pass(PACE.idleMs);
  }
  many("a", 1, 1);
  assert.deepEqual([done.length, alarms.length], [101, 0]);
});

it("hears what has come after each slice, and goes on where it was", async () => {
  const { many, done, alarms, heard } = given();
  many("a", 20, 2);
  await turn();
  const slice = PACE.sliceMs / 2;
  assert.deepEqual([done.length, alarms.length], [slice, 1]);
  for (let slices = 2; done.length < 20; slices++) {
    await heard();
    assert.equal(done.length, Math.min(20, slices * slice));
  }
  await heard();
  assert.deepEqual(
    done,
    Array.from({ length: 20 }, (_, n) => `a${n}`),
  );
});

it("gives one that takes longer than a slice a slice of its own", async () => {
  const { many, done, heard } = given();
  many("a", 5, PACE.sliceMs * 3);
  await turn();
  for (let n = 1; n < 5; n++) {
    assert.equal(done.length, n);
    await heard();
  }
  assert.equal(done.length, 5);
});

it("takes one of each tenant in turn, however many another has waiting", async () => {
  const { many, work, done, heard } = given();
  many("a", 100, 2);
  await turn();
  const before = done.length;
  await heard(() => {
    void work("b", "b0", 1);
    void work("c", "c0", 1);
    void work("b", "b1", 1);
  });
  assert.deepEqual(done.slice(before, before + 6), ["a4", "b0", "c0", "a5", "b1", "a6"]);
});

it("keeps the line for who comes while others wait, though the slice would have room", async () => {
  const { many, work, done, heard } = given();
  many("a", 6, 2);
  await turn();
  void work("a", "late", 1);
  assert.ok(!done.includes("late"));
  await heard();
  assert.deepEqual(done.slice(4), ["a4", "a5", "late"]);
});
