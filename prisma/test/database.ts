import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "@woml/platform";
import { Pool } from "pg";
import { migrate } from "../migrate.ts";
import { prepareRoles } from "../role.ts";

/** A migrated PostgreSQL of its own: `admin` sees every row (the superuser), the urls are those of the two services. */
export interface Database {
  readonly admin: Pool;
  readonly url: string;
  readonly control: string;
  readonly engine: string;
  close(): Promise<void>;
}

export async function openDatabase(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), "woml-prisma-"));
  const postgres = await openPostgres(join(folder, "postgres"));
  await migrate(postgres.url);
  const urls = await prepareRoles(postgres.url, { control: "control-secret", engine: "engine-secret" });
  const admin = new Pool({ connectionString: postgres.url, max: 2 });
  admin.on("error", () => {});
  const close = async (): Promise<void> => {
    await admin.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { admin, url: postgres.url, ...urls, close };
}
