// A run at the end of what one run may have: 249,000 events of it are stored as an engine would have, and an engine goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { foldAll, type NewEvent, project, stamp } from "@woml/run";
import { Client } from "pg";
import { ended, field, publish, runUntil, upForFile } from "../../support/platform.ts";
import { woml } from "../../support/woml.ts";

const { platform, folder } = await upForFile();
/** So many attempts of each step have failed. */
const FAILED = 16;
const STEPS = 5_000;
const EVENTS = 250_000;

const step = (n: number): string => `s${String(n).padStart(4, "0")}`;
function definition(): object {
  const nodes = Array.from({ length: STEPS }, (_, n) => ({
    ...{ kind: "step", id: step(n), script: { source: "return 1;", needs: { payload: false, steps: [] } } },
    retry: { maxAttempts: 10, backoff: { kind: "fixed", delayMs: 1 } },
  }));
  const edges = nodes.slice(1).map(({ id }, n) => ({ from: step(n), to: id }));
  const workflow = { id: "long" };
  return { schemaVersion: 1, workflow, triggers: [{ id: "go", kind: "manual" }], nodes, edges, result: step(STEPS - 1) };
}

/** `until` events of a run whose steps each fail often; the last step is running. */
function history(version: string, until: number): readonly NewEvent[] {
  const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no" };
  const events: NewEvent[] = [
    {
      type: "run_admitted",
      data: { workflow: "long", version, trigger: { kind: "manual", id: "go" }, payload: {}, seed: "s", labels: [] },
    },
    { type: "run_started", data: { deadlineAt: null } },
  ];
  for (let n = 0; ; n++) {
    const node = step(n);
    events.push({ type: "step_started", data: { node, attempt: 1 } });
    for (let attempt = 1; attempt <= FAILED; attempt++) {
      if (events.length >= until) return events;
      events.push({ type: "step_failed", data: { node, attempt, failure, cpuMs: 1 } });
      events.push({ type: "step_retry_scheduled", data: { node, attempt: attempt + 1, dueAt: 0 } });
      events.push({ type: "step_started", data: { node, attempt: attempt + 1 } });
    }
    if (events.length >= until) return events;
    events.push({ type: "step_succeeded", data: { node, attempt: FAILED + 1, output: 1, cpuMs: 1 } });
  }
}

async function plant(version: string, run: string, until: number): Promise<number> {
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  const [{ id: tenant } = { id: "" }] = (await client.query<{ id: string }>("SELECT id FROM tenant WHERE name = 'demo'")).rows;
  const at = Date.now();
  const log = stamp(history(version, until), 0, at);
  await client.query("BEGIN");
  for (let from = 0; from < log.length; from += 10_000) {
    const part = log.slice(from, from + 10_000);
    await client.query(
      `INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data)
      SELECT $1, $2, e.seq, e.type, 1, $3, $2, e.data FROM unnest($4::int[], $5::text[], $6::json[]) AS e(seq, type, data)`,
      [tenant, run, at, part.map(({ seq }) => seq), part.map(({ type }) => type), part.map(({ data }) => JSON.stringify(data))],
    );
  }
  const { status, waitingFor, nextDue } = project(foldAll(log));
  await client.query(
    `INSERT INTO run (tenant, id, workflow, version, labels, status, head, at, next_due, waiting_for) VALUES ($1, $2, 'long', $3, '{}', $4, $5, $6, $7, $8)`,
    [tenant, run, version, status, log.length, at, nextDue, JSON.stringify(waitingFor)],
  );
  await client.query("COMMIT");
  await client.end();
  return log.length;
}

const LAST =
  "query ($id: ID!, $after: String) { run(id: $id) { events(first: 100, after: $after) { edges { node { seq type } } pageInfo { hasNextPage endCursor } } } }";

test("PC-22: at the end of its history a run is warned, fails with a reason, and its history is there and folds", {
  timeout: 300_000,
}, async () => {
  const version = (await publish(platform, definition())).replace("ver_", "sha256:");
  const run = "01a22e62-f0aa-7d93-91db-b810bae55c8f";
  const head = await plant(version, run, EVENTS - 1_010);
  const over = await runUntil(platform, `run_${run}`, ended, 120_000);
  assert.equal(over.status, "FAILED");
  assert.equal((over.failure as { code?: string }).code, "WOML_RUN_HISTORY_LIMIT");
  const verified = await woml(folder, ["verify"]);
  assert.match(verified.stdout, /^1 run verified, none differs$/m);
  const { head: all } = field<{ head: number }>(
    await platform.ask("query ($id: ID!) { run(id: $id) { head } }", { id: `run_${run}` }),
    "run",
  );
  assert.ok(all > head && all <= EVENTS, `${head} events became ${all}`);
  const page = await platform.ask(LAST, { id: `run_${run}` });
  assert.equal(page.errors, undefined);
});

test("PC-18: a run of so many events can be cancelled", { timeout: 300_000 }, async () => {
  const version = (await publish(platform, definition())).replace("ver_", "sha256:");
  const run = "01a22e62-f0aa-7d93-91db-b810bae55c90";
  await plant(version, run, EVENTS - 3_000);
  assert.equal((await woml(folder, ["runs", "cancel", `run_${run}`])).code, 0);
  assert.equal((await runUntil(platform, `run_${run}`, ended, 120_000)).status, "CANCELLED");
});
