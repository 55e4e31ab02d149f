import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { Client, escapeIdentifier, escapeLiteral } from "pg";
import { StoreError } from "./error.ts";
import { sqlStateOf } from "./fault.ts";

export const ROLES = { control: "woml_control", engine: "woml_engine" } as const;
export type Service = keyof typeof ROLES;

/** Sets the passwords of the services' roles with the owner's session; answers each service's own url. Needs a migrated database. */
export async function prepareRoles(
  adminUrl: string,
  passwords: { readonly [S in Service]: string },
): Promise<{ readonly [S in Service]: string }> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (const service of ["control", "engine"] as const) {
      await admin.query(passwordOf(service, passwords[service]));
    }
  } finally {
    await admin.end();
  }
  return { control: urlAs(adminUrl, "control", passwords.control), engine: urlAs(adminUrl, "engine", passwords.engine) };
}

/** The same database, as a service's role. */
export function urlAs(adminUrl: string, service: Service, password: string): string {
  const url = new URL(adminUrl);
  url.username = ROLES[service];
  url.password = encodeURIComponent(password);
  return url.href;
}

/** The statement that sets a role's password, without the password. */
export function passwordOf(service: Service, password: string): string {
  return `ALTER ROLE ${escapeIdentifier(ROLES[service])} LOGIN PASSWORD ${escapeLiteral(scram(password, randomBytes(16)))}`;
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

/** SQLSTATEs of a session that may not begin as the role it was told to: it lacks the right, or there is no such role. */
const NOT_TAKEN = new Set(["42501", "22023"]);

type Ask = (sql: string) => Promise<readonly object[]>;

/** Is what the service is, or may do as much; null before a migration has made the role. */
const isService = (service: Service): string =>
  `SELECT current_user AS "user", (SELECT pg_has_role(current_user, oid, 'USAGE') FROM pg_roles WHERE rolname = '${ROLES[service]}') AS served`;

/**
 * As assertLeastPrivilege; a session that could not take its role is told what is missing, and one that is somebody else, such as the other
 * service, that it is.
 */
export async function assertService(ask: Ask, url: string, service: Service): Promise<void> {
  try {
    await assertLeastPrivilege(ask);
  } catch (error) {
    if (!NOT_TAKEN.has(sqlStateOf(error) ?? "")) throw error;
    const { control, engine } = ROLES;
    const message = `The database's user may not take the service's role (SET ROLE): run \`woml migrate\` as the owner, or as a superuser: GRANT ${control}, ${engine} TO ${escapeIdentifier(decodeURIComponent(new URL(url).username))} WITH SET TRUE;`;
    throw new StoreError("WOML_DATABASE_RIGHTS_MISSING", message, error);
  }
  const [found] = (await ask(isService(service))) as readonly { readonly user: string; readonly served: boolean | null }[];
  if (found?.served !== false) return;
  const message = `The database's user ${escapeIdentifier(found.user)} is not ${ROLES[service]} and has none of its rights: give the URL of that role, or let the session take it (SET ROLE).`;
  throw new StoreError("WOML_DATABASE_RIGHTS_MISSING", message);
}

/**
 * Rejects unless the session's role (the one taken, after a SET ROLE) is one that row-level security binds and
 * that cannot change the log.
 */
async function assertLeastPrivilege(ask: Ask): Promise<void> {
  const [row] = await ask(POWERS);
  const found = Object.entries(row ?? { unknown: true }).filter(([, has]) => has !== false);
  if (found.length === 0) return;
  const powers = found.map(([power]) => power).join(", ");
  throw new StoreError("WOML_DATABASE_ROLE_TOO_POWERFUL", `A service must not connect to the database as a role that is ${powers}.`);
}
