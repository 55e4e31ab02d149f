// The real engine, store and sandbox in one process with PostgreSQL and a supervisor beside it: what the figures are measured on.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryDoorbell, openLog, SHARED } from "@woml/boot";
import { type Engine, realWorld, startEngine } from "@woml/engine";
import { compile } from "@woml/language";
import { canonical } from "@woml/model";
import { openPostgres } from "@woml/platform/postgres";
import { type Append, type ControlStore, type EngineStore, openControlStore, openEngineStore, prepareRoles } from "@woml/prisma";
import { migrate } from "@woml/prisma/migrate";
import { asRunId, asTenantId, type RunId } from "@woml/run";
import { openDoor, startSupervisor } from "@woml/sandbox";
import { Client } from "pg";
import { treeCpuMs } from "../support/cpu.ts";

const TENANT = asTenantId(randomUUID());
const ENDED = new Set(["succeeded", "failed", "cancelled"]);

/** When a run was asked, and when its terminal event was known to be stored, by the monotonic clock in ms. */
interface Timed {
  readonly run: RunId;
  readonly askedAt: number;
  readonly endedAt: number;
}
export interface Stage {
  /** Stores the definition of a WOML text and answers its hash. */
  publish(text: string): Promise<string>;
  /** Asks for a run through the inbox; resolves when it has ended well. */
  play(workflow: string, version: string): Promise<Timed>;
  /** Statements that wrote so far, requests' inserts included. */
  commits(): number;
  cpuMs(): number;
  /** `at` of the run's events, in order, in PostgreSQL's epoch ms. */
  timesOf(run: RunId, type: string): Promise<readonly number[]>;
  readonly floor: { commitMs(): Promise<number>; readonly fsync: string };
  readonly layers: readonly string[];
  close(): Promise<void>;
}

/** Tells of every run that an append has ended. */
function telling(store: EngineStore, ended: (append: Append) => void): EngineStore {
  const told = {
    append: async (wanted: Append) => {
      const moved = await store.append(wanted);
      if (moved !== null && ENDED.has(wanted.projection.status)) ended(wanted);
      return moved;
    },
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "append") return told.append;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "woml-bench-"));
  const postgres = await openPostgres(join(folder, "postgres"));
  await migrate(postgres.url);
  const passwords = { control: randomUUID(), engine: randomUUID() };
  await prepareRoles(postgres.url, passwords);
  const urlOf = (user: string, password: string): string => Object.assign(new URL(postgres.url), { username: user, password }).href;
  const control = await openControlStore(urlOf("woml_control", passwords.control));
  const engineStore = await openEngineStore(urlOf("woml_engine", passwords.engine));
  const supervisor = await startSupervisor({ socket: join(folder, "s") });
  const sandbox = await openDoor(supervisor.socket);
  const doorbell = memoryDoorbell();
  const waiting = new Map<string, (failure: string | null) => void>();
  const store = telling(engineStore, ({ run, projection, events }) => {
    waiting.get(run)?.(projection.status === "succeeded" ? null : JSON.stringify(events.at(-1)));
    waiting.delete(run);
  });
  const engine: Engine = await startEngine({ ...realWorld, store, sandbox, doorbell, log: openLog("bench", "error") });
  await control.createTenant({ id: TENANT, name: "bench" }, { id: "bench000", digest: new Uint8Array(32), scopes: ["tenant"] });
  const direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  await direct.query("CREATE TABLE bench_floor (id bigserial PRIMARY KEY)");
  const { rows } = await direct.query("SELECT current_setting('fsync') AS fsync");
  return {
    publish: (text) => publish(control, text),
    play: async (workflow, version) => {
      const run = asRunId(realWorld.mint());
      const ended = new Promise<string | null>((resolve) => waiting.set(run, resolve));
      const askedAt = performance.now();
      await ask(control, run, workflow, version);
      doorbell.ring(SHARED);
      const failure = await ended;
      if (failure !== null) throw new Error(`a run of ${workflow} failed: ${failure}`);
      return { run, askedAt, endedAt: performance.now() };
    },
    commits: () => engineStore.commits + control.commits,
    cpuMs: () => treeCpuMs([process.pid, supervisor.pid, postgres.pid]),
    timesOf: async (run, type) => {
      const found = await direct.query("SELECT at FROM run_event WHERE run = $1 AND type = $2 ORDER BY seq", [run, type]);
      return found.rows.map((row) => Number(row.at));
    },
    floor: { commitMs: () => commitMs(direct), fsync: String(rows[0].fsync) },
    layers: sandbox.layers,
    close: async () => {
      await engine.stop();
      await sandbox.close();
      await supervisor.stop();
      await Promise.all([direct.end(), control.close(), engineStore.close()]);
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function publish(control: ControlStore, text: string): Promise<string> {
  const { definition, sourceMap, diagnostics } = compile({ path: "bench.woml", text });
  if (definition === null) throw new Error(JSON.stringify(diagnostics));
  const stored = canonical(definition);
  const hash = realWorld.digest(stored);
  const workflow = definition.workflow.id;
  const version = { hash, workflow, definition: stored, source: null, sourceMap: JSON.parse(JSON.stringify(sourceMap)) };
  await control.withTenant(TENANT, (scope) => scope.publish(version, true));
  return hash;
}

async function ask(control: ControlStore, run: RunId, workflow: string, version: string): Promise<void> {
  const trigger = { kind: "manual", id: "go" };
  const body = { kind: "start", workflow, version, trigger, payload: {}, labels: [] };
  const request = { id: realWorld.mint(), run, scope: "start", key: null, digest: version, body };
  await control.submit(TENANT, request);
}

/** The floor under every durable step: the median of single-row insert commits, one after the other. */
async function commitMs(direct: Client): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    const began = performance.now();
    await direct.query("INSERT INTO bench_floor DEFAULT VALUES");
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[100] ?? 0;
}
