import assert from "node:assert/strict";
import { test } from "node:test";
import { made } from "./fuzz/made.ts";
import { tally } from "./fuzz/tally.ts";

const SEED = 20_260;
const RUNS = 1_500;
/** The bound is the command's to hold, on a quiet machine (`npm run fuzz`); here what takes many times as long is a fault. */
const GROSS = 10;

test("documents made of others are answered, truly and by what the model accepts", (context) => {
  const { valid, codes, failed, slowest } = tally(SEED, RUNS);
  assert.deepEqual(failed, []);
  assert.ok(slowest && slowest.cost.share < GROSS, JSON.stringify(slowest));
  context.diagnostic(`slowest of seed ${SEED}: ${JSON.stringify(slowest)}`);
  // They reach far into the language.
  assert.ok(valid > RUNS / 20, `${valid} are valid`);
  assert.ok(codes.size > 120, `${codes.size} codes`);
});

test("a seed makes the same documents again", () => {
  assert.deepEqual(made(SEED, 7), made(SEED, 7));
  assert.notEqual(made(SEED, 7).source.text, made(SEED, 8).source.text);
});
