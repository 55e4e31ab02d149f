import assert from "node:assert/strict";
import { test } from "node:test";
import { platform } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const none = { code: null, source: null, run: null, bodyDigest: null, secret: null, detail: null };
const ALL = [
  {
    ...none,
    id: "d2",
    workflow: "shop",
    trigger: "in",
    kind: "webhook",
    outcome: "accepted",
    count: 1,
    at: "2026-12-01T00:00:01.000Z",
    run: "run_1",
  },
  {
    ...{ ...none, id: "d1", workflow: "shop", trigger: "in", kind: "webhook", outcome: "refused", count: 7 },
    ...{ at: "2026-12-01T00:00:00.000Z", code: "WOML_TRIGGER_UNAUTHORIZED", detail: { reason: "bearer_missing" } },
  },
  {
    ...{ ...none, id: "d0", workflow: "shop", trigger: "poll", kind: "interval", outcome: "missed", count: 3, run: "run_0" },
    ...{ at: "2026-11-30T00:00:00.000Z", code: "WOML_TRIGGER_SLOTS_MISSED", detail: { done: "run-once" } },
  },
];
const page = { edges: ALL.map((node) => ({ node })), pageInfo: { hasNextPage: false, endCursor: null } };

test("deliveries: what came to a trigger, and what became of it", async (t) => {
  const { place, asked } = await platform(t, { deliveries: page });
  const said = await womlHere(t, folderWith(t, {}), ["triggers", "deliveries", "shop", "in", "--first", "2", ...place]);
  assert.equal(said.code, 0, said.stderr);
  assert.deepEqual(
    said.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
    [
      ["DELIVERY", "AT", "TRIGGER", "OUTCOME", "COUNT", "RUN, OR WHY NOT"],
      ["d2", "2026-12-01T00:00:01.000Z", "in", "accepted", "1", "run_1"],
      ["d1", "2026-12-01T00:00:00.000Z", "in", "refused", "7", "WOML_TRIGGER_UNAUTHORIZED (bearer_missing)"],
      ["d0", "2026-11-30T00:00:00.000Z", "poll", "missed", "3", "WOML_TRIGGER_SLOTS_MISSED run_0"],
    ],
  );
  assert.deepEqual(asked[0]?.variables, { first: 2, workflow: "shop", trigger: "in" });
  const json = await womlHere(t, folderWith(t, {}), ["triggers", "deliveries", "-o", "json", ...place]);
  assert.deepEqual(JSON.parse(json.stdout), ALL);
  assert.deepEqual(asked[1]?.variables, { first: 20 });
});

test("redeliver: another run, and the delivery that asks for it", async (t) => {
  const { place, asked } = await platform(t, { redeliver: { run: { id: "run_2" }, delivery: { ...ALL[0], id: "d3" } } });
  const said = await womlHere(t, folderWith(t, {}), ["triggers", "redeliver", "d2", ...place]);
  assert.deepEqual([said.code, said.stdout.trim()], [0, "run_2  asked for by d3"]);
  assert.deepEqual(asked[0]?.variables, { input: { delivery: "d2" } });
});

test("how many is a number of 1 to 100", async (t) => {
  const { place } = await platform(t, {});
  for (const first of ["0", "101", "x"])
    assert.equal((await womlHere(t, folderWith(t, {}), ["triggers", "deliveries", "--first", first, ...place])).code, 2, first);
});
