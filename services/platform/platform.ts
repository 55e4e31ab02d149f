import { type Log, memoryDoorbell, noTelemetry, openStops, type Stops, type Telemetry, unseal } from "@woml/boot";
import type { Otlp } from "@woml/boot/otel";
import { startControl } from "@woml/control";
import { type Engine, type EngineOptions, realWorld, startEngine, type World } from "@woml/engine";
import { type Card, openCard, type Pids } from "./connection.ts";
import { type Folder, openFolder } from "./folder.ts";
import { keep, type Part } from "./keep.ts";
import { ensureKeys } from "./keys.ts";
import { clearLeftovers } from "./leftover.ts";
import { takeLock } from "./lock.ts";
import { ensurePlugins, openPlugins } from "./plugins.ts";
import { tryPort } from "./port.ts";
import { openPostgres, type Postgres } from "./postgres.ts";
import { Refusal } from "./refusal.ts";
import { openSandbox } from "./sandbox.ts";
import { ensureSealKeys } from "./seal.ts";
import { openStores, type Stores } from "./stores.ts";

export interface PlatformOptions {
  /** The data folder; made where it is missing. */
  readonly data: string;
  /** On 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** The owner's URL of a PostgreSQL of one's own: then none is started. */
  readonly databaseUrl?: string | undefined;
  /** `host:port` of private places that plugins may reach; none unless an operator names them. */
  readonly privateHosts?: readonly string[];
  readonly engine?: EngineOptions;
  /** Where spans and metrics go; without it none are made. */
  readonly otlp?: Otlp | undefined;
  readonly log: Log;
  /** Aborted, an unfinished start is undone and rejects. */
  readonly signal?: AbortSignal | undefined;
}
export interface Platform {
  readonly graphql: string;
  readonly tenant: string;
  readonly key: string;
  readonly admin: string;
  /** As they are now: a part that ended by itself is started again under another. */
  readonly pids: Pids;
  /** Control first, the lock last. Never rejects. */
  stop(): Promise<void>;
}

/** The all-in-one process: PostgreSQL, control, engine and sandbox over one data folder. Rejects with a Refusal, having undone its start. */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const stops = openStops(options.log);
  try {
    return await start(options, stops);
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

async function start(options: PlatformOptions, stops: Stops): Promise<Platform> {
  const { log } = options;
  const folder = openFolder(options.data);
  stops.add("lock", takeLock(folder));
  const telemetry = await openTraces(options, stops);
  const left = await clearLeftovers(folder);
  if (left.length > 0) log.warn({ pids: left }, "ended what a killed platform had left running");
  await tryPort(options.port);
  const card = openCard(folder);
  stops.add("connection", card.remove);
  const sandbox = openSandbox(folder, log, (pid) => card.set("sandbox", pid));
  sandbox.catch(() => {});
  stops.add("sandbox", async () => (await sandbox.catch(() => null))?.stop());
  const { promise: opened, resolve: storesOpened } = Promise.withResolvers<Stores>();
  let engineNow = (): number | null => null;
  const plugins = openPlugins({
    ...{ folder, log, otlp: options.otlp },
    privateHosts: options.privateHosts ?? [],
    store: async () => (await opened).engine,
    now: () => engineNow(),
    started: (pid) => card.set("plugins", pid),
  });
  plugins.catch(() => {});
  stops.add("plugins", async () => (await plugins.catch(() => null))?.stop());
  const seal = ensureSealKeys(folder);
  const ownerUrl = options.databaseUrl ?? (await embedded(folder, options, stops, card));
  proceed(options);
  const stores = await openStores(ownerUrl, log, telemetry);
  storesOpened(stores);
  stops.add("stores", async () => void (await Promise.all([stores.engine.close(), stores.control.close(), stores.triggers.close()])));
  const keys = await ensureKeys(stores.control, folder);
  await ensurePlugins(stores.control, keys.tenant, log);
  proceed(options);
  const doorbell = memoryDoorbell();
  const world: World = {
    ...realWorld,
    ...{ store: stores.engine, triggers: stores.triggers, doorbell, log, telemetry },
    ...{ sandbox: (await sandbox).door, plugins: (await plugins).door },
    unseal: (of, sealed) => unseal(seal.privateKey, of, sealed),
  };
  const known = (now: () => number): void => {
    engineNow = now;
  };
  const engine = await keep({ name: "engine", start: () => enginePart(world, options.engine), log, started: (part) => known(part.now) });
  stops.add("engine", engine.stop);
  const control = await startControl({
    ...{ store: stores.control, doorbell, log, telemetry, sealKey: seal.publicKey },
    ...{ host: "127.0.0.1", port: options.port },
  });
  stops.add("control", control.stop);
  proceed(options);
  card.show({ url: ownerUrl, graphql: control.url });
  return {
    graphql: control.url,
    ...keys,
    get pids() {
      return card.pids();
    },
    stop: stops.stop,
  };
}

/** OpenTelemetry is loaded only where somebody listens. */
async function openTraces({ otlp, log }: PlatformOptions, stops: Stops): Promise<Telemetry> {
  if (otlp === undefined) return noTelemetry;
  const { openTelemetry } = await import("@woml/boot/otel");
  const telemetry = openTelemetry({ service: "woml-platform", otlp, log });
  stops.add("telemetry", telemetry.close);
  return telemetry;
}

/** One that ends by itself comes back at the same port, so that the stores find it again. */
async function embedded(folder: Folder, { log }: PlatformOptions, stops: Stops, card: Card): Promise<string> {
  let port = 0;
  const start = async (): Promise<Postgres> => {
    const postgres = await openPostgres(folder.postgres, port);
    port = Number(new URL(postgres.url).port);
    return postgres;
  };
  const postgres = await keep({ name: "postgres", start, log, started: ({ pid }) => card.set("postgres", pid) });
  stops.add("postgres", postgres.stop);
  return postgres.current().url;
}

/** An engine that lost its lease dispatches nothing any more; another takes over, under an id of its own. */
async function enginePart(world: World, options?: EngineOptions): Promise<Part & Pick<Engine, "now">> {
  const engine = await startEngine(world, options);
  return { exited: engine.ended, now: () => engine.now(), stop: () => engine.stop() };
}

function proceed({ signal }: PlatformOptions): void {
  if (signal?.aborted) throw new Refusal("WOML_START_INTERRUPTED", "The start was interrupted.");
}
