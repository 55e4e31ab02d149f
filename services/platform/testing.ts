// For tests: a data folder of PostgreSQL costs most of a second of processor time to make, and one is as good as another; to migrate one costs as
// much again.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { historyDigest, migrate } from "@woml/prisma/migrate";
import { openPostgres, type Postgres } from "./postgres.ts";

const CACHE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "woml");
const EMPTY = `cluster-${process.getuid?.() ?? 0}`;
const MIGRATED = `migrated-${process.getuid?.() ?? 0}-`;

/** `openPostgres` over a copy of a data folder that was made once, beside the packages; over a new one where nothing can be kept there. */
export async function openCopy(folder: string): Promise<Postgres> {
  const kept = await template().catch(() => null);
  if (kept !== null) copy(kept, folder);
  return openPostgres(folder);
}

/** The same, with this tree's migrations; the services' roles have no passwords yet. */
export async function openMigrated(folder: string): Promise<Postgres> {
  await plantCluster(folder);
  const postgres = await openPostgres(folder);
  await migrate(postgres.url);
  return postgres;
}

/** Puts a migrated data folder, and its owner's password, where a platform will look for them. */
export async function plantCluster(folder: string): Promise<void> {
  const kept = await migratedTemplate().catch(() => null);
  if (kept !== null) copy(kept, folder);
}

function template(): Promise<string> {
  return keptAs(EMPTY, async (folder) => (await openPostgres(folder)).stop());
}

/** One for these migrations; those that were made of others are of no use any more. */
async function migratedTemplate(): Promise<string> {
  const name = `${MIGRATED}${historyDigest()}`;
  return keptAs(name, async (folder) => {
    const stale = readdirSync(CACHE).filter((other) => other.startsWith(MIGRATED) && other !== name);
    for (const old of stale) rmSync(join(CACHE, old), { recursive: true, force: true });
    const postgres = await openCopy(folder);
    await migrate(postgres.url);
    await postgres.stop();
  });
}

async function keptAs(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const kept = join(CACHE, name, "postgres");
  if (existsSync(kept)) return kept;
  mkdirSync(CACHE, { recursive: true });
  const making = mkdtempSync(join(CACHE, "making-"));
  await make(join(making, "postgres"));
  try {
    renameSync(making, dirname(kept));
  } catch {
    // Another test was first.
    rmSync(making, { recursive: true, force: true });
  }
  return kept;
}

/** With owners and modes: as root the server runs as another user. Leaves alone what is there. */
function copy(from: string, to: string): void {
  if (existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  for (const [source, target] of [[`${from}.password`, `${to}.password`] as const, [from, to] as const]) {
    const { status, stderr } = spawnSync("cp", ["-a", source, target], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }
}
