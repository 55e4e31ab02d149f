import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { play } from "../simulation/play.ts";
import { Tally } from "../simulation/tally.ts";

const SEEDS = 2_000;
/** So many have a time limit of their own. */
const PART = 500;
/** Failing seeds of a part told of before it gives up. */
const SHOWN = 3;
const one = process.env["WOML_SEED"];
const seeds = one === undefined ? Array.from({ length: SEEDS }, (_, n) => n + 1) : [Number(one)];
const tally = new Tally();

describe(`whatever fails, every run comes to its end as its log says, and no effect is doubled (${seeds.length} seeds)`, () => {
  for (let from = 0; from < seeds.length; from += PART)
    it(`seeds from ${seeds[from]}`, async () => {
      const failed: string[] = [];
      for (const seed of seeds.slice(from, from + PART)) {
        if (failed.length >= SHOWN) break;
        const fault = await play(seed, tally);
        if (fault !== null) failed.push(fault);
      }
      assert.deepEqual(failed, []);
    });
});

it("has come by every kind of point", { skip: one === undefined ? false : "one seed alone" }, (test) => {
  test.diagnostic(`\n${tally}`);
  assert.deepEqual(tally.missed, []);
});
