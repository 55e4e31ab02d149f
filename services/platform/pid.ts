import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessMark {
  readonly pid: number;
  /** When it started, as the system says it: compared, never read. */
  readonly started: string;
}

export function alive(pid: number): boolean {
  if (statOf(pid)?.state === "Z") return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** null when no such process is there. */
export function markOf(pid: number): ProcessMark | null {
  if (!Number.isSafeInteger(pid) || pid < 2) return null;
  const started = process.platform === "linux" ? statOf(pid)?.started : psStart(pid);
  return started ? { pid, started } : null;
}

/** Is it still the very process that was marked? */
export const isSame = (mark: ProcessMark): boolean => markOf(mark.pid)?.started === mark.started && alive(mark.pid);

/** The command line, words parted by blanks; "" when it cannot be read. */
export function commandOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
  } catch {
    return "";
  }
}

/** Pids of the processes in a process group (Linux; elsewhere its leader alone). */
export function groupOf(leader: number): readonly number[] {
  if (process.platform !== "linux") return alive(leader) ? [leader] : [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => statOf(pid)?.group === leader);
}

interface Stat {
  readonly state: string;
  readonly group: number;
  readonly started: string;
}

/** proc(5): the second field is the name in parentheses and may hold blanks; state is field 3, pgrp 5, starttime 22. */
function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", group: Number(fields[2]), started: fields[19] ?? "" };
  } catch {
    return null;
  }
}

function psStart(pid: number): string {
  return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() ?? "";
}
