import assert from "node:assert/strict";
import { test } from "node:test";
import { platform } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const lane = { kind: "WORKFLOW", workflow: "shop", most: 2, queue: null, active: 0, waiting: 0, resuming: 0, holders: [] };
const LANES = [
  { ...lane, rateCount: 3, rateMs: 10_000, queue: "billing" },
  { ...lane, rateCount: 100, rateMs: 5_400_000, most: null },
  {
    ...lane,
    kind: "TENANT",
    workflow: null,
    rateCount: null,
    rateMs: null,
    active: 2,
    holders: [{ run: "run_1", workflow: "a", since: "T" }],
  },
];

test("lanes: limits are said as the document says them", async (t) => {
  const { place } = await platform(t, { lanes: LANES });
  const said = await womlHere(t, folderWith(t, {}), ["lanes", ...place]);
  assert.deepEqual(
    said.stdout
      .trimEnd()
      .split("\n")
      .map((row) => row.trimEnd().split(/ {2,}/)),
    [
      ["LANE", "LIMIT", "RATE", "ACTIVE", "WAITING", "RESUMING", "HELD BY"],
      ["shop (billing)", "2", "3/10s", "0", "0", "0"],
      ["shop", "100/90m", "0", "0", "0"],
      ["the tenant", "2", "2", "0", "0", "run_1 since T and 1 more"],
    ],
  );
  assert.equal(said.code, 0);
});
