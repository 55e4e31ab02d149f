import { openLog, readSettings, type Sources } from "@woml/boot";
import { migrateCluster } from "@woml/prisma/migrate";

/** What a `woml migrate` did. */
export interface Migrated {
  /** Names of the migrations applied now; [] when the database was up to date. */
  readonly applied: readonly string[];
}

/** Waits so long for a database that does not answer yet. */
const PATIENCE_MS = 60_000;

/** Brings the database to this build's schema, as its owner, and gives the services' roles the passwords of their URLs. Safe to run many at once. */
export async function migrateDatabase(sources: Sources): Promise<Migrated> {
  const settings = readSettings("migrate", sources);
  const log = openLog("migrate", settings.WOML_LOG);
  const applied = await migrateCluster({
    ownerUrl: settings.WOML_DATABASE_URL,
    controlUrl: settings.WOML_CONTROL_DATABASE_URL,
    engineUrl: settings.WOML_ENGINE_DATABASE_URL,
    patienceMs: PATIENCE_MS,
  });
  log.info({ applied }, applied.length === 0 ? "the database is up to date" : "migrated");
  return { applied };
}
