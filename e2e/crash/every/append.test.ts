import assert from "node:assert/strict";
import { test } from "node:test";
import { openField, strikeAppends } from "../appends.ts";
import { CONSTRUCTS } from "../constructs.ts";

for (const construct of CONSTRUCTS)
  test(`each append of a run, withheld or unanswered, then kill -9 of the engine: ${construct.name} ends as it would have`, async (t) => {
    const { cells, hit } = await strikeAppends(await openField(t), construct, () => true);
    t.diagnostic(`${hit} of ${cells} cells hit`);
    assert.ok(cells >= 8 && hit >= cells * 0.8, `only ${hit} of ${cells} cells were hit`);
  });
