import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { writePreload } from "@woml/child";
import { workerFlags } from "./spawn.ts";

const FLOOR_MS = 60_000;

/** Median milliseconds of a fresh context in a warm isolate that runs a precompiled script, in a process under a worker's flags. */
export async function measureContextMs(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "woml-floor-"));
  try {
    const preload = join(home, "preload.mjs");
    writePreload(import.meta.dirname, preload);
    const args = [...workerFlags(preload), join(import.meta.dirname, "floor.ts")];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: "/", env: {}, timeout: FLOOR_MS });
    const ms = Number(stdout);
    if (!(ms > 0)) throw new Error("The cost of a context could not be measured.");
    return ms;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
