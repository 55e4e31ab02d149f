// What lies under every engine that is measured: PostgreSQL, control, and the supervisors of sandbox and plugin host in processes of their
// own, as on the platform. The plugin `http` is released and granted to the one tenant.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Doorbell, noTelemetry, openLog, type Stops, type Telemetry } from "@woml/boot";
import { manifestOf } from "@woml/capability";
import { type Client as Api, openClient } from "@woml/client";
import { ensureGrant, ensureRelease, mintKey, startControl } from "@woml/control";
import http from "@woml/http";
import type { Json } from "@woml/model";
import { openPostgres } from "@woml/platform/postgres";
import { startPluginHost } from "@woml/plugin-host";
import { type ControlStore, openControlStore, prepareRoles } from "@woml/prisma";
import { migrate } from "@woml/prisma/migrate";
import { asTenantId, parseVersionId, type RunId, type TenantId } from "@woml/run";
import { type PoolOptions, startSupervisor } from "@woml/sandbox";
import { Client } from "pg";
import { asking } from "./ask.ts";

const TENANT = asTenantId(randomUUID());

export interface Ground {
  readonly folder: string;
  /** The engine's own, to the database. */
  readonly storeUrl: string;
  readonly controlUrl: string;
  readonly sandbox: { readonly pid: number; readonly socket: string };
  readonly pluginHost: { readonly pid: number; readonly socket: string };
  readonly postgres: number;
  /** Through GraphQL, as anybody asks; and where that is, with the tenant's key. */
  readonly api: Api;
  readonly graphql: { readonly url: string; readonly key: string };
  /** Where the tenant's webhooks take deliveries. */
  readonly hooks: string;
  /** The owner's session. */
  readonly direct: Client;
  readonly floor: Floor;
  /** Publishes a WOML text and answers its hash. */
  publish(text: string): Promise<string>;
  /** Asks for a run through the inbox. */
  ask(workflow: string, version: string, payload?: Json): Promise<RunId>;
  /** A tenant that nobody else is. */
  other(): Promise<Pick<Ground, "publish"> & { readonly tenant: TenantId }>;
  commits(): number;
}
export interface Floor {
  commitMs(): Promise<number>;
  readonly fsync: string;
}
export interface GroundParts {
  /** Rung at each request. */
  readonly doorbell: Doorbell;
  readonly stops: Stops;
  readonly telemetry?: Telemetry;
  /** `host:port` of this machine that plugins may reach. */
  readonly privateHosts?: readonly string[];
  readonly pool?: Partial<PoolOptions>;
}

export async function openGround({ doorbell, stops, telemetry = noTelemetry, privateHosts = [], pool = {} }: GroundParts): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), "woml-bench-"));
  stops.add("folder", () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const postgres = await openPostgres(join(folder, "postgres"));
  stops.add("postgres", () => postgres.stop());
  await migrate(postgres.url);
  const urls = await prepareRoles(postgres.url, { control: randomUUID(), engine: randomUUID() });
  const sandbox = await startSupervisor({ socket: join(folder, "s"), pool });
  stops.add("sandbox", () => sandbox.stop());
  const pluginHost = await startPluginHost({ socket: join(folder, "p"), options: { privateHosts } });
  stops.add("plugin host", () => pluginHost.stop());
  const store = await openControlStore(urls.control);
  stops.add("control store", () => store.close());
  const { api, graphql } = await openApi(store, { doorbell, telemetry }, stops);
  const direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  stops.add("direct", () => direct.end());
  return {
    ...{
      folder,
      storeUrl: urls.engine,
      controlUrl: urls.control,
      sandbox,
      pluginHost,
      postgres: postgres.pid,
      api,
      graphql,
      direct,
      floor: await floorOf(direct),
    },
    hooks: `${new URL(graphql.url).origin}/t/bench/hooks`,
    publish: (text) => publish(api, text),
    ask: asking({ store, doorbell }, TENANT),
    other: async () => {
      const tenant = asTenantId(randomUUID());
      const { text: key, id, digest } = mintKey();
      await store.createTenant({ id: tenant, name: tenant }, { id, digest, scopes: ["tenant"] });
      return { tenant, publish: (text) => publish(openClient(graphql.url, key), text) };
    },
    commits: () => store.commits,
  };
}

type Around = { readonly doorbell: Doorbell; readonly telemetry: Telemetry };

async function openApi(store: ControlStore, around: Around, stops: Stops): Promise<Pick<Ground, "api" | "graphql">> {
  const { text, id, digest } = mintKey();
  await store.createTenant({ id: TENANT, name: "bench" }, { id, digest, scopes: ["tenant"] });
  const source = readFileSync(fileURLToPath(import.meta.resolve("@woml/http")), "utf8");
  await ensureRelease(store, { manifest: manifestOf(http), artefact: Buffer.from(stripTypeScriptTypes(source)) });
  await ensureGrant(store, TENANT, http.id);
  const log = openLog("control", "error");
  const control = await startControl({ store, ...around, log, sealKey: "", host: "127.0.0.1", port: 0 });
  stops.add("control", () => control.stop());
  return { api: openClient(control.url, text), graphql: { url: control.url, key: text } };
}

async function publish(api: Api, text: string): Promise<string> {
  const { version, diagnostics } = await api.publish({ files: [{ path: "bench.woml", text }] });
  const hash = version === null ? null : parseVersionId(version);
  if (hash === null) throw new Error(JSON.stringify(diagnostics));
  return hash;
}

async function floorOf(direct: Client): Promise<Floor> {
  await direct.query("CREATE TABLE bench_floor (id bigserial PRIMARY KEY)");
  const { rows } = await direct.query("SELECT current_setting('fsync') AS fsync");
  return { commitMs: () => commitMs(direct), fsync: String(rows[0].fsync) };
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
