import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

const PAGE_BYTES = 4_096;
const MIB = 1_024 * 1_024;

/** Resident memory of a process in MiB; 0 once it is gone. Linux tells by a file, others by `ps`. */
export function residentMb(pid: number, heard: (mb: number) => void): void {
  if (process.platform === "linux") heard(fromProc(pid));
  else execFile("ps", ["-o", "rss=", "-p", String(pid)], (error, stdout) => heard(error ? 0 : Number(stdout.trim()) / 1_024));
}
function fromProc(pid: number): number {
  try {
    const [, resident = "0"] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ");
    return (Number(resident) * PAGE_BYTES) / MIB;
  } catch {
    return 0;
  }
}
