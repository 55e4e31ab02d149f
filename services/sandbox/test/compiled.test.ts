import assert from "node:assert/strict";
import { test } from "node:test";
import { BOUNDS } from "../bounds.ts";
import { Compiled } from "../compiled.ts";

interface Script {
  readonly release: () => void;
}

/** Puts scripts of these lengths, each in an invocation of its own; answers which are still there, and which were released. */
function kept(lengths: readonly number[]): { readonly there: readonly number[]; readonly released: readonly number[] } {
  const compiled = new Compiled<Script>();
  const released: number[] = [];
  for (const [n, chars] of lengths.entries()) {
    compiled.trim();
    compiled.put(`s${n}`, { release: () => void released.push(n) }, chars);
  }
  return { there: lengths.flatMap((_, n) => (compiled.get(`s${n}`) === undefined ? [] : [n])), released };
}

test("the scripts of a thousand steps stay compiled", () => {
  const { there, released } = kept(Array.from({ length: 1_000 }, () => 100));
  assert.equal(there.length, 1_000);
  assert.deepEqual(released, []);
});

test("past the bound the oldest go, each released once", () => {
  const { there, released } = kept(Array.from({ length: 1_026 }, () => 100));
  assert.deepEqual(released, [0, 1]);
  assert.deepEqual([there.length, there[0]], [1_024, 2]);
});

test("of long ones there are as many as their characters allow, and the last one is there however long it is", () => {
  const half = BOUNDS.compiledChars / 2;
  assert.deepEqual(kept([half, half, half, 1]), { there: [1, 2, 3], released: [0] });
  assert.deepEqual(kept([1, 3 * BOUNDS.compiledChars]), { there: [0, 1], released: [] });
  assert.deepEqual(kept([1, 3 * BOUNDS.compiledChars, 1]), { there: [2], released: [0, 1] });
});
