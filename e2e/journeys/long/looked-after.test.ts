// Somebody looks after the platform: what is stored beside the logs is damaged, found, and made anew while the engine goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { chain, publish, runUntil, start, upForFile } from "../../support/platform.ts";
import { woml } from "../../support/woml.ts";

const { platform, folder } = await upForFile();
const patient = `<woml><workflow id="patient"><triggers><manual id="go"/></triggers><steps><step id="never" retry="9" retry-delay="1h"
  retry-max-delay="2h"><script>throw new Error("not yet");</script></step></steps></workflow></woml>`;

async function sql<R extends object>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> {
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  try {
    return (await client.query<R>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
const bare = (id: string): string => id.replace("run_", "");

test("doctor finds what rows and logs do not agree about, rebuild mends it while other runs go on, and then there are 0 findings", async () => {
  await publish(platform, patient);
  await publish(platform, chain("busy", { a: "return 1;", b: "return context.steps.a + 1;" }));
  const waiting = await Promise.all([1, 2, 3].map(() => start(platform, { workflow: "patient" })));
  for (const id of waiting) await runUntil(platform, id, (run) => run.status === "WAITING");
  const sound = await woml(folder, ["doctor"]);
  assert.deepEqual([sound.code, sound.stdout], [0, "0 findings\n"], sound.stderr);

  const [first = "", second = "", third = ""] = waiting;
  await sql("UPDATE run SET status = 'running', next_due = NULL, waiting_for = NULL WHERE id = $1", [bare(first)]);
  await sql("DELETE FROM timer WHERE run = $1", [bare(second)]);
  await sql("UPDATE run SET held = 'store_changed: by hand', held_at = 1 WHERE id = $1", [bare(third)]);
  const sick = await woml(folder, ["doctor", "-o", "json"]);
  assert.equal(sick.code, 1);
  const found = sick.json().findings.map(({ kind, run }: { kind: string; run: string }) => `${kind} ${run}`);
  assert.deepEqual(found.toSorted(), [`DIFFERS ${first}`, `DIFFERS ${second}`, `HELD ${third}`, `MOTIONLESS ${first}`].toSorted());
  assert.deepEqual((await woml(folder, ["doctor", "--verify", "-o", "json"])).json().findings.length, 4);

  const dry = await woml(folder, ["rebuild", "--dry-run"]);
  assert.equal(dry.code, 1);
  assert.match(dry.stdout, /^3 runs: 0 rebuilt, 2 differing, 0 broken; 0 stray timers, 0 lanes and 0 quotas counted anew$/m);

  let isOn = true;
  const busy: string[] = [];
  const working = (async () => {
    while (isOn) {
      busy.push(await start(platform, { workflow: "busy" }));
      await sleep(5);
    }
  })();
  const mended = await woml(folder, ["rebuild", "--free", "-o", "json"]);
  assert.equal(mended.code, 0, mended.stderr);
  const told: readonly { run: string; outcome: string; isFreed: boolean }[] = mended.json().told;
  assert.deepEqual(
    told.map(({ run, outcome, isFreed }) => [run, outcome, isFreed]).toSorted(),
    [
      [first, "rebuilt", false],
      [second, "rebuilt", false],
      [third, "same", true],
    ].toSorted(),
  );
  isOn = false;
  await working;
  for (const id of busy) assert.equal((await runUntil(platform, id, (run) => run.status === "SUCCEEDED")).status, "SUCCEEDED");
  assert.ok(busy.length > 3, `${busy.length} runs went on`);
  const again = await woml(folder, ["rebuild"]);
  assert.match(again.stdout, new RegExp(`^${3 + busy.length} runs: 0 rebuilt, 0 differing, 0 broken`, "m"));
  const verified = await woml(folder, ["verify"]);
  assert.match(verified.stdout, /none differs/);
  assert.deepEqual((await woml(folder, ["doctor", "--verify"])).stdout, "0 findings\n");
  // Freed, it is driven again: its cancel is taken by an engine.
  assert.equal((await woml(folder, ["runs", "cancel", third])).code, 0);
  await runUntil(platform, third, (run) => run.status === "CANCELLED");
});

test("rebuild makes a row anew that is gone, and asks a database by its address too", async () => {
  const id = await start(platform, { workflow: "patient" });
  await runUntil(platform, id, (run) => run.status === "WAITING");
  await sql("DELETE FROM run WHERE id = $1", [bare(id)]);
  assert.match((await woml(folder, ["verify"])).stdout, /there is a log, and no row/);
  const env = { WOML_DATABASE_URL: platform.databaseUrl, WOML_DATABASE_SET_ROLE: "on" };
  const mended = await woml(folder, ["rebuild", "--run", id], { env });
  assert.deepEqual([mended.code, mended.stderr], [0, ""]);
  assert.match(mended.stdout, /rebuilt {2}run: there is a log, and no row\n1 run: 1 rebuilt/);
  assert.equal((await woml(folder, ["runs", "cancel", id])).code, 0);
  await runUntil(platform, id, (run) => run.status === "CANCELLED");
});

test("what cannot be asked for is told in a sentence", async () => {
  const of = async (...args: readonly string[]) => {
    const { code, stderr } = await woml(folder, args);
    return [code, stderr.split(":")[0]];
  };
  assert.deepEqual(await of("rebuild", "--run", "nonsense"), [2, "WOML_CLI_ARGUMENTS_INVALID"]);
  assert.deepEqual(await of("rebuild", "--run", "run_00000000-0000-7000-8000-00000000000f"), [1, "WOML_RUN_NOT_FOUND"]);
  assert.deepEqual(await of("rebuild", "--tenant", "nonsense"), [2, "WOML_CLI_ARGUMENTS_INVALID"]);
  assert.deepEqual(await of("rebuild", "--data", "nowhere"), [1, "WOML_DATABASE_UNAVAILABLE"]);
  assert.deepEqual(await of("doctor", "--data", "nowhere"), [1, "WOML_PLATFORM_NOT_FOUND"]);
});
