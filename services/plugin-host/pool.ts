/**
 * Which processes there are: one for each release and tenant that is asked for, within bounds for the machine and for a tenant.
 * 1. No process ever serves two tenants or two releases.
 * 2. Where there is no room, one that nobody uses ends; else the asker hears `overloaded`, at once.
 * 3. What crashes again and again is started less and less often, and whoever asks meanwhile hears `unavailable`; another tenant's or
 *    release's process does not feel it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { BOUNDS } from "./bounds.ts";
import { type Refused, refused } from "./fence.ts";
import { Pauses } from "./pauses.ts";
import { PluginProcess, type ProcessPlace, type StartFault } from "./plugin-process.ts";
import type { Approved } from "./releases.ts";

/** A shorter pause is sat out. */
const PATIENCE_MS = 1_000;
/** How often a process may end between its start and its use before the asker hears of it. */
const TRIES = 3;

export type Unusable = Refused | StartFault;
type Used<T> = T | Unusable;

export class Pool {
  readonly #place: Omit<ProcessPlace, "ended" | "sound">;
  readonly #processes = new Set<PluginProcess>();
  readonly #pauses: Pauses;
  readonly #empty = Promise.withResolvers<void>();
  #closed = false;

  constructor(place: Omit<ProcessPlace, "ended" | "sound">) {
    this.#place = place;
    this.#pauses = new Pauses(place.options.pauseMs);
  }

  get pids(): readonly number[] {
    return [...this.#processes].map(({ pid }) => pid);
  }

  /** Answers what `use` answers, or why there is no process to use. */
  async use<T>(tenant: string, approved: Approved, use: (process: PluginProcess) => Promise<T>): Promise<Used<T>> {
    for (let tries = 0; tries < TRIES; tries++) {
      const process = await this.#find(tenant, approved);
      if ("status" in process) return process;
      process.users += 1;
      try {
        const fault = await process.started;
        if (fault !== undefined) return fault;
        if (process.open) return await use(process);
      } finally {
        process.release();
      }
    }
    return refused("unavailable", "The plugin's process ended before it could be used.");
  }

  /** Resolves when every process has ended. */
  close(): Promise<void> {
    this.#closed = true;
    for (const process of this.#processes) process.end();
    if (this.#processes.size === 0) this.#empty.resolve();
    return this.#empty.promise;
  }

  async #find(tenant: string, approved: Approved): Promise<PluginProcess | Refused> {
    const { digest } = approved.release;
    const pausedMs = this.#pauses.leftMs(keyOf(tenant, digest));
    if (pausedMs > PATIENCE_MS)
      return refused("unavailable", `The plugin crashed again and again; it rests for ${Math.ceil(pausedMs / 1_000)} s.`);
    if (pausedMs > 0) await sleep(pausedMs);
    if (this.#closed) return refused("unavailable", "The plugin host ends.");
    const found = [...this.#processes].find((process) => process.open && process.tenant === tenant && process.digest === digest);
    if (found !== undefined)
      return found.users < BOUNDS.runningPerProcess ? found : refused("overloaded", "The plugin has too many calls at once.");
    const { processes, processesPerTenant } = this.#place.options;
    const mine = [...this.#processes].filter((process) => process.tenant === tenant);
    if (!makeRoom(mine, processesPerTenant)) return refused("overloaded", "The tenant has too many plugins at work.");
    if (!makeRoom([...this.#processes], processes)) return refused("overloaded", "Too many plugins are at work.");
    return this.#start(tenant, approved);
  }
  #start(tenant: string, approved: Approved): PluginProcess {
    const key = keyOf(tenant, approved.release.digest);
    const process = new PluginProcess(tenant, approved, {
      ...this.#place,
      sound: () => this.#pauses.sound(key),
      ended: (ended, asked) => {
        this.#processes.delete(ended);
        if (!asked) this.#pauses.crashed(key);
        if (this.#closed && this.#processes.size === 0) this.#empty.resolve();
      },
    });
    this.#processes.add(process);
    return process;
  }
}

const keyOf = (tenant: string, digest: string): string => JSON.stringify([tenant, digest]);

/** One that is ending counts no more: it was killed. */
function makeRoom(all: readonly PluginProcess[], most: number): boolean {
  const alive = all.filter(({ dead }) => !dead);
  if (alive.length < most) return true;
  const idle = alive.filter(({ users }) => users === 0).sort((one, other) => other.idleMs - one.idleMs);
  idle[0]?.end();
  return idle.length > 0;
}
