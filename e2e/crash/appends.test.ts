import assert from "node:assert/strict";
import { test } from "node:test";
import { strikeConstructs } from "./appends.ts";

/** `npm run crash` strikes every cell. */
const SEVENTH = 7;

test("appends of a run of each construct, withheld or unanswered, then kill -9 of the engine (every seventh cell)", async (t) => {
  const { cells, hit } = await strikeConstructs(t, (place) => place % SEVENTH === 0);
  t.diagnostic(`${hit} of ${cells} cells hit; npm run crash strikes all`);
  assert.ok(hit >= 7 && hit >= cells / 2, `only ${hit} of ${cells} cells were hit`);
});
