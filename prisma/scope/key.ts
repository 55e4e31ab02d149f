import { asTenantId } from "@woml/run";
import { NOW, type Transaction } from "../client.ts";
import type { AdminScope, KeyHead, KeyRow } from "../control-store.ts";
import type { ApiKey } from "../generated/client.ts";
import { cut } from "./page.ts";

type Keys = Pick<AdminScope, "keys" | "addKey" | "revokeKey" | "tenants">;

/** Any constant of ours: of two administrators who revoke each other's last key at once, one waits and is refused. */
const LOCK = 0x6b657973;
const ADMIN = "admin";

/** Only in the administrator's transaction: row-level security shows it every key. A revoked one keeps its row and its place, so that its id never comes again. */
export function keys(tx: Transaction, wrote: () => void): Keys {
  return {
    tenants: async ({ first, after }) => {
      const where = after === null ? {} : { id: { gt: after } };
      const rows = await tx.tenant.findMany({ where, select: { id: true, name: true }, orderBy: { id: "asc" }, take: first + 1 });
      return cut(
        rows.map(({ id, name }) => ({ id: asTenantId(id), name })),
        first,
      );
    },
    keys: async (tenant, { first, after }) => {
      const last = after === null ? undefined : await tx.apiKey.findFirst({ where: { id: after } });
      if (last === null) return null;
      const older = last && [{ createdAt: { lt: last.createdAt } }, { createdAt: last.createdAt, id: { lt: last.id } }];
      const where = { revokedAt: null, ...(tenant === null ? {} : { tenant }), ...(older ? { OR: older } : {}) };
      const rows = await tx.apiKey.findMany({ where, orderBy: [{ createdAt: "desc" }, { id: "desc" }], take: first + 1 });
      return cut(rows.map(head), first);
    },
    addKey: async (key) => {
      if (await insertKey(tx, key, wrote)) return "made";
      const found = await tx.apiKey.findFirst({ where: { id: key.id } });
      if (found === null || Buffer.compare(found.digest, key.digest) !== 0) return "taken";
      return found.revokedAt === null ? "same" : "revoked";
    },
    revokeKey: async (id) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`;
      const found = await tx.apiKey.findFirst({ where: { id, revokedAt: null } });
      if (found === null) return "unknown";
      const standing = found.scopes.includes(ADMIN)
        ? await tx.apiKey.count({ where: { revokedAt: null, scopes: { has: ADMIN } } })
        : Number.POSITIVE_INFINITY;
      if (standing < 2) return "last";
      wrote();
      await tx.$executeRaw`UPDATE api_key SET revoked_at = ${NOW}, scopes = '{}' WHERE id = ${id}`;
      return head(found);
    },
  };
}

/** Only one that stands. */
export async function readKey(tx: Transaction, id: string): Promise<KeyRow | null> {
  const row = await tx.apiKey.findUnique({ where: { id } });
  if (row === null || row.revokedAt !== null) return null;
  return { tenant: asTenantId(row.tenant), id: row.id, digest: row.digest, scopes: row.scopes as KeyRow["scopes"] };
}

/** false: a key of this id stands already. */
export async function insertKey(tx: Transaction, { tenant, id, digest, scopes }: KeyRow, wrote: () => void): Promise<boolean> {
  wrote();
  const made = await tx.$executeRaw`INSERT INTO api_key (tenant, id, digest, scopes, created_at)
    VALUES (${tenant}::uuid, ${id}, ${Buffer.from(digest)}, ${scopes}::text[], ${NOW}) ON CONFLICT DO NOTHING`;
  return made > 0;
}

function head({ tenant, id, scopes, createdAt }: ApiKey): KeyHead {
  return { tenant: asTenantId(tenant), id, scopes: scopes as KeyHead["scopes"], createdAt: Number(createdAt) };
}
