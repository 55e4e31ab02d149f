import { readdirSync, readFileSync } from "node:fs";

const TICK_MS = 10;

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly cpuMs: number;
}

/** User and system time of the processes that live now, with those of their children that were waited for (Linux, /proc/PID/stat). */
function rows(): Row[] {
  const found: Row[] = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const text = readFileSync(`/proc/${entry}/stat`, "utf8");
      const after = text
        .slice(text.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + (after[i] ?? 0), 0);
      found.push({ pid: Number(entry), parent: after[1] ?? 0, cpuMs: ticks * TICK_MS });
    } catch {
      // The process ended between the listing and the reading.
    }
  }
  return found;
}

/** The processes that `pid` has started and that live now. */
export function childrenOf(pid: number): readonly Row[] {
  return rows().filter((row) => row.parent === pid);
}

/**
 * SIGKILL to all that a supervisor has started; answers whom. It stands still meanwhile: it would give what the first one had to the next one
 * to be killed.
 */
export function killChildren(supervisor: number): readonly number[] {
  process.kill(supervisor, "SIGSTOP");
  const pids = childrenOf(supervisor).map(({ pid }) => pid);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It had ended by itself.
    }
  }
  process.kill(supervisor, "SIGCONT");
  return pids;
}

/** CPU milliseconds of the processes named and of everything below them. 0 where there is no /proc. */
export function treeCpuMs(roots: readonly number[]): number {
  if (process.platform !== "linux") return 0;
  const all = rows();
  const inside = new Set(roots);
  for (let grown = true; grown; ) {
    const more = all.filter((row) => inside.has(row.parent) && !inside.has(row.pid));
    for (const row of more) inside.add(row.pid);
    grown = more.length > 0;
  }
  return all.filter((row) => inside.has(row.pid)).reduce((sum, row) => sum + row.cpuMs, 0);
}
