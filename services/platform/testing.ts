// For tests: a data folder of PostgreSQL costs most of a second of processor time to make, and one is as good as another.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { openPostgres, type Postgres } from "./postgres.ts";

const CACHE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "woml");

/** `openPostgres` over a copy of a data folder that was made once, beside the packages; over a new one where nothing can be kept there. */
export async function openCopy(folder: string): Promise<Postgres> {
  await plantCluster(folder);
  return openPostgres(folder);
}

/** Puts an empty data folder, and its owner's password, where a platform will look for them. */
export async function plantCluster(folder: string): Promise<void> {
  const kept = await template().catch(() => null);
  if (kept === null || existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  copy(`${kept}.password`, `${folder}.password`);
  copy(kept, folder);
}

async function template(): Promise<string> {
  const kept = join(CACHE, `cluster-${process.getuid?.() ?? 0}`, "postgres");
  if (existsSync(kept)) return kept;
  mkdirSync(CACHE, { recursive: true });
  const making = mkdtempSync(join(CACHE, "cluster-"));
  await (await openPostgres(join(making, "postgres"))).stop();
  try {
    renameSync(making, dirname(kept));
  } catch {
    // Another test was first.
    rmSync(making, { recursive: true, force: true });
  }
  return kept;
}

/** With owners and modes: as root the server runs as another user. */
function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}
