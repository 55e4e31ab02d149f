import { rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folder } from "./folder.ts";
import { readPrivate, writePrivate } from "./folder.ts";
import { alive, commandOf, groupOf, isSame, markOf, type ProcessMark } from "./pid.ts";

/** Processes that lead a group of their own and outlive a killed platform for a moment; the word stands in their command lines. */
const HOUSES = { sandbox: "sandbox", plugins: "plugin-host" } as const;
export type House = keyof typeof HOUSES;

/** What a start wrote down about a supervisor in processes.json. */
interface Remembered {
  readonly supervisor: ProcessMark | null;
  readonly socket: string;
}

/** Remembers a supervisor, so that the next start can end it and what it started if this platform is killed. */
export function remember(folder: Folder, house: House, { pid, socket }: { readonly pid: number; readonly socket: string }): void {
  const mark: Remembered = { supervisor: markOf(pid), socket };
  writePrivate(folder.processes, { ...remembered(folder), [house]: mark });
}

/**
 * Ends what a killed platform left running, and removes its files that say it runs. Needs the folder's lock. A supervisor leads a process
 * group of its own, its children are in it; a pid that has gone to another program since is not touched. PostgreSQL is not ended but adopted.
 */
export async function clearLeftovers(folder: Folder): Promise<readonly number[]> {
  const before = remembered(folder);
  const houses = Object.keys(HOUSES) as House[];
  const left = houses.flatMap((house) => leftBy(before[house]?.supervisor ?? null, HOUSES[house]));
  for (const pid of left) kill(pid);
  for (const until = Date.now() + 5_000; left.some(alive) && Date.now() < until; ) await sleep(5);
  rmSync(folder.connection, { force: true });
  for (const house of houses) forget(folder, house, before[house]?.socket ?? folder.sockets[house]);
  rmSync(folder.processes, { force: true });
  return left;
}

/** A socket that did not fit into the data folder has a folder of its own. */
export function forget(folder: Folder, house: House, socket: string): void {
  const { [house]: _, ...others } = remembered(folder);
  if (Object.keys(others).length > 0) writePrivate(folder.processes, others);
  else rmSync(folder.processes, { force: true });
  const place = dirname(socket);
  if (basename(place).startsWith(SOCKET_FOLDER)) rmSync(place, { recursive: true, force: true });
  else rmSync(socket, { force: true });
}

export const SOCKET_FOLDER = "woml-door-";

/** When its leader is gone a group's number cannot be given anew while it has members, so they are the old ones. */
function leftBy(mark: ProcessMark | null, word: string): readonly number[] {
  if (!mark || (alive(mark.pid) && !isSame(mark))) return [];
  const found = new Set([mark.pid, ...groupOf(mark.pid)]);
  return [...found].filter((pid) => alive(pid) && commandOf(pid).includes(word));
}

function remembered(folder: Folder): Partial<Record<House, Remembered>> {
  const found = readPrivate(folder.processes);
  if (typeof found !== "object" || found === null) return {};
  const houses = Object.entries(found).filter(([house, entry]) => Object.hasOwn(HOUSES, house) && isRemembered(entry));
  return Object.fromEntries(houses);
}

function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== "object" || value === null || !("supervisor" in value) || !("socket" in value)) return false;
  return typeof value.socket === "string" && (value.supervisor === null || isMark(value.supervisor));
}

function isMark(value: unknown): value is ProcessMark {
  if (typeof value !== "object" || value === null || !("pid" in value) || !("started" in value)) return false;
  return typeof value.pid === "number" && typeof value.started === "string";
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
