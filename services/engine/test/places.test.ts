import assert from "node:assert/strict";
import { it } from "node:test";
import { placesOf } from "../places.ts";

it("reads where scripts stand", () => {
  const place = placesOf("orders", { file: "orders.woml", scripts: { load: { line: 7, column: 3 } } });
  assert.deepEqual(place("load"), { file: "orders.woml", line: 7, column: 3 });
});

const start = { file: "orders/load", line: 1, column: 1 };
for (const [what, map] of Object.entries({
  "no map": null,
  "no such script": { file: "orders.woml", scripts: {} },
  "a map without a file": { scripts: { load: { line: 7, column: 3 } } },
  "a line that is none": { file: "orders.woml", scripts: { load: { line: 0, column: 3 } } },
  "a fraction of a column": { file: "orders.woml", scripts: { load: { line: 1, column: 1.5 } } },
  "scripts as a list": { file: "orders.woml", scripts: [{ line: 1, column: 1 }] },
}))
  it(`names workflow and step for ${what}`, () => assert.deepEqual(placesOf("orders", map)("load"), start));
