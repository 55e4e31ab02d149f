// A tenant whose quotas are small, and two engines over a real PostgreSQL: runs with a back-off, with approvals and with children, many more than there are places.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryDoorbell, noTelemetry, openLog } from "@woml/boot";
import { accept, canonical, type Definition } from "@woml/model";
import { openMigrated } from "@woml/platform/testing";
import { type ControlStore, openControlStore, openEngineStore, prepareRoles, type RunRow, type TenantScope } from "@woml/prisma";
import { asRunId, asTenantId, type RunId } from "@woml/run";
import type { ScriptOutcome } from "@woml/sandbox";
import { realWorld, startEngine } from "../../index.ts";
import { hostDouble } from "../plugin-double.ts";
import { type SandboxDouble, sandboxDouble } from "../sandbox-double.ts";
import { chain, digest, ok, step, threw } from "../stage.ts";
import type { Talk } from "../talk-double.ts";

const TENANT = asTenantId(randomUUID());
const PLACES = 7;
const STARTS_PER_SECOND = 9;
const OF_EACH = 50;

/** First attempts that threw, each of which gave its place to others for a while. */
let thrown = 0;
/** Of both engines; one whose script was dropped, because it waits, runs none. */
const sandboxes: SandboxDouble[] = [];
let mostScripts = 0;

async function play(node: string, attempt: number, talk: Talk): Promise<ScriptOutcome> {
  if (node === "patient" && attempt === 1) {
    thrown += 1;
    return threw;
  }
  if (node !== "parent") {
    await sleep(20);
    return ok(node);
  }
  const told = await talk.call("workflows.call", { id: "child", payload: {} }, "child");
  return told.ok ? ok(told.value) : { ...threw, failure: { name: "Error", message: told.code, stack: "" } };
}

function openSandbox(): SandboxDouble {
  const sandbox = sandboxDouble(
    ({ script, attempt }, talk) => {
      const running = sandboxes.reduce((sum, one) => sum + one.running, 0);
      mostScripts = Math.max(mostScripts, running);
      const { number }: { number: number } = JSON.parse(attempt);
      return play(script.file.split("/").at(-1) ?? "", number, talk);
    },
    (ms) => sleep(ms),
  );
  sandboxes.push(sandbox);
  return sandbox;
}

const retry = (maxAttempts: number, delayMs: number) => ({ retry: { maxAttempts, backoff: { kind: "fixed" as const, delayMs } } });
const DEFINITIONS: Readonly<Record<string, Partial<Definition>>> = {
  plain: chain("plain"),
  patient: chain(step("patient", retry(2, 700))),
  child: { ...chain("child"), triggers: [] },
  parent: {
    ...chain(step("parent", { script: { source: "parent", calls: ["workflows.call"] }, ...retry(10, 3_000) })),
    uses: [{ alias: "workflows", capability: "workflows", range: "*" }],
  },
  asking: {
    ...chain("before"),
    nodes: [step("before"), { kind: "approval", id: "ask", choice: "ask:end" }, step("paid"), { kind: "choice", id: "ask:end" }],
    edges: [
      { from: "before", to: "ask" },
      { from: "ask", to: "paid", arm: "approved" },
      { from: "paid", to: "ask:end" },
      { from: "ask", to: "ask:end", arm: "rejected" },
    ],
    result: "ask",
  } as unknown as Partial<Definition>,
};

async function publish(control: ControlStore, id: string): Promise<string> {
  const accepted = accept({ ...DEFINITIONS[id], workflow: { id } });
  if ("violations" in accepted) throw new Error(JSON.stringify(accepted.violations));
  const definition = canonical(accepted.definition);
  const hash = digest(definition);
  await control.withTenant(TENANT, async (scope) => {
    await scope.publish({ workflow: id, hash, definition, source: [], sourceMap: {} });
    await scope.activate(id, hash, []);
  });
  return hash;
}

