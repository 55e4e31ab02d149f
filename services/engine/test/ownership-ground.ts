import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { accept, canonical } from "@woml/model";
import { openMigrated } from "@woml/platform/testing";
import { type ControlStore, openControlStore, prepareRoles, type RunRow } from "@woml/prisma";
import { asRunId, asTenantId, type RunEvent, type RunId } from "@woml/run";
import { type EngineOptions, realWorld } from "../index.ts";
import { chain, digest } from "./stage.ts";

interface Appending {
  readonly run: string;
  readonly epoch: number;
  readonly engine: string;
  readonly expected: number;
  readonly events: readonly string[];
}
/** What an engine's process says. */
export type Said =
  | ({ readonly says: "intent" } & Appending)
  | ({ readonly says: "moved" } & Appending)
  | ({ readonly says: "refused" } & Appending)
  | { readonly says: "read"; readonly rows: number }
  | { readonly says: "frame"; readonly run: string; readonly frame: string }
  | { readonly says: "started"; readonly engine: string }
  | { readonly says: "fault"; readonly fault: string | null }
  | { readonly says: "lost ring" }
  | { readonly says: "ended" };
type Heard<S extends Said["says"] = Said["says"]> = Extract<Said, { readonly says: S }> & { readonly at: number };

const TENANT = asTenantId(randomUUID());
const PROGRAM = join(import.meta.dirname, "ownership-process.ts");

/** An engine's process, and all it has said. */
export class EngineProcess {
  readonly heard: Heard[] = [];
  readonly #process: ChildProcess;

  constructor(asked: { readonly url: string; readonly redis: string | null; readonly options: EngineOptions }) {
    const args = ["--disable-warning=ExperimentalWarning", PROGRAM, JSON.stringify(asked)];
    const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    createInterface(started.stdout).on("line", (line) => void this.heard.push({ ...JSON.parse(line), at: performance.now() }));
    this.#process = started;
  }
  said<S extends Said["says"]>(...words: readonly S[]): readonly Heard<S>[] {
    return this.heard.filter((one): one is Heard<S> => words.some((word) => word === one.says));
  }
  get engine(): string {
    return this.said("started")[0]?.engine ?? "";
  }
  /** Until it has neither written nor sent for a while: it is in the middle of no turn. */
  async rests(): Promise<void> {
    const done = (): number => this.said("intent", "moved", "refused", "frame").length;
    for (let before = -1; before < done(); await sleep(200)) before = done();
  }
  get isGone(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }
  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }
  async end(name: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.isGone) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGCONT");
    this.#process.kill(name);
    await exited;
  }
}

/** PostgreSQL, a tenant, a workflow of three steps, and engines in processes. */
export class Ground {
  readonly engines: EngineProcess[] = [];
  readonly #control: ControlStore;
  readonly #url: string;
  readonly #version: string;
  readonly #close: () => Promise<void>;

  private constructor(parts: { control: ControlStore; url: string; version: string; close: () => Promise<void> }) {
    this.#control = parts.control;
    this.#url = parts.url;
    this.#version = parts.version;
    this.#close = parts.close;
  }

