import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { killChildren } from "../support/cpu.ts";
import { chain, publish, scratch, start, up } from "../support/platform.ts";
import { openDatabase, STRIKE_MS, strike, untilEnded } from "./cells.ts";

/** `npm run crash` strikes every cell; here every fifth, of both kinds, so that each run of the tests has some. */
const FIFTH = 5;

test("PC-26: statements of a 3-step run, withheld or unanswered, then kill -9: nothing is lost and nothing is doubled (every fifth cell)", async (t) => {
  const { cells, hit } = await strike(t, (place) => place % FIFTH === 0);
  t.diagnostic(`${hit} of ${cells} cells struck; npm run crash strikes all`);
  assert.equal(hit, Math.ceil(cells / FIFTH));
});

/** Time stands still within a turn of a script: it waits, and is in its worker as long. */
const SLOW = "await new Promise((resolve) => setTimeout(resolve, 1_500)); return attempt.number;";

async function lostIn(direct: Client): Promise<readonly string[]> {
  const { rows } = await direct.query("SELECT data->>'lost' AS lost FROM run_event WHERE type = 'attempt_resumed' ORDER BY at, run, seq");
  return rows.map((row) => row.lost);
}

async function untilStarted(direct: Client, runs: number): Promise<void> {
  for (const end = Date.now() + STRIKE_MS; Date.now() < end; await sleep(10)) {
    const { rows } = await direct.query("SELECT count(*)::int AS n FROM run_event WHERE type = 'step_started'");
    if (rows[0].n >= runs) return void (await sleep(200));
  }
  throw new Error("no step started");
}

test("kill -9 of the worker, of the supervisor and of everything, each in mid-script: the attempt runs again and ends once", async (t) => {
  const folder = scratch(t);
  const { direct } = await openDatabase(t, join(folder, "elsewhere"));
  const url = `postgres://${direct.user}:${direct.password}@${direct.host}:${direct.port}/${direct.database}`;
  const env = { WOML_DATABASE_URL: url };
  let platform = await up(t, join(folder, "platform"), env);
  await publish(platform, chain("slow", { only: SLOW }));
  const kills = [
    () => void killChildren(platform.pids["sandbox"] ?? 0),
    () => void process.kill(platform.pids["sandbox"] ?? 0, "SIGKILL"),
    async () => {
      await platform.kill();
      platform = await up(t, join(folder, "platform"), env);
    },
  ];
  for (const [i, kill] of kills.entries()) {
    await start(platform, { workflow: "slow" });
    await untilStarted(direct, i + 1);
    await kill();
    await untilEnded(direct, i + 1);
  }
  assert.deepEqual(await lostIn(direct), ["worker", "host", "engine"]);
  const { rows } = await direct.query("SELECT count(*)::int AS n FROM run_event WHERE type = 'step_succeeded'");
  assert.equal(rows[0].n, 3);
});
