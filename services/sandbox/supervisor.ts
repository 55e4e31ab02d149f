import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@woml/boot";
import { isFar, listenAt, type Place, writePreload } from "@woml/child";
import { Connection } from "./connection.ts";
import type { PoolOptions } from "./options.ts";
import { Pool } from "./pool.ts";

export interface Supervisor {
  /** Where it is found: the socket's path, or `HOST:PORT`. */
  readonly at: string;
  /** Process ids of the workers now alive. */
  workers(): readonly number[];
  /** Invocations that wait for a worker. */
  queued(): number;
  /** Why nothing new should be sent here, in words that end a sentence; null when it may be. */
  fault(): string | null;
  /**
   * Ends in order. From now on engines send nothing new; what has not begun is handed back to them, `overloaded`: nothing of it has run. What
   * runs may take `graceMs` to come to its end. Then it is as `stop`.
   */
  drain(graceMs: number): Promise<void>;
  /** Whatever runs is `host_unavailable`, what has not begun `overloaded`. Resolves when every worker has ended and engines have every outcome, or a second has passed. */
  stop(): Promise<void>;
}
export interface SupervisorOptions {
  readonly place: Place;
  /** What workers are served is kept here, in a folder of its own; on a Unix socket it stands beside that. By default the system's folder. */
  readonly folder?: string;
  readonly pool: PoolOptions;
  readonly log: Log;
  /** No worker can be started on this machine. */
  readonly hopeless: (why: string) => void;
}

/** Listens for engines, needs no parent. Resolves once it listens; workers may still be starting. */
export async function openSupervisor({ place, folder, pool: poolOptions, log, hopeless }: SupervisorOptions): Promise<Supervisor> {
  const preload = preloadAt(place, folder);
  writePreload(import.meta.dirname, preload.path);
  const pool = new Pool(preload.path, poolOptions, {
    crashed: (pid, how) => log.warn({ pid, how }, "a worker ended by itself"),
    hopeless: (lastWords) => {
      log.fatal({ lastWords }, "workers do not start");
      hopeless("Workers do not start on this machine.");
    },
  });
  const open = new Set<Connection>();
  let next = 0;
  let isDraining = false;
  const listening = await listenAt(place, {
    took: (stream) => {
      const gone = (): void => void open.delete(connection);
      const connection: Connection = new Connection(stream, { place, pool, log, number: () => String(++next), gone });
      open.add(connection);
      if (isDraining) void connection.drain();
    },
    refused: (count, why) => log.warn({ count, why }, "connections that did not prove the secret in time were turned away"),
  }).catch(async (error: unknown) => {
    await pool.close();
    preload.remove();
    throw error;
  });
  const stop = async (): Promise<void> => {
    listening.close();
    const ended = pool.close();
    await Promise.all([...open].map((connection) => connection.finish()));
    await ended;
    preload.remove();
  };
  return {
    at: listening.at,
    workers: () => pool.pids,
    queued: () => pool.queued,
    fault: () => (isDraining ? "it is about to end" : pool.wasReady ? null : "no worker has started yet"),
    stop,
    drain: async (graceMs) => {
      isDraining = true;
      listening.close();
      const quiet = [...open].map((connection) => connection.drain());
      const enough = new AbortController();
      const grace = sleep(graceMs, undefined, { signal: enough.signal }).catch(() => undefined);
      await Promise.race([Promise.all([pool.drain(), ...quiet]), grace]);
      enough.abort();
      await stop();
    },
  };
}

/** Nobody else may write to what workers load. */
function preloadAt(place: Place, folder = tmpdir()): { readonly path: string; readonly remove: () => void } {
  if (!isFar(place)) {
    const path = `${place.socket}.preload.mjs`;
    return { path, remove: () => rmSync(path, { force: true }) };
  }
  if (/[*\\]/.test(folder)) throw new Error(`The sandbox's folder holds an asterisk or a backslash: ${folder}`);
  const own = mkdtempSync(join(folder, "woml-sandbox-"));
  return { path: join(own, "preload.mjs"), remove: () => rmSync(own, { recursive: true, force: true }) };
}
