import assert from "node:assert/strict";
import { it } from "node:test";
import { Clock } from "../clock.ts";

it("is PostgreSQL's time, never ahead of it", () => {
  let monotonic = 10.4;
  const clock = new Clock(() => monotonic);
  clock.set(1_000);
  assert.equal(clock.now(), 1_000);
  monotonic = 15.3;
  assert.equal(clock.now(), 1_004);
  clock.raise(1_003);
  assert.equal(clock.now(), 1_004, "an older bound says nothing new");
  clock.raise(1_010);
  assert.equal(clock.now(), 1_010);
  clock.set(990);
  assert.equal(clock.now(), 990, "PostgreSQL's clock was set back");
});
