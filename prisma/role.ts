import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { Client, escapeIdentifier, escapeLiteral } from "pg";
import { StoreError } from "./error.ts";

export const ROLES = { control: "woml_control", engine: "woml_engine" } as const;
type Service = keyof typeof ROLES;

/** Sets the passwords of the services' roles with the owner's session; answers each service's own url. Needs a migrated database. */
export async function prepareRoles(
  adminUrl: string,
  passwords: { readonly [S in Service]: string },
): Promise<{ readonly [S in Service]: string }> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (const service of ["control", "engine"] as const) {
      const verifier = escapeLiteral(scram(passwords[service], randomBytes(16)));
      await admin.query(`ALTER ROLE ${escapeIdentifier(ROLES[service])} PASSWORD ${verifier}`);
    }
  } finally {
    await admin.end();
  }
  const urlOf = (service: Service): string => {
    const url = new URL(adminUrl);
    url.username = ROLES[service];
    url.password = encodeURIComponent(passwords[service]);
    return url.href;
  };
  return { control: urlOf("control"), engine: urlOf("engine") };
}

/** SCRAM-SHA-256 (RFC 7677) as PostgreSQL stores it, so that no statement and no server log ever holds a password. */
function scram(password: string, salt: Buffer): string {
  const rounds = 4096;
  const salted = pbkdf2Sync(password.normalize("NFKC"), salt, rounds, 32, "sha256");
  const keyed = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${rounds}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}

/** Every role whose powers the session has or may take, itself included; then what no service may ever have. */
const POWERS = `
WITH mine AS (SELECT oid, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE pg_has_role(current_user, oid, 'MEMBER')),
  log AS (SELECT to_regclass('run_event')::oid AS oid)
SELECT bool_or(rolsuper) AS superuser, bool_or(rolbypassrls) AS "BYPASSRLS", bool_or(rolcreaterole) AS "CREATEROLE",
  EXISTS (SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN mine m ON m.oid = c.relowner
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace) AS "owner of tables",
  coalesce((SELECT has_any_column_privilege(oid, 'UPDATE') OR has_table_privilege(oid, 'DELETE, TRUNCATE') FROM log), false)
    AS "able to change the log"
FROM mine`;

/** Rejects unless the session's role is one that row-level security binds and that cannot change the log. */
export async function assertLeastPrivilege(ask: (sql: string) => Promise<readonly object[]>): Promise<void> {
  const [row] = await ask(POWERS);
  const found = Object.entries(row ?? { unknown: true }).filter(([, has]) => has !== false);
  if (found.length === 0) return;
  const powers = found.map(([power]) => power).join(", ");
  throw new StoreError("WOML_DATABASE_ROLE_TOO_POWERFUL", `A service must not connect to the database as a role that is ${powers}.`);
}
