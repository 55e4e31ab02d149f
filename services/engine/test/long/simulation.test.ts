import assert from "node:assert/strict";
import { it } from "node:test";
import { play } from "../simulation/play.ts";
import { Tally } from "../simulation/tally.ts";

const SEEDS = 500;
/** Failing seeds told of before it gives up. */
const SHOWN = 3;
const one = process.env["WOML_SEED"];
const seeds = one === undefined ? Array.from({ length: SEEDS }, (_, n) => n + 1) : [Number(one)];
const tally = new Tally();

it(`whatever fails, every run comes to its end as its log says, and no effect is doubled (${seeds.length} seeds)`, async () => {
  const failed: string[] = [];
  for (const seed of seeds) {
    if (failed.length >= SHOWN) break;
    const fault = await play(seed, tally);
    if (fault !== null) failed.push(fault);
  }
  assert.deepEqual(failed, []);
});

it("has come by every kind of point", { skip: one === undefined ? false : "one seed alone" }, (test) => {
  test.diagnostic(`\n${tally}`);
  assert.deepEqual(tally.missed, []);
});
