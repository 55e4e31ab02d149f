import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closest, didYouMean } from "../closest.ts";

/** As few steps as there are, counted the long way. */
function steps(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && i > 1 && j > 1 ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      const row = table[i];
      if (row) row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped);
    }
  }
  return at(a.length, b.length);
}

test("a word that is near is meant, one that is far is not", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 16 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const most = Math.min(4, Math.max(1, Math.floor(a.length / 3)));
      const distance = steps(a, b);
      assert.equal(closest(a, [b]), distance > 0 && distance <= most ? b : null);
    }),
    { numRuns: 2_000 },
  );
});

test("of several the nearest is meant, whatever its case; a word is not its own correction", () => {
  assert.equal(closest("custmer", ["costume", "customer", "custom"]), "customer");
  assert.equal(closest("Step", ["step"]), "step");
  assert.equal(closest("step", ["step"]), null);
  assert.equal(closest("a".repeat(65), ["a".repeat(64)]), null);
  assert.equal(didYouMean("nobody", ["customer"], "Correct the id."), "Correct the id.");
});
