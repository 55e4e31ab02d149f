// What a cluster stands on: PostgreSQL, Redis, a provider with its ledger, and the secrets that an operator makes. Then its processes.
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSealKeys, openLog, openStops, type Stops } from "@woml/boot";
import { mintKey } from "@woml/control";
import { openCopy } from "@woml/platform/testing";
import { Client } from "pg";
import { type Ledger, startLedger } from "../support/ledger.ts";
import { freePort } from "../support/port.ts";
import { startRedis, type TestRedis } from "../support/redis.ts";
import { woml } from "../support/woml.ts";
import { type ClusterNode, type NodeOptions, openNode } from "./node.ts";

type Role = NodeOptions["role"];
export type Counts = Readonly<Record<Role, number>>;
export const USUAL: Counts = { control: 2, engine: 3, sandbox: 2, "plugin-host": 2 };

export interface Cluster {
  readonly folder: string;
  readonly nodes: readonly ClusterNode[];
  /** GraphQL of each control. */
  readonly urls: readonly string[];
  readonly admin: string;
  readonly redis: TestRedis;
  readonly ledger: Ledger;
  /** The owner's session. */
  readonly direct: Client;
  /** Texts that may stand in no log, span or metric. */
  readonly secrets: readonly string[];
  /** All that its processes have written. */
  logs(): string;
  /** SIGTERM to all; exit codes by name. */
  stopAll(): Promise<Readonly<Record<string, number | null>>>;
  close(): Promise<void>;
}
export interface ClusterOptions {
  readonly counts?: Counts;
  /** Added to the environment of every process of a role. */
  readonly env?: Partial<Readonly<Record<Role, Readonly<Record<string, string>>>>>;
}

/** The provider's own, a secret of the tenant. */
export const API_KEY: string = `k-${randomBytes(12).toString("hex")}`;

/** A short lease, so that a killed engine's runs are not waited for longer than a run of the suite may take. */
const LEASE = { WOML_LEASE_MS: "3000", WOML_CLOCK_BOUND_MS: "100" };

export async function openCluster({ counts = USUAL, env = {} }: ClusterOptions = {}): Promise<Cluster> {
  const stops = openStops(openLog("cluster", "error"));
  try {
    return await open(counts, env, stops);
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

async function open(counts: Counts, extra: NonNullable<ClusterOptions["env"]>, stops: Stops): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "woml-cluster-"));
  stops.add("folder", () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const [postgres, redis, ledger] = await Promise.all([
    openCopy(join(folder, "postgres")),
    startRedis(folder),
    startLedger(folder, API_KEY),
  ]);
  stops.add("postgres", () => postgres.stop());
  stops.add("redis", () => redis.stop());
  stops.add("ledger", () => ledger.stop());
  const made = secretsFor(postgres.url);
  const { code, stdout, stderr } = await woml(folder, ["migrate"], { env: { ...made.migrate, WOML_LOG: "warn" } });
  if (code !== 0) throw new Error(`migrate ended with ${code}: ${stdout}${stderr}`);
  const places = await placesFor(counts);
  const nodes = places.map(({ role, name, listen, health }): ClusterNode => {
    const state = join(folder, name);
    mkdirSync(state, { mode: 0o700 });
    const found = { WOML_SANDBOXES: listOf(places, "sandbox"), WOML_PLUGIN_HOSTS: listOf(places, "plugin-host") };
    const own = { WOML_HEALTH_LISTEN: health, WOML_LISTEN: listen, WOML_LOG: "warn", WOML_GRACE_MS: "10000", WOML_STATE_DIR: state };
    const redisUrl = { WOML_REDIS_URL: redis.url };
    const roles = {
      control: { ...made.control, ...redisUrl },
      engine: { ...made.engine, ...redisUrl, ...found, ...LEASE },
      sandbox: made.sandbox,
      "plugin-host": { ...made["plugin-host"], WOML_PRIVATE_HOSTS: new URL(ledger.url).host },
    };
    const node = openNode({ role, name, log: join(folder, `${name}.log`), env: { ...own, ...roles[role], ...extra[role] } });
    stops.add(name, () => node.retire());
    return node;
  });
  await Promise.all(nodes.map((node) => node.start()));
  const direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  stops.add("direct", () => direct.end());
  return {
    ...{ folder, nodes, redis, ledger, direct, admin: made.admin, secrets: made.hidden },
    urls: places.filter(({ role }) => role === "control").map(({ listen }) => `http://${listen}/graphql`),
    logs: () => nodes.map(({ name }) => readFileSync(join(folder, `${name}.log`), "utf8")).join("\n"),
    stopAll: async () => Object.fromEntries(await Promise.all(nodes.map(async (node) => [node.name, await node.stop()] as const))),
    close: () => stops.stop(),
  };
}

interface Spot {
  readonly role: Role;
  readonly name: string;
  readonly listen: string;
  readonly health: string;
}

async function placesFor(counts: Counts): Promise<readonly Spot[]> {
  const spots: Spot[] = [];
  for (const [role, count] of Object.entries(counts) as [Role, number][])
    for (let n = 1; n <= count; n++) {
      const [listen, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
      spots.push({ role, name: `${role}-${n}`, listen, health });
    }
  return spots;
}

const listOf = (spots: readonly Spot[], of: Role): string => spots.flatMap(({ role, listen }) => (role === of ? [listen] : [])).join(",");

/** As an operator makes them; each process is given what its role needs and no more. */
function secretsFor(ownerUrl: string) {
  const word = (): string => randomBytes(24).toString("base64url");
  const [control, engine, scripts, plugins, admin] = [word(), word(), word(), word(), mintKey().text];
  const lines = { sandbox: { WOML_SANDBOX_LINE_SECRET: scripts }, "plugin-host": { WOML_PLUGIN_HOST_LINE_SECRET: plugins } };
  const seal = makeSealKeys();
  const as = (user: string, password: string): string => Object.assign(new URL(ownerUrl), { username: user, password }).href;
  const [controlUrl, engineUrl] = [as("woml_control", control), as("woml_engine", engine)];
  return {
    admin,
    hidden: [API_KEY, control, engine, scripts, plugins, admin, seal.privateKey, new URL(ownerUrl).password],
    ...lines,
    migrate: { WOML_DATABASE_URL: ownerUrl, WOML_CONTROL_DATABASE_URL: controlUrl, WOML_ENGINE_DATABASE_URL: engineUrl },
    control: { WOML_DATABASE_URL: controlUrl, WOML_SEAL_PUBLIC_KEY: seal.publicKey, WOML_BOOTSTRAP_ADMIN_KEY: admin },
    engine: { WOML_DATABASE_URL: engineUrl, WOML_SEAL_PRIVATE_KEY: seal.privateKey, ...lines.sandbox, ...lines["plugin-host"] },
  };
}
