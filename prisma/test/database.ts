import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMigrated, openShared } from "@woml/platform/testing";
import { Pool } from "pg";
import { openRoles, type Urls } from "../testing.ts";

/** A migrated PostgreSQL for a test file: `ask` is the superuser, who sees every row; the urls are the owner's and the two services'. */
export interface Database {
  readonly url: string;
  readonly control: string;
  readonly engine: string;
  ask<R extends object>(sql: string, values?: readonly unknown[]): Promise<R[]>;
  /** Every row gone: only who may alter the table gets past its trigger. Seen: a database for each test costs half a second each. */
  empty(): Promise<void>;
  close(): Promise<void>;
}
const LOGS = ["run_event", "module", "plugin_release", "plugin_approval", "plugin_revocation", "audit_entry"];
const TABLES = [
  ...LOGS,
  ...[
    "run",
    "timer",
    "request",
    "definition_version",
    "workflow",
    "api_key",
    "tenant",
    "engine",
    "secret",
    "plugin_grant",
    "lane",
    "quota",
    "usage",
  ],
];
const EMPTY = `BEGIN; ${LOGS.map((table) => `ALTER TABLE ${table} DISABLE TRIGGER append_only;`).join(" ")}
  ${TABLES.map((table) => `DELETE FROM ${table};`).join(" ")}
  ${LOGS.map((table) => `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER append_only;`).join(" ")} COMMIT`;

/** On a server that the files of one process share: for all that alters no role, ends no server, and counts only what is of its database. */
export async function openDatabase(): Promise<Database> {
  return over(await openShared(), async () => {});
}

/** On a server of its own. */
export async function openServer(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), "woml-prisma-"));
  const postgres = await openMigrated(join(folder, "postgres"));
  return over(await openRoles(postgres.url), async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
}

function over(urls: Urls, end: () => Promise<void>): Database {
  const admin = new Pool({ connectionString: urls.url, max: 2 });
  admin.on("error", () => {});
  return {
    ...urls,
    ask: async <R extends object>(sql: string, values: readonly unknown[] = []) => (await admin.query<R>(sql, [...values])).rows,
    empty: async () => void (await admin.query(EMPTY)),
    close: async () => {
      await admin.end();
      await end();
    },
  };
}
