// What starts runs on a platform that runs: an interval by its slots, old versions and none, as the command line changes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { field, publish, upForFile } from "../support/platform.ts";
import { woml } from "../support/woml.ts";

const { platform, folder } = await upForFile();
const LIMIT_MS = 30_000;

const ticking = (n: number): string =>
  `<woml><workflow id="ticking"><triggers><manual id="go"/><interval id="tick" every="1s"/></triggers>
    <steps><step id="s"><script>return { n: ${n}, at: context.payload.scheduledAt ?? null };</script></step></steps></workflow></woml>`;
const LIST = `query ($workflow: ID) { runs(workflow: $workflow, first: 100) { edges { node { id version status result } } } }`;

interface Listed {
  readonly version: string;
  readonly status: string;
  readonly result: { readonly n: number; readonly at: string | null } | null;
}
/** Oldest first. */
async function runsOf(workflow: string): Promise<readonly Listed[]> {
  const { edges } = field<{ edges: { node: Listed }[] }>(await platform.ask(LIST, { workflow }), "runs");
  return edges.map(({ node }) => node).toReversed();
}
async function until(seen: (runs: readonly Listed[]) => boolean): Promise<readonly Listed[]> {
  for (const began = Date.now(); ; await sleep(100)) {
    const runs = await runsOf("ticking");
    if (seen(runs)) return runs;
    if (Date.now() - began > LIMIT_MS) throw new Error(`not seen: ${JSON.stringify(runs)}`);
  }
}
const slotsOf = (runs: readonly Listed[]): readonly number[] =>
  runs.flatMap(({ result }) => (result === null || result.at === null ? [] : [Date.parse(result.at)])).toSorted((a, b) => a - b);

test("an interval of a second starts a run for each of its slots, once, whichever version is active; deactivated it starts none", async () => {
  const first = await publish(platform, ticking(1));
  await until((runs) => slotsOf(runs).length >= 3);
  const second = await publish(platform, ticking(2));
  await until((runs) => runs.some(({ version, status }) => version === second && status === "SUCCEEDED"));
  const back = await woml(folder, ["workflows", "activate", first]);
  assert.deepEqual([back.code, back.stdout.split(/\s+/).slice(0, 2)], [0, ["ticking", first]]);
  const since = (await runsOf("ticking")).length;
  await until((runs) => runs.slice(since).filter(({ version, status }) => version === first && status === "SUCCEEDED").length >= 2);
  const off = await woml(folder, ["workflows", "deactivate", "ticking", "-o", "json"]);
  assert.deepEqual([off.code, off.json()], [0, { id: "ticking", name: null, active: null }]);
  const runs = await until((all) => all.every(({ status }) => status === "SUCCEEDED"));
  const slots = slotsOf(runs);
  assert.equal(new Set(slots).size, slots.length, "a slot came twice");
  const [start = 0] = slots;
  assert.deepEqual(
    slots,
    slots.map((_, n) => start + n * 1_000),
    "a slot is missing, or stands off the grid",
  );
  await sleep(2_500);
  assert.equal((await runsOf("ticking")).length, runs.length);
  const start404 = await platform.ask('mutation { startRun(input: { workflow: "ticking" }) { duplicate } }');
  assert.equal(start404.errors?.[0]?.extensions?.code, "WOML_WORKFLOW_NOT_ACTIVE");
});

test("woml triggers shows what starts each workflow and when; what is set for a schedule moves its next slot", async () => {
  const nightly = '<manual id="go"/><schedule id="nightly" cron="30 2 * * *" timezone="Europe/London"/>';
  await publish(
    platform,
    `<woml><workflow id="nightly"><triggers>${nightly}</triggers><steps><step id="s"><script>return 1;</script></step></steps></workflow></woml>`,
  );
  const shown = (await woml(folder, ["triggers", "nightly", "-o", "json"])).json();
  assert.deepEqual(
    shown.map(({ id, kind }: { id: string; kind: string }) => [id, kind]),
    [
      ["go", "manual"],
      ["nightly", "schedule"],
    ],
  );
  assert.equal(shown[1].nextFires.length, 5);
  const set = await woml(folder, ["triggers", "set", "nightly", "nightly", "--repeated-hour", "once", "--catch-up", "3", "-o", "yaml"]);
  assert.match(set.stdout, /^setting:\n {2}catchUp: 3\n {2}repeatedHour: once$|^setting:\n {2}repeatedHour: once\n {2}catchUp: 3$/m);
  const refused = await woml(folder, ["triggers", "set", "nightly", "go", "--catch-up", "3"]);
  assert.deepEqual([refused.code, refused.stderr.split(":")[0]], [1, "WOML_TRIGGER_SETTING_INVALID"]);
  const cleared = await woml(folder, ["triggers", "set", "nightly", "nightly", "--clear", "-o", "json"]);
  assert.equal(cleared.json().setting, null);
});
