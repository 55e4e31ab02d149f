import { rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folder } from "./folder.ts";
import { readPrivate, writePrivate } from "./folder.ts";
import { alive, commandOf, groupOf, isSame, markOf, type ProcessMark } from "./pid.ts";

/** What a start wrote down about its sandbox in processes.json. */
interface Remembered {
  readonly supervisor: ProcessMark | null;
  readonly socket: string;
}

/** Remembers the supervisor, so that the next start can end it and its workers if this platform is killed. */
export function rememberSandbox(folder: Folder, pid: number, socket: string): void {
  writePrivate(folder.processes, { supervisor: markOf(pid), socket } satisfies Remembered);
}

/**
 * Ends what a killed platform left running, and removes its files that say it runs. Needs the folder's lock. The supervisor leads a process
 * group of its own, its workers are in it; a pid that has gone to another program since is not touched. PostgreSQL is not ended but adopted.
 */
export async function clearLeftovers(folder: Folder): Promise<readonly number[]> {
  const { supervisor, socket } = remembered(folder);
  const left = leftBy(supervisor);
  for (const pid of left) kill(pid);
  for (const until = Date.now() + 5_000; left.some(alive) && Date.now() < until; ) await sleep(5);
  rmSync(folder.connection, { force: true });
  forgetSandbox(folder, socket);
  return left;
}

/** A socket that did not fit into the data folder has a folder of its own. */
export function forgetSandbox(folder: Folder, socket: string): void {
  rmSync(folder.processes, { force: true });
  const place = dirname(socket);
  if (basename(place).startsWith(SOCKET_FOLDER)) rmSync(place, { recursive: true, force: true });
  else rmSync(socket, { force: true });
}

export const SOCKET_FOLDER = "woml-door-";

/** When its leader is gone a group's number cannot be given anew while it has members, so they are the old ones. */
function leftBy(mark: ProcessMark | null): readonly number[] {
  if (!mark || (alive(mark.pid) && !isSame(mark))) return [];
  const found = new Set([mark.pid, ...groupOf(mark.pid)]);
  return [...found].filter((pid) => alive(pid) && commandOf(pid).includes("sandbox"));
}

function remembered(folder: Folder): Remembered {
  const found = readPrivate(folder.processes);
  const socket = folder.socket;
  if (typeof found !== "object" || found === null) return { supervisor: null, socket };
  const supervisor = "supervisor" in found && isMark(found.supervisor) ? found.supervisor : null;
  return { supervisor, socket: "socket" in found && typeof found.socket === "string" ? found.socket : socket };
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
