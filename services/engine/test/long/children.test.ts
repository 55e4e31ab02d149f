// Engines in processes that are killed again and again, while runs of theirs call other runs and count in state, over a real PostgreSQL.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { accept, canonical, type Definition } from "@woml/model";
import { openMigrated } from "@woml/platform/testing";
import { type ControlStore, openControlStore, prepareRoles } from "@woml/prisma";
import { asRunId, asTenantId, type RunId } from "@woml/run";
import { realWorld } from "../../index.ts";
import { chain, digest, step } from "../stage.ts";

const TENANT = asTenantId(randomUUID());
const PROGRAM = join(import.meta.dirname, "..", "children-process.ts");
const RUNS = 30;
const KILLS = 10;

async function engine(url: string): Promise<ChildProcess> {
  const started = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", PROGRAM, JSON.stringify({ url })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(started, "exit").then(() => Promise.reject(new Error("an engine ended before it was there")));
  await Promise.race([once(createInterface(started.stdout), "line"), ended]);
  ended.catch(() => {});
  return started;
}
async function kill(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exited = once(process, "exit");
  process.kill("SIGKILL");
  await exited;
}
async function publish(control: ControlStore, id: "parent" | "child"): Promise<string> {
  const calls = ["state.increment", "workflows.call"];
  const uses = ["state", "workflows"].map((alias) => ({ alias, capability: alias, range: "*" }));
  const triggers: Definition["triggers"] = id === "child" ? [] : [{ id: "go", kind: "manual" }];
  const accepted = accept({ ...chain(step(id, { script: { source: id, calls } })), workflow: { id }, triggers, uses });
  if ("violations" in accepted) throw new Error(JSON.stringify(accepted.violations));
  const definition = canonical(accepted.definition);
  const hash = digest(definition);
  await control.withTenant(TENANT, async (scope) => {
    await scope.publish({ workflow: id, hash, definition, source: [], sourceMap: {} });
    await scope.activate(id, hash, []);
  });
  return hash;
}

test("engines die at any moment: every call has one run, every answer arrives, every count is made once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "woml-children-"));
  const postgres = await openMigrated(join(folder, "postgres"));
  const urls = await prepareRoles(postgres.url, { control: randomUUID(), engine: randomUUID() });
  const control = await openControlStore(urls.control);
  let engines: ChildProcess[] = [];
  t.after(async () => {
    await Promise.all(engines.map(kill));
    await control.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await control.createTenant({ id: TENANT, name: "family" }, { id: randomUUID(), digest: Buffer.alloc(32), scopes: ["tenant"] });
  await publish(control, "child");
  const version = await publish(control, "parent");
  engines = await Promise.all([engine(urls.engine), engine(urls.engine)]);
  const runs: readonly RunId[] = Array.from({ length: RUNS }, () => asRunId(realWorld.mint()));
  const ask = async (run: RunId): Promise<void> => {
    const body = { kind: "start", workflow: "parent", version, trigger: { kind: "manual", id: "go" }, payload: { run }, labels: [] };
    await control.submit(TENANT, { id: randomUUID(), run, scope: "start", key: null, digest: version, body });
  };
  for (let n = 0; n < KILLS; n++) {
    await Promise.all(runs.slice((n * RUNS) / KILLS, ((n + 1) * RUNS) / KILLS).map(ask));
    await sleep(100 + Math.random() * 500);
    const [victim, survivor] = n % 2 === 0 ? engines : engines.toReversed();
    if (victim) await kill(victim);
    engines = [...(survivor ? [survivor] : []), await engine(urls.engine)];
  }
  const results = await ends(control, runs);
  const sorted = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);
  const all = Array.from({ length: RUNS }, (_, i) => i + 1);
  assert.deepEqual(sorted(results.map(({ child }) => child)), all);
  assert.deepEqual(sorted(results.map(({ parents }) => parents)), all);
  const filter = { workflow: "child", status: null, label: null };
  const children = await control.withTenant(TENANT, (scope) => scope.runs(filter, { first: 1_000, after: null }));
  assert.deepEqual([children.items.length, new Set(children.items.map(({ status }) => status))], [RUNS, new Set(["succeeded"])]);
});

interface Result {
  readonly child: number;
  readonly parents: number;
}

const whole = (control: ControlStore, run: RunId): Promise<unknown> =>
  control.withTenant(TENANT, async (scope) => [
    await scope.run(run),
    await scope.events([{ run, after: 0, limit: 1_000, maxBytes: 1_000_000 }]),
  ]);

async function ends(control: ControlStore, runs: readonly RunId[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  const until = performance.now() + 60_000;
  for (const run of runs) {
    for (;;) {
      const ends = await control.withTenant(TENANT, (scope) => scope.ends([run]));
      const last = ends.get(run)?.at(-1);
      if (last?.type === "run_succeeded") {
        results.push(last.data.result as unknown as Result);
        break;
      }
      assert.ok(last?.type !== "run_failed", JSON.stringify(last?.data));
      if (performance.now() >= until) assert.fail(`${run} does not end: ${JSON.stringify(await whole(control, run))}`);
      await sleep(50);
    }
  }
  return results;
}