async function open(t: TestContext): Promise<{ readonly control: ControlStore; readonly engine: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "woml-quota-"));
  const postgres = await openMigrated(join(folder, "postgres"));
  const urls = await prepareRoles(postgres.url, { control: randomUUID(), engine: randomUUID() });
  const control = await openControlStore(urls.control);
  const stops: (() => Promise<void>)[] = [];
  t.after(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await control.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await control.createTenant({ id: TENANT, name: "small" }, { id: randomUUID(), digest: Buffer.alloc(32), scopes: ["tenant"] });
  const log = openLog("engine", "error");
  return {
    control,
    engine: async () => {
      const store = await openEngineStore(urls.engine);
      const world = { ...realWorld, store, sandbox: openSandbox(), plugins: hostDouble(() => Date.now()), doorbell: memoryDoorbell(), log };
      const engine = await startEngine({ ...world, telemetry: noTelemetry, unseal: () => "" });
      stops.push(async () => {
        await engine.stop();
        await store.close();
      });
    },
  };
}

const rows = (scope: TenantScope, workflow: string): Promise<readonly RunRow[]> =>
  scope.runs({ workflow, status: null, label: null }, { first: 1_000, after: null }).then(({ items }) => items);

interface Seen {
  /** Runs that have succeeded, and those that hold a place. */
  readonly ended: number;
  readonly active: number;
  /** Starts of this second. */
  readonly started: number;
}
/** Says yes to each approval that waits. */
async function look(control: ControlStore, decided: Set<RunId>): Promise<Seen> {
  const [all, lanes, quotas] = await control.withTenant(TENANT, async (scope) => [
    (await Promise.all(Object.keys(DEFINITIONS).map((workflow) => rows(scope, workflow)))).flat(),
    await scope.lanes(null),
    await scope.quotas(),
  ]);
  for (const { id, waitingFor } of all) {
    if (waitingFor?.cause !== "approval" || decided.has(id)) continue;
    decided.add(id);
    const body = { kind: "resolve_approval", node: "ask", decision: "approved", by: "k" } as const;
    await control.submit(TENANT, { id: randomUUID(), run: id, scope: `approval:${id}`, key: "ask", digest: "yes", body });
  }
  for (const { status, workflow, id } of all) assert.ok(status !== "failed", `${workflow} ${id}`);
  const active = lanes.find(({ kind }) => kind === "tenant")?.active ?? -1;
  const started = quotas.find(({ name }) => name === "starts_per_second")?.used ?? 0;
  return { ended: all.filter(({ status }) => status === "succeeded").length, active, started };
}

test("200 runs and their children come to an end, and at no time more of them are active than the quota says, nor begin within a second", async (t) => {
  const { control, engine } = await open(t);
  const versions = new Map<string, string>();
  for (const id of Object.keys(DEFINITIONS)) versions.set(id, await publish(control, id));
  await control.asAdmin((scope) => scope.setQuota(TENANT, "active_runs", PLACES));
  const asked = ["plain", "patient", "asking", "parent"].flatMap((workflow) => Array.from({ length: OF_EACH }, () => workflow));
  await Promise.all(
    asked.map((workflow) => {
      const version = versions.get(workflow) ?? "";
      const body = { kind: "start", workflow, version, trigger: { kind: "manual", id: "go" }, payload: {}, labels: [] };
      return control.submit(TENANT, { id: randomUUID(), run: asRunId(realWorld.mint()), scope: "start", key: null, digest: version, body });
    }),
  );
  // From now on it is engines alone that start something: what parents call.
  await control.asAdmin((scope) => scope.setQuota(TENANT, "starts_per_second", STARTS_PER_SECOND));
  await Promise.all([engine(), engine()]);
  const decided = new Set<RunId>();
  const until = performance.now() + 300_000;
  let [most, mostStarted, ended] = [0, 0, 0];
  while (ended < OF_EACH * 5) {
    const seen = await look(control, decided);
    most = Math.max(most, seen.active);
    mostStarted = Math.max(mostStarted, seen.started);
    assert.ok(seen.active <= PLACES && seen.started <= STARTS_PER_SECOND, JSON.stringify(seen));
    assert.ok(performance.now() < until, `${seen.ended} of ${OF_EACH * 5} have ended`);
    ended = seen.ended;
    await sleep(50);
  }
  assert.deepEqual([ended, decided.size, thrown, (await look(control, decided)).active], [OF_EACH * 5, OF_EACH, OF_EACH, 0]);
  assert.ok(mostStarted > 0 && most > PLACES / 2 && mostScripts <= PLACES, `${most} held a place at once, ${mostScripts} scripts ran`);
  const children = await control.withTenant(TENANT, (scope) => rows(scope, "child"));
  assert.equal(children.length, OF_EACH, "each parent has one child, however often it had to ask");
});