  static async open(): Promise<Ground> {
    const folder = mkdtempSync(join(tmpdir(), "woml-ownership-"));
    const postgres = await openMigrated(join(folder, "postgres"));
    const urls = await prepareRoles(postgres.url, { control: randomUUID(), engine: randomUUID() });
    const control = await openControlStore(urls.control);
    await control.createTenant({ id: TENANT, name: "ownership" }, { id: randomUUID(), digest: Buffer.alloc(32), scopes: ["tenant"] });
    const version = await publish(control);
    const close = async (): Promise<void> => {
      await control.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    return new Ground({ control, url: urls.engine, version, close });
  }

  /** Resolves when they all have their leases. */
  async start(
    count: number,
    { redis = null, options = {} }: { redis?: string | null; options?: EngineOptions } = {},
  ): Promise<readonly EngineProcess[]> {
    const started = Array.from({ length: count }, () => new EngineProcess({ url: this.#url, redis, options }));
    this.engines.push(...started);
    await until("the engines are there", () => started.every(({ engine }) => engine !== ""), 30_000);
    return started;
  }

  /** Asks for runs of three steps, each of which takes so long, and rings as control does. */
  async ask(count: number, ms: number, ring: () => void = () => undefined): Promise<readonly RunId[]> {
    const runs = Array.from({ length: count }, () => asRunId(realWorld.mint()));
    const trigger = { kind: "manual", id: "go" };
    await Promise.all(
      runs.map(async (run) => {
        const body = { kind: "start", workflow: "w", version: this.#version, trigger, payload: { run, ms }, labels: [] };
        await this.#control.submit(TENANT, { id: randomUUID(), run, scope: "start", key: null, digest: this.#version, body });
        ring();
      }),
    );
    return runs;
  }
  async cancel(run: RunId): Promise<void> {
    await this.#control.submit(TENANT, {
      id: randomUUID(),
      run,
      scope: `cancel:${run}`,
      key: "cancel",
      digest: "x",
      body: { kind: "cancel" },
    });
  }
  row(run: RunId): Promise<RunRow | null> {
    return this.#control.withTenant(TENANT, (scope) => scope.run(run));
  }
  async log(run: RunId): Promise<readonly RunEvent[]> {
    const [events = []] = await this.#control.withTenant(TENANT, (scope) =>
      scope.events([{ run, after: 0, limit: 1_000, maxBytes: 1_000_000 }]),
    );
    return events;
  }

  /** Waits until they have all succeeded. */
  async ends(runs: readonly RunId[], mostMs = 60_000): Promise<void> {
    const left = new Set(runs);
    const look = async (): Promise<boolean> => {
      for (const run of left) {
        if ((await this.row(run))?.status !== "succeeded") return false;
        left.delete(run);
      }
      return true;
    };
    await until(`${runs.length} runs end`, look, mostMs);
  }

  /**
   * No two engines advanced one run: each stretch of its log was written by one engine under one epoch, epochs grow along the log, and an epoch
   * is one engine's. What a killed engine did not live to tell is taken from what it meant to write.
   */
  async assertOneAuthority(runs: readonly RunId[]): Promise<void> {
    const said = this.engines.flatMap((engine) => engine.said("intent", "moved"));
    const byRun = Map.groupBy(said, ({ run }) => run);
    const owners = new Map<string, string>();
    for (const run of runs) {
      const all = byRun.get(run) ?? [];
      const log = await this.log(run);
      const moved = all.filter(({ says }) => says === "moved");
      let epoch = 0;
      for (let head = 0; head < log.length; ) {
        const told = moved.filter(({ expected }) => expected === head);
        assert.ok(told.length <= 1, `${run}: two appends moved it from ${head}`);
        const wrote = told[0] ?? all.find((one) => one.expected === head && one.epoch >= epoch && matches(one, log, head));
        assert.ok(wrote, `${run}: nobody wrote what follows ${head}`);
        assert.ok(matches(wrote, log, head), `${run}: ${head} is not what was written`);
        assert.ok(wrote.epoch >= epoch, `${run}: epoch ${wrote.epoch} after ${epoch}`);
        const name = `${run} ${wrote.epoch}`;
        assert.equal(owners.get(name) ?? wrote.engine, wrote.engine, `${run}: two engines under epoch ${wrote.epoch}`);
        owners.set(name, wrote.engine);
        epoch = wrote.epoch;
        head += wrote.events.length;
      }
    }
  }

  async endEngines(): Promise<void> {
    await Promise.all(this.engines.splice(0).map((engine) => engine.end("SIGKILL")));
  }
  async close(): Promise<void> {
    await this.endEngines();
    await this.#close();
  }
}

function matches({ events }: Appending, log: readonly RunEvent[], head: number): boolean {
  return events.every((type, at) => log[head + at]?.type === type);
}

async function publish(control: ControlStore): Promise<string> {
  const accepted = accept(chain("a", "b", "c"));
  if ("violations" in accepted) throw new Error(JSON.stringify(accepted.violations));
  const definition = canonical(accepted.definition);
  const hash = digest(definition);
  await control.withTenant(TENANT, async (scope) => {
    await scope.publish({ workflow: "w", hash, definition, source: [], sourceMap: {} });
    await scope.activate("w", hash, []);
  });
  return hash;
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>, mostMs = 10_000): Promise<void> {
  const end = performance.now() + mostMs;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `not within ${mostMs} ms: ${what}`);
    await sleep(20);
  }
}
