import assert from "node:assert/strict";
import { test } from "node:test";
import { platform, refusal } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const RUN = { id: "run_2", workflow: "w", version: "v", status: "QUEUED", labels: [], waiting: null, createdAt: "", endedAt: null };

for (const [args, input] of [
  [["--from", "c"], { run: "run_1", from: "c" }],
  [["--from", "c", "--payload", '{"n":1}'], { run: "run_1", from: "c", payload: { n: 1 } }],
  [["--from", "c", "--payload-file", "p.json"], { run: "run_1", from: "c", payload: { n: 2 } }],
  [
    ["--from", "c", "--payload", "{}", "--acknowledge", "b:1:1", "c:1:1"],
    { run: "run_1", from: "c", payload: {}, acknowledgeEffects: ["b:1:1", "c:1:1"] },
  ],
] as const)
  test(`runs resume run_1 ${args.join(" ")}`, async (t) => {
    const { place, asked } = await platform(t, { resumeRun: { run: RUN, duplicate: false } });
    const folder = folderWith(t, { "p.json": '{"n":2}' });
    const said = await womlHere(t, folder, ["runs", "resume", "run_1", ...args, ...place]);
    assert.deepEqual([said.code, said.stdout, said.stderr], [0, "run_2  w  queued\n", ""]);
    assert.deepEqual(asked.at(-1)?.variables.input, input);
  });

test("a run that had been resumed from there is said to be that one", async (t) => {
  const { place } = await platform(t, { resumeRun: { run: RUN, duplicate: true } });
  const said = await womlHere(t, folderWith(t, {}), ["runs", "resume", "run_1", "--from", "c", "-o", "json", ...place]);
  assert.deepEqual([said.code, JSON.parse(said.stdout).id], [0, "run_2"]);
  assert.match(said.stderr, /^run_1 had been resumed from there already/);
});

test("runs rerun run_1, and what is refused is said with its code", async (t) => {
  const { place, asked } = await platform(t, {
    rerun: { run: RUN, duplicate: false },
    resumeRun: refusal("WOML_RESUME_EFFECTS_UNACKNOWLEDGED", "pass their ids: c:1:1"),
  });
  const said = await womlHere(t, folderWith(t, {}), ["runs", "rerun", "run_1", ...place]);
  assert.deepEqual([said.code, said.stdout, asked[0]?.variables.input], [0, "run_2  w  queued\n", { run: "run_1" }]);
  const refused = await womlHere(t, folderWith(t, {}), ["runs", "resume", "run_1", "--from", "c", "--payload", "{}", ...place]);
  assert.deepEqual([refused.code, refused.stderr], [1, "WOML_RESUME_EFFECTS_UNACKNOWLEDGED: pass their ids: c:1:1\n"]);
  const aimless = await womlHere(t, folderWith(t, {}), ["runs", "resume", "run_1", ...place]);
  assert.equal(aimless.code, 2);
});
