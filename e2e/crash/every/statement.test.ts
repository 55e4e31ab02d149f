// `npm run crash`: the whole table, cell by cell.
import assert from "node:assert/strict";
import { test } from "node:test";
import { strike } from "../cells.ts";

test("each statement of a 3-step run, withheld or unanswered, then kill -9: nothing is lost and nothing is doubled", async (t) => {
  const { cells, hit } = await strike(t, () => true);
  t.diagnostic(`${hit} of ${cells} cells hit`);
  assert.equal(hit, cells);
});
