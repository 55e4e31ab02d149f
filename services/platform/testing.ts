// For tests: a data folder of PostgreSQL costs most of a second of processor time to make, and one is as good as another; to migrate one costs as
// much again, and to start and end a server on it also. What is made here does not wait for the disk: it outlives killed processes, and no test
// takes the machine's power away.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { historyDigest, migrate } from "@woml/prisma/migrate";
import { copyDatabase, openRoles, type Urls } from "@woml/prisma/testing";
import { openPostgres, type Postgres } from "./postgres.ts";

const CACHE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "woml");
const EMPTY = `quick-${process.getuid?.() ?? 0}`;
const MIGRATED = `quick-migrated-${process.getuid?.() ?? 0}-`;
const QUICK = "fsync = off\nfull_page_writes = off\nwal_init_zero = off\nwal_recycle = off\n";
/** Of all stores and controls of the files that share a process. */
const SESSIONS = 400;
const REMOVAL = { recursive: true, force: true, maxRetries: 100, retryDelay: 20 } as const;

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

/**
 * A database of its own with this tree's migrations, and the services' roles with passwords, on a server that all tests of this process share and
 * that ends with it. Not for what alters roles, or ends the server.
 */
export async function openShared(): Promise<Urls> {
  shared ??= openForProcess();
  const template = await shared;
  const copied = last.then(() => copyDatabase(template));
  last = copied.catch(() => {});
  return copied;
}
let shared: Promise<Urls> | null = null;
/** Copies are made one after the other. */
let last: Promise<unknown> = Promise.resolve();

async function openForProcess(): Promise<Urls> {
  const folder = mkdtempSync(join(tmpdir(), "woml-shared-"));
  const postgres = await openMigrated(join(folder, "postgres"));
  process.on("exit", () => {
    process.kill(postgres.pid, "SIGKILL");
    rmSync(folder, REMOVAL);
  });
  return openRoles(postgres.url);
}

/** Puts a migrated data folder, and its owner's password, where a platform will look for them. */
export async function plantCluster(folder: string): Promise<void> {
  const kept = await migratedTemplate().catch(() => null);
  if (kept !== null) copy(kept, folder);
}

function template(): Promise<string> {
  return keptAs(EMPTY, async (folder) => {
    await (await openPostgres(folder)).stop();
    appendFileSync(join(folder, "postgresql.conf"), `${QUICK}max_connections = ${SESSIONS}\n`);
  });
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
