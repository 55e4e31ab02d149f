import assert from "node:assert/strict";
import { test } from "node:test";
import { platform } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const held = {
  ...{ kind: "HELD", run: "run_1", tenant: "t1", cause: "no engine drives it: poison" },
  ...{ since: "2026-12-01T10:00:00.000Z", advice: "Free it." },
};
const differs = { ...held, kind: "DIFFERS", cause: "head: stored 1", since: null };
const steering = { ...differs, cause: "a step \u001b[2J" };
const page = (...nodes: readonly object[]) => ({
  edges: nodes.map((node) => ({ node })),
  pageInfo: { hasNextPage: false, endCursor: null },
});

test("doctor says what there is to look at and what to do, and ends with 1; with nothing it says 0 findings", async (t) => {
  const folder = folderWith(t, {});
  const sick = await platform(t, { doctor: { isComplete: false, findings: [held, differs] } });
  assert.deepEqual(await womlHere(t, folder, ["doctor", ...sick.place]), {
    code: 1,
    stdout:
      "run_1  tenant t1  held  no engine drives it: poison, since 2026-12-01T10:00:00.000Z\n  Free it.\n" +
      "run_1  tenant t1  differs  head: stored 1\n  Free it.\n2 findings\n",
    stderr: "There are more than are told: mend these first.\n",
  });
  const hostile = await platform(t, { doctor: { isComplete: true, findings: [steering] } });
  assert.match((await womlHere(t, folder, ["doctor", ...hostile.place])).stdout, /a step \\u001b\[2J/);
  const sound = await platform(t, { doctor: { isComplete: true, findings: [] } });
  assert.deepEqual(await womlHere(t, folder, ["doctor", ...sound.place]), { code: 0, stdout: "0 findings\n", stderr: "" });
});

test("with --verify what differs is found by folding every log, and said once", async (t) => {
  const folder = folderWith(t, {});
  const answers = {
    doctor: { isComplete: true, findings: [held, differs] },
    verify: page(
      { run: "run_1", tenant: "t1", ok: false, differences: ["head: stored 1", "at: stored 2"] },
      { run: "run_2", tenant: "t1", ok: true, differences: [] },
    ),
  };
  const { place, asked } = await platform(t, answers);
  const { code, stdout } = await womlHere(t, folder, ["doctor", "--verify", "-o", "json", ...place]);
  const { findings, isComplete } = JSON.parse(stdout);
  assert.deepEqual([code, isComplete, findings.length], [1, true, 2]);
  assert.deepEqual([findings[1].kind, findings[1].cause], ["DIFFERS", "head: stored 1; at: stored 2"]);
  assert.deepEqual(
    asked.map(({ field }) => field),
    ["doctor", "verify"],
  );
});
