import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Definition, FEATURES, featuresIn } from "@woml/model";
import { placeOf, samples, shown } from "./samples/sample.ts";

test("there is a sample for every part of the language that a definition can hold", () => {
  const held = samples.flatMap((sample) => {
    const { definition }: { definition: Definition | null } = JSON.parse(readFileSync(placeOf(sample), "utf8"));
    return definition ? featuresIn(definition).map(({ feature }) => feature) : [];
  });
  assert.deepEqual(new Set(held), new Set(Object.keys(FEATURES)));
});

for (const sample of samples) {
  test(`${sample}: tree, diagnostics and definition are those that are kept beside it`, () => {
    assert.equal(shown(sample), readFileSync(placeOf(sample), "utf8"));
  });
}
