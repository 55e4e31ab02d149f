// Real processes: PostgreSQL behind a proxy, the provider with its ledger, one sandbox and one plugin host that outlive the engines, control,
// and each engine a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { memoryDoorbell, noTelemetry, openLog, openStops } from "@woml/boot";
import { manifestOf } from "@woml/capability";
import { mintKey, startControl } from "@woml/control";
import { openMigrated } from "@woml/platform/testing";
import { startPluginHost } from "@woml/plugin-host";
import { openControlStore, prepareRoles } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { startSupervisor } from "@woml/sandbox";
import { Client } from "pg";
import { type FaultProxy, openProxy } from "../support/proxy.ts";
import { type Api, openApi } from "./api.ts";
import { type EngineProcess, spawnEngine } from "./engine-process.ts";
import { type Offered, offer } from "./offer.ts";
import type { CaseCount, Plan } from "./plan.ts";
import { bank } from "./plugin.ts";

/** As short as a busy machine of two cores keeps. */
export const LEASE_MS = 1_500;
const CLOCK_BOUND_MS = 100;
/** As many scripts at once as there are runs of a pair, and some. */
const WORKERS = { workers: 16, workersPerTenant: 12, spares: 2 };
const PLATFORM = asTenantId("00000000-0000-0000-0000-000000000000");

interface Bank {
  readonly port: number;
  plan(cases: Readonly<Record<string, Partial<Plan>>>): Promise<void>;
  letGo(cases: readonly string[]): Promise<void>;
  /** Breaks the connections of what is held. */
  lose(cases: readonly string[]): Promise<void>;
  counts(): Promise<Readonly<Record<string, CaseCount>>>;
  /** The ledger's lines of a case, as they are on the disk. */
  lines(name: string): number;
}
export interface Stage {
  readonly api: Api;
  readonly offered: Offered;
  readonly bank: Bank;
  readonly proxy: FaultProxy;
  /** To the database itself. */
  readonly direct: Client;
  readonly sandbox: number;
  pluginHost(): number;
  /** Starts another plugin host in the place of one that was killed. */
  reviveHost(): Promise<void>;
  /** The one that drives; replaced when it is killed. */
  engine(): EngineProcess;
  /** Opens the spare one, as whatever keeps engines would, and prepares another. */
  relieve(): void;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const stops = openStops(openLog("matrix", "error"));
  try {
    return await open(stops);
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

async function open(stops: ReturnType<typeof openStops>): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "woml-matrix-"));
  stops.add("folder", async () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const ledger = join(folder, "ledger");
  const [postgres, provider, sandbox] = await Promise.all([
    openMigrated(join(folder, "postgres")),
    startBank(ledger),
    startSupervisor({ socket: join(folder, "s"), pool: WORKERS }),
  ]);
  stops.add("postgres", () => postgres.stop());
  stops.add("bank", () => provider.stop());
  stops.add("sandbox", () => sandbox.stop());
  // What is killed here on purpose need not be told.
  const options = { privateHosts: [`127.0.0.1:${provider.bank.port}`], logLevel: "error" as const };
  const socket = join(folder, "p");
  let host = await startPluginHost({ socket, options });
  stops.add("plugin host", () => host.stop());
  const passwords = { control: randomUUID(), engine: randomUUID() };
  const urls = await prepareRoles(postgres.url, passwords);
  const proxy = await openProxy(urls.engine);
  stops.add("proxy", () => proxy.close());
  const direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  stops.add("direct", () => direct.end());
  const settings = {
    ...{ storeUrl: proxy.url, sandbox: sandbox.socket, plugins: socket, logLevel: "fatal" as const },
    options: { leaseMs: LEASE_MS, clockBoundMs: CLOCK_BOUND_MS },
  };
  const engines = [spawnEngine(settings), spawnEngine(settings)];
  stops.add("engines", async () => void (await Promise.all(engines.map((engine) => engine.kill()))));
  const { api, admin, tenant } = await openControl(urls.control, stops, () => engines.at(-2));
  const offered = await offer(api, { admin, tenant, port: provider.bank.port, manifest: manifestOf(bank(provider.bank.port)) });
  engines[0]?.open();
  return {
    ...{ api, offered, bank: provider.bank, proxy, direct, sandbox: sandbox.pid },
    pluginHost: () => host.pid,
    reviveHost: async () => {
      host = await startPluginHost({ socket, options });
    },
    engine: () => engines.at(-2) ?? spawnEngine(settings),
    relieve: () => {
      engines.at(-1)?.open();
      engines.push(spawnEngine(settings));
    },
    close: () => stops.stop(),
  };
}

async function openControl(url: string, stops: ReturnType<typeof openStops>, driving: () => EngineProcess | undefined) {
  const store = await openControlStore(url);
  stops.add("control store", () => store.close());
  const [own, admin] = [mintKey(), mintKey()];
  const tenant = asTenantId(randomUUID());
  await store.createTenant({ id: tenant, name: "matrix" }, { id: own.id, digest: own.digest, scopes: ["tenant"] });
  await store.addKey({ tenant: PLATFORM, id: admin.id, digest: admin.digest, scopes: ["admin"] });
  const doorbell = { ...memoryDoorbell(), ring: () => driving()?.ring() };
  const log = openLog("control", "error");
  const control = await startControl({ store, doorbell, log, telemetry: noTelemetry, sealKey: "", host: "127.0.0.1", port: 0 });
  stops.add("control", () => control.stop());
  return { api: openApi(control.url, own.text), admin: admin.text, tenant };
}

async function startBank(ledger: string): Promise<{ readonly bank: Bank; stop(): Promise<void> }> {
  const argv = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "provider.ts"), ledger];
  const child: ChildProcess = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  if (child.stdout === null) throw new Error("no stdout");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { port } = JSON.parse(String(line)) as { readonly port: number };
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${port}/${path}`, post)).json();
  };
  const bank: Bank = {
    port,
    plan: async (cases) => void (await ask("plan", cases)),
    letGo: async (cases) => void (await ask("let-go", cases)),
    lose: async (cases) => void (await ask("lose", cases)),
    counts: async () => (await ask("counts")) as Readonly<Record<string, CaseCount>>,
    lines: (name) =>
      readFileSync(ledger, "utf8")
        .split("\n")
        .filter((entry) => entry.includes(`"case":${JSON.stringify(name)},`)).length,
  };
  const stop = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.stdin?.end();
    await gone;
  };
  return { bank, stop };
}
