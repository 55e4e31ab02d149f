import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLog } from "@woml/boot";
import { keep } from "../keep.ts";

const log = openLog("test", "silent");

/** A part whose end the test decides. */
function part(stopped: number[], number: number) {
  const { promise: exited, resolve: end } = Promise.withResolvers<void>();
  return { number, exited, end, stop: async () => void stopped.push(number) };
}

test("a part that ends unasked is started again, also when the first tries fail", async () => {
  const stopped: number[] = [];
  const seen: number[] = [];
  let tries = 0;
  const start = async () => {
    tries += 1;
    if (tries === 2) throw new Error("not yet");
    return part(stopped, tries);
  };
  const kept = await keep({ name: "it", start, log, started: ({ number }) => seen.push(number) });
  kept.current().end();
  while (seen.length < 2) await sleep(10);
  assert.deepEqual(seen, [1, 3]);
  assert.equal(kept.current().number, 3);
  await kept.stop();
  assert.deepEqual(stopped, [3]);
});

test("only the first start may reject", async () => {
  await assert.rejects(keep({ name: "it", start: () => Promise.reject(new Error("no")), log }), /no/);
});

test("nothing is started after a stop, also when the part ends by it or had just ended", async () => {
  const stopped: number[] = [];
  let starts = 0;
  const start = async () => part(stopped, ++starts);
  const kept = await keep({ name: "it", start, log });
  kept.current().end();
  await kept.stop();
  await sleep(200);
  assert.equal(starts, 1);
});

test("a part that could not be told of is stopped and counts as not started: none is left running beside the next", async () => {
  const stopped: number[] = [];
  let starts = 0;
  const start = async () => part(stopped, ++starts);
  const full = (at: readonly number[]) => (one: { readonly number: number }) => {
    if (at.includes(one.number)) throw new Error("ENOSPC: no space left on device");
  };
  await assert.rejects(keep({ name: "it", start, log, started: full([1]) }), /ENOSPC/);
  assert.deepEqual(stopped, [1]);
  const kept = await keep({ name: "it", start, log, started: full([3]) });
  kept.current().end();
  while (kept.current().number < 4) await sleep(10);
  assert.deepEqual(stopped, [1, 3]);
  await kept.stop();
  assert.deepEqual(stopped, [1, 3, 4]);
});
