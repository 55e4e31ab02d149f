import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "@woml/platform";
import { Pool } from "pg";
import { migrate } from "../migrate.ts";
import { prepareRoles } from "../role.ts";

/** A migrated database of its own: `admin` is the superuser, who sees every row; the urls are those of the owner and the two services. */
export interface Database {
  readonly admin: Pool;
  readonly url: string;
  readonly control: string;
  readonly engine: string;
  ask<R extends object>(sql: string, values?: readonly unknown[]): Promise<R[]>;
  close(): Promise<void>;
}
export interface Server {
  database(): Promise<Database>;
  close(): Promise<void>;
}
const PATTERN = "pattern";

/** One PostgreSQL for a test file; each database is a copy of one that was migrated once. */
export async function openServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "woml-prisma-"));
  const postgres = await openPostgres(join(folder, "postgres"));
  const root = new Pool({ connectionString: postgres.url, max: 1 });
  await root.query(`CREATE DATABASE ${PATTERN}`);
  await migrate(named(postgres.url, PATTERN));
  let count = 0;
  return {
    database: async () => {
      count += 1;
      await root.query(`CREATE DATABASE copy_${count} TEMPLATE ${PATTERN}`);
      return database(named(postgres.url, `copy_${count}`));
    },
    close: async () => {
      await root.end();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function database(url: string): Promise<Database> {
  const urls = await prepareRoles(url, { control: "control-secret", engine: "engine-secret" });
  const admin = new Pool({ connectionString: url, max: 2 });
  const ask = async <R extends object>(sql: string, values: readonly unknown[] = []): Promise<R[]> =>
    (await admin.query<R>(sql, [...values])).rows;
  return { admin, url, ...urls, ask, close: () => admin.end() };
}

function named(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}
