import { escapeIdentifier } from "pg";
import { StoreError } from "./error.ts";
import { ROLES } from "./role.ts";

interface Rights {
  readonly me: string;
  readonly roles: boolean;
  readonly schema: string;
  readonly tables: boolean;
  /** Roles of the services that stand already, and that this role may not give passwords. */
  readonly foreign: readonly string[];
}
const NAMES = Object.values(ROLES);
const RIGHTS = `SELECT current_user::text AS me, rolsuper OR rolcreaterole AS roles, coalesce(current_schema()::text, 'public') AS schema,
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS tables,
  ARRAY(SELECT rolname::text FROM pg_roles WHERE rolname = ANY($1::text[]) AND NOT pg_has_role(oid, 'MEMBER WITH ADMIN OPTION')
    ORDER BY rolname) AS foreign
FROM pg_roles WHERE rolname = current_user`;

/** Rejects unless the owner's session may do all that a start does: what is missing in one sentence, and the SQL that gives it. */
export async function assertOwner(ask: (sql: string, values: unknown[]) => Promise<readonly object[]>): Promise<void> {
  const [row] = await ask(RIGHTS, [NAMES]);
  const { me, ...rights } = row as Rights;
  const missing = lacks(rights, escapeIdentifier(me));
  if (missing.length === 0) return;
  const what = missing.map(({ right }) => right).join(", nor ");
  const sql = missing.map(({ given }) => `${given};`).join(" ");
  throw new StoreError("WOML_DATABASE_RIGHTS_MISSING", `The database's role ${me} may not ${what}; as a superuser run: ${sql}`);
}

function lacks({ roles, schema, tables, foreign }: Omit<Rights, "me">, me: string): readonly { right: string; given: string }[] {
  const place = escapeIdentifier(schema);
  const list = foreign.map(escapeIdentifier).join(", ");
  return [
    ...(roles ? [] : [{ right: "create roles", given: `ALTER ROLE ${me} CREATEROLE` }]),
    ...(tables ? [] : [{ right: `create tables in the schema ${schema}`, given: `GRANT USAGE, CREATE ON SCHEMA ${place} TO ${me}` }]),
    ...(foreign.length === 0
      ? []
      : [{ right: `set the passwords of ${foreign.join(" and ")}`, given: `GRANT ${list} TO ${me} WITH ADMIN OPTION` }]),
  ];
}
