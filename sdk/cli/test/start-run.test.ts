import assert from "node:assert/strict";
import { test } from "node:test";
import { platform, refusal } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const RUN = { id: "run_2", workflow: "w", version: "v", status: "QUEUED", labels: [], waiting: null, createdAt: "", endedAt: null };
const UNTIL = "2026-12-24T17:00:00.000Z";

test("runs start: what is given is asked for, and the run is told", async (t) => {
  const { place, asked } = await platform(t, { startRun: { run: RUN, duplicate: false } });
  const folder = folderWith(t, { "p.json": '{"n":2}' });
  const more = ["--payload-file", "p.json", "--of", "ver_1", "--trigger", "go", "--idempotency-key", "k", "--labels", "a", "b"];
  const said = await womlHere(t, folder, ["runs", "start", "w", ...more, ...place]);
  assert.deepEqual([said.code, said.stdout, said.stderr], [0, "run_2  w  queued\n", ""]);
  const all = { version: "ver_1", trigger: "go", idempotencyKey: "k", labels: ["a", "b"] };
  assert.deepEqual(asked.at(-1)?.variables.input, { workflow: "w", payload: { n: 2 }, ...all });
  await womlHere(t, folder, ["runs", "start", "w", ...place]);
  assert.deepEqual(asked.at(-1)?.variables.input, { workflow: "w", payload: {} });
});

test("runs start --at says when it starts, and what the platform refuses by its code", async (t) => {
  const run = { ...RUN, waiting: { cause: "start_at", until: UNTIL } };
  const { place, asked } = await platform(t, { startRun: { run, duplicate: true } });
  const said = await womlHere(t, folderWith(t, {}), [
    "runs",
    "start",
    "w",
    "--at",
    "2026-12-24T18:00:00+01:00",
    "--idempotency-key",
    "k",
    ...place,
  ]);
  assert.deepEqual(asked.at(-1)?.variables.input, {
    workflow: "w",
    payload: {},
    idempotencyKey: "k",
    startAt: "2026-12-24T18:00:00+01:00",
  });
  assert.match(said.stderr, /^k was used before.*\nIt starts at 2026-12-24T17:00:00.000Z/);
  const late = await platform(t, { startRun: refusal("WOML_START_AT_INVALID", "startAt is past") });
  const refused = await womlHere(t, folderWith(t, {}), ["runs", "start", "w", "--at", "2020-01-01T00:00Z", ...late.place]);
  assert.deepEqual([refused.code, refused.stderr], [1, "WOML_START_AT_INVALID: startAt is past\n"]);
});
