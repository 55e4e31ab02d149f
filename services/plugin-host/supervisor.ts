import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { type Log, noTelemetry, type Telemetry } from "@woml/boot";
import { isFar, type Listening, listenAt, type Place } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import { Connection, type Room } from "./connection.ts";
import type { Performed } from "./door.ts";
import { Fences } from "./fence.ts";
import type { HostOptions } from "./options.ts";
import { Registry, type Running } from "./registry.ts";
import type { Workshop } from "./workshop.ts";

/** Nobody waits for what is loaded so long after the start, unless an operation came before. */
const LOAD_AFTER_MS = 3_000;
const CANCELLED: Performed = {
  ...{ status: "failed", code: "WOML_PLUGIN_CANCELLED", message: "It was cancelled before the plugin was given it." },
  ...{ retryable: false, evidence: "It was not given to the plugin." },
};
/** What runs when the host is told to end may so long come to its end. */
const STOP_MS = 1_000;
const LOOK_MS = 50;

export interface Supervisor {
  /** Which process this is: engines find what they gave it by this. A UUID. */
  readonly host: string;
  /** Where it is found: the socket's path, or `HOST:PORT` with the port that was taken. */
  readonly address: string;
  /** Operations that run now. */
  running(): number;
  /**
   * Ends in order. Engines are told to choose it for nothing new; what was chosen before is still taken and performed, and who asks for an
   * outcome is answered. It stops when nothing runs, every outcome was heard of and nothing has come for a second, or after `graceMs`.
   */
  drain(graceMs: number): Promise<void>;
  /** Takes nothing more, waits a moment for what runs, ends every process; engines have every outcome, or a second has passed. */
  stop(): Promise<void>;
}
export interface SupervisorOptions {
  readonly place: Place;
  /** Releases are put into a folder of this one before they start; needed where `place` is on the network, on a socket they stand beside it. */
  readonly folder?: string;
  readonly options: HostOptions;
  readonly log: Log;
  readonly telemetry?: Telemetry;
}

/** Listens for engines, needs no parent. Rejects where it cannot listen, or cannot write. */
export async function openSupervisor(given: SupervisorOptions): Promise<Supervisor> {
  const { place, options, log, telemetry = noTelemetry } = given;
  const fences = new Fences();
  let loading: Promise<Workshop> | null = null;
  const workshop = (): Promise<Workshop> => {
    loading ??= import("./workshop.ts").then(({ openWorkshop }) => openWorkshop({ folder, options, fences, log, telemetry }));
    return loading;
  };
  const registry = new Registry({ fences, keptMs: options.keptMs, perform: (running) => begin(running, workshop) });
  const room: Room = { place, host: randomUUID(), workshop, registry, fences, log };
  const open = new Set<Connection>();
  let isDraining = false;
  let isStopping = false;
  const listening = await listenAt(place, {
    took: (stream) => {
      const connection = new Connection(stream, room, (one) => void open.delete(one));
      open.add(connection);
      if (isDraining) connection.drain();
    },
    refused: (count, why) => log.warn({ count, why }, "connections that did not prove the secret in time were turned away"),
  });
  const folder = makeAnew(given, listening);
  const warm = setTimeout(() => void workshop(), LOAD_AFTER_MS);
  const stop = once(async () => {
    isStopping = true;
    clearTimeout(warm);
    listening.close();
    const settled = registry.close();
    await Promise.race([settled, sleep(STOP_MS, undefined, { ref: false })]);
    await (await loading)?.close();
    await settled;
    // Whoever waited for what has just settled sends it now.
    await turn();
    await Promise.all([...open].map((connection) => connection.finish()));
    rmSync(folder, { recursive: true, force: true });
  });
  const drain = async (graceMs: number): Promise<void> => {
    isDraining = true;
    for (const connection of open) connection.drain();
    const until = performance.now() + graceMs;
    while (!isStopping && performance.now() < until && !registry.isQuiet(BOUNDS.quietMs)) await sleep(LOOK_MS);
    await stop();
  };
  return { host: room.host, address: listening.at, running: () => registry.running, drain, stop };
}

/** What is cancelled while the workshop is still being opened is not begun. */
async function begin(running: Running, workshop: () => Promise<Workshop>): Promise<Performed> {
  let isCancelled = false;
  running.cancel = () => {
    isCancelled = true;
  };
  const { perform } = await workshop();
  return isCancelled ? CANCELLED : perform(running);
}

/** One for each address: two hosts of one machine may be told the same folder. What it holds when a host starts was a dead one's. */
function makeAnew({ place, folder }: SupervisorOptions, listening: Listening): string {
  const { at } = listening;
  const own = isFar(place) ? join(folder ?? "", `woml-plugin-host-${at.replaceAll(/[^0-9A-Za-z.]/g, "-")}.releases`) : `${at}.releases`;
  try {
    if (/[*\\]/.test(own) || !isAbsolute(own)) throw new Error(`A plugin host cannot put releases into ${own}.`);
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own, { mode: 0o700 });
    return own;
  } catch (error) {
    listening.close();
    throw error;
  }
}

function once<T>(work: () => T): () => T {
  let done: { readonly value: T } | null = null;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}
