// The real engine and store in this process, on the ground that every engine has: what steady figures are measured on.
import { memoryDoorbell, noTelemetry, openLog, openStops, type Stops } from "@woml/boot";
import { openTelemetry } from "@woml/boot/otel";
import { appendFigures, realWorld, startEngine } from "@woml/engine";
import type { Json } from "@woml/model";
import { openPluginHost } from "@woml/plugin-host";
import { type Append, type EngineStore, openEngineStore } from "@woml/prisma";
import { parseRunId, type RunId } from "@woml/run";
import { openDoor } from "@woml/sandbox";
import { treeCpuMs } from "../support/cpu.ts";
import { type Apart, openApart } from "./apart.ts";
import { type Floor, openGround } from "./ground.ts";

const ENDED = new Set(["succeeded", "failed", "cancelled"]);

/** When a run was asked, and when its terminal event was known to be stored, by the monotonic clock in ms. */
interface Timed {
  readonly run: RunId;
  readonly askedAt: number;
  readonly endedAt: number;
}
/** How a run is asked for: as a row of the inbox, or of control as anybody does. */
export type Door = "inbox" | "graphql";
export interface Stage {
  /** Publishes a WOML text and answers its hash. */
  publish(text: string): Promise<string>;
  /** Asks for a run; resolves when it has ended well. */
  play(workflow: string, version: string, door?: Door, payload?: Json): Promise<Timed>;
  /** A tenant that nobody else is, whose runs are asked for in a process apart from the engine's: one for all such tenants. */
  neighbour(): Promise<Neighbour>;
  /** From the request's being stored to the start of its first step, by PostgreSQL's clock, ms. */
  startDelayMs(run: RunId): Promise<number>;
  /** Where the tenant's webhooks take deliveries. */
  readonly hooks: string;
  /** When a run, as the API names it, has ended, by the monotonic clock; rejects where it failed. */
  ended(run: string): Promise<number>;
  /** Statements that wrote so far, requests' inserts included. */
  commits(): number;
  cpuMs(): number;
  /** `at` of the run's events, in order, in PostgreSQL's epoch ms. */
  timesOf(run: RunId, type: string): Promise<readonly number[]>;
  readonly floor: Floor;
  readonly layers: readonly string[];
  close(): Promise<void>;
}

interface Neighbour extends Pick<Stage, "publish"> {
  /** Asks for so many runs at once; resolves when all of them are stored. */
  ask(workflow: string, version: string, runs: number): Promise<readonly RunId[]>;
  /** When it has ended, as above. */
  ended(run: RunId): Promise<number>;
}

export async function openStage(): Promise<Stage> {
  const stops = openStops(openLog("bench", "error"));
  try {
    return await open(stops);
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

async function open(stops: Stops): Promise<Stage> {
  const doorbell = memoryDoorbell();
  const log = openLog("bench", "error");
  // To measure what it costs: with a collector named in the environment everything is traced.
  const endpoint = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  const telemetry = endpoint === undefined ? noTelemetry : openTelemetry({ service: "woml-bench", otlp: { endpoint }, log });
  stops.add("telemetry", () => telemetry.close());
  const ground = await openGround({ doorbell, stops, telemetry });
  const engineStore = await openEngineStore(ground.storeUrl, log, { appended: appendFigures(telemetry) });
  stops.add("engine store", () => engineStore.close());
  const sandbox = await openDoor(ground.sandbox.socket);
  stops.add("sandbox door", () => sandbox.close());
  const plugins = await openPluginHost(ground.pluginHost.socket, { release: (digest) => engineStore.release(digest) });
  stops.add("plugin door", () => plugins.close());
  const ends = endings();
  const world = { ...realWorld, store: telling(engineStore, ends.tell), sandbox, plugins, doorbell, unseal, log, telemetry };
  const engine = await startEngine(world);
  stops.add("engine", () => engine.stop());
  let control: Apart | null = null;
  const apart = (): Apart => {
    control ??= openApart(ground.controlUrl, doorbell);
    return control;
  };
  stops.add("control apart", async () => control?.stop());
  const ask = {
    inbox: ground.ask,
    graphql: async (workflow: string, _: string, payload: Json) => runOf((await ground.api.startRun({ workflow, payload })).run.id),
  };
  return {
    publish: ground.publish,
    play: async (workflow, version, door = "inbox", payload = {}) => {
      const askedAt = performance.now();
      const run = await ask[door](workflow, version, payload);
      const endedAt = await ends.of(run);
      return { run, askedAt, endedAt };
    },
    neighbour: async () => {
      const { tenant, publish } = await ground.other();
      const control = apart();
      return { publish, ended: ends.of, ask: (workflow, version, runs) => control.ask({ tenant, workflow, version, runs }) };
    },
    startDelayMs: async (run) => {
      const text = `SELECT e.at - q.created_at AS ms FROM request q JOIN run_event e ON e.run = q.run AND e.type = 'step_started'
        WHERE q.run = $1 AND q.kind = 'start' ORDER BY e.seq LIMIT 1`;
      return Number((await ground.direct.query(text, [run])).rows[0].ms);
    },
    hooks: ground.hooks,
    ended: (run) => ends.of(runOf(run)),
    commits: () => engineStore.commits + ground.commits(),
    cpuMs: () => treeCpuMs([process.pid, ground.sandbox.pid, ground.pluginHost.pid, ground.postgres]),
    timesOf: async (run, type) => {
      const found = await ground.direct.query("SELECT at FROM run_event WHERE run = $1 AND type = $2 ORDER BY seq", [run, type]);
      return found.rows.map((row) => Number(row.at));
    },
    floor: ground.floor,
    layers: sandbox.layers,
    close: () => stops.stop(),
  };
}

function runOf(id: string): RunId {
  const run = parseRunId(id);
  if (run === null) throw new Error(`no id of a run: ${id}`);
  return run;
}

function unseal(): never {
  throw new Error("there are no secrets here");
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

/** When each run ended; it may have before whoever asked for it knows its name. */
function endings() {
  const runs = new Map<string, PromiseWithResolvers<number>>();
  const entry = (run: string): PromiseWithResolvers<number> => {
    const known = runs.get(run) ?? Promise.withResolvers<number>();
    runs.set(run, known);
    return known;
  };
  return {
    tell: ({ run, projection, events }: Append): void => {
      const { promise, resolve, reject } = entry(run);
      promise.catch(() => undefined);
      if (projection.status === "succeeded") resolve(performance.now());
      else reject(new Error(`run ${run} failed: ${JSON.stringify(events.at(-1))}`));
    },
    of: (run: string): Promise<number> => entry(run).promise.finally(() => runs.delete(run)),
  };
}
