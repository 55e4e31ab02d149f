import { sqlStateOf } from "./fault.ts";
import { migrationNames } from "./history.ts";

/** A migration counts once it is finished: its script and that word are one transaction (apply.ts). */
export const FINISHED = "SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL";
/** The migration since which the services may read that table. */
const READABLE = "20261201025200_cluster";

/**
 * What of this build's migrations the database lacks, oldest first. Newer ones in it do not matter: every migration leaves the build before
 * able to work.
 */
export async function pendingOf(ask: (sql: string) => Promise<readonly object[]>): Promise<readonly string[]> {
  const names = migrationNames();
  try {
    const finished = new Set((await ask(FINISHED)).map((row) => ("name" in row ? row.name : null)));
    return names.filter((name) => !finished.has(name));
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === "42P01") return names;
    if (state === "42501") return names.filter((name) => name >= READABLE);
    throw error;
  }
}
