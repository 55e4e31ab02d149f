import { escapeIdentifier } from "pg";
import { StoreError } from "./error.ts";
import { ROLES } from "./role.ts";

/** What a migration is to do besides making tables; names of the services' roles. */
export interface Wanted {
  /** Whose passwords are set. */
  readonly passwords: readonly string[];
  /** Which ones the owner's own user takes with SET ROLE, because it serves for all. */
  readonly taken: readonly string[];
}
interface Rights {
  readonly me: string;
  readonly version: number;
  readonly createsRoles: boolean;
  readonly schema: string;
  readonly tables: boolean;
  /** Roles of the services that do not stand yet; that may not be given to others, or passwords; that may not be taken. */
  readonly missing: readonly string[];
  readonly unruled: readonly string[];
  readonly untaken: readonly string[];
}
/** What is missing, in words, and the statements that give it. */
interface Lack {
  readonly right: string;
  readonly given: readonly string[];
}
type Ask = (sql: string, values: unknown[]) => Promise<readonly object[]>;

const NAMES = Object.values(ROLES);
/** Since PostgreSQL 16 a member may be without the right to SET ROLE, and whoever makes a role rules it. */
const SET_RULED = 160_000;
const SETTABLE = `pg_has_role(r.oid, CASE WHEN current_setting('server_version_num')::int >= ${SET_RULED} THEN 'SET' ELSE 'MEMBER' END)`;
const THOSE = (which: string): string =>
  `ARRAY(SELECT r.rolname::text FROM pg_roles r WHERE r.rolname = ANY($1::text[]) AND NOT ${which} ORDER BY r.rolname)`;
const RIGHTS = `SELECT current_user::text AS me, current_setting('server_version_num')::int AS version,
  rolsuper OR rolcreaterole AS "createsRoles", coalesce(current_schema()::text, 'public') AS schema,
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS tables,
  ARRAY(SELECT n FROM unnest($1::text[]) n WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = n) ORDER BY n) AS missing,
  ${THOSE("pg_has_role(r.oid, 'MEMBER WITH ADMIN OPTION')")} AS unruled, ${THOSE(SETTABLE)} AS untaken
FROM pg_roles WHERE rolname = current_user`;

/** Rejects unless the owner's session may do all that is wanted: what is missing in one sentence, and the SQL that gives it. */
export async function assertOwner(ask: Ask, wanted: Wanted): Promise<void> {
  const found = await rightsOf(ask);
  const missing = lacks(found, wanted);
  if (missing.length === 0) return;
  const what = missing.map(({ right }) => right).join(", nor ");
  const statements = new Set(missing.flatMap(({ given }) => given));
  const sql = [...statements].map((one) => `${one};`).join(" ");
  throw new StoreError("WOML_DATABASE_RIGHTS_MISSING", `The database's role ${found.me} may not ${what}; as a superuser run: ${sql}`);
}

/** The statements that let the owner's user take these roles, as far as it may say so itself. */
export async function takings(ask: Ask, roles: readonly string[]): Promise<readonly string[]> {
  const rights = await rightsOf(ask);
  return rights.untaken.filter((role) => roles.includes(role) && rules(rights, role)).map((role) => taking(rights, [role]));
}

async function rightsOf(ask: Ask): Promise<Rights> {
  const [row] = await ask(RIGHTS, [NAMES]);
  return row as Rights;
}

function lacks(rights: Rights, { passwords, taken }: Wanted): readonly Lack[] {
  const place = escapeIdentifier(rights.schema);
  const me = escapeIdentifier(rights.me);
  const creating = `ALTER ROLE ${me} CREATEROLE`;
  const unmade = rights.createsRoles ? [] : rights.missing;
  // Where nobody comes in by password, the owner's user is all there is: it takes the roles.
  const alone = passwords.length === 0;
  const making = alone ? unmade.map((role) => `CREATE ROLE ${escapeIdentifier(role)} NOLOGIN NOINHERIT`) : [creating];
  const mute = passwords.filter((role) => !rights.missing.includes(role) && !(rights.createsRoles && rules(rights, role)));
  const unruled = mute.filter((role) => rights.unruled.includes(role));
  const barred = taken.filter((role) => rights.untaken.includes(role) && !rules(rights, role));
  const kept = [...new Set([...(alone ? unmade : []), ...barred])];
  return [
    ...(unmade.length === 0 ? [] : [{ right: "create roles", given: making }]),
    ...(rights.tables
      ? []
      : [{ right: `create tables in the schema ${rights.schema}`, given: [`GRANT USAGE, CREATE ON SCHEMA ${place} TO ${me}`] }]),
    ...(mute.length === 0 ? [] : [{ right: `set the passwords of ${mute.join(" and ")}`, given: ruling(rights, unruled, creating) }]),
    ...(kept.length === 0 ? [] : [{ right: `take the roles ${kept.join(" and ")}`, given: [taking(rights, kept)] }]),
  ];
}

/** Whether it may say who else has this role. */
function rules({ version, createsRoles, unruled }: Rights, role: string): boolean {
  return !unruled.includes(role) || (version < SET_RULED && createsRoles);
}

function ruling({ me, createsRoles }: Rights, roles: readonly string[], creating: string): readonly string[] {
  const granting = `GRANT ${roles.map(escapeIdentifier).join(", ")} TO ${escapeIdentifier(me)} WITH ADMIN OPTION`;
  return [...(createsRoles ? [] : [creating]), ...(roles.length === 0 ? [] : [granting])];
}

function taking({ me, version }: Pick<Rights, "me" | "version">, roles: readonly string[]): string {
  const how = version >= SET_RULED ? " WITH INHERIT FALSE, SET TRUE" : "";
  return `GRANT ${roles.map(escapeIdentifier).join(", ")} TO ${escapeIdentifier(me)}${how}`;
}
