import type { Json } from "@woml/model";
import { asTenantId, type TenantId } from "@woml/run";
import type { NewAudit } from "../audit-entry.ts";
import { NOW, type Transaction } from "../client.ts";
import type { AdminScope } from "../control-store.ts";
import { storable } from "../storable.ts";
import { cut } from "./page.ts";

/** Ids are UUIDv7: their order is that of time. `tenant` null is the administrator, who sees everybody's. */
export function audit(tx: Transaction, tenant: TenantId | null): AdminScope["audit"] {
  return async ({ first, after }) => {
    const where = { ...(tenant === null ? {} : { tenant }), ...(after === null ? {} : { id: { lt: after } }) };
    const rows = await tx.auditEntry.findMany({ where, orderBy: { id: "desc" }, take: first + 1 });
    return cut(
      rows.map((row) => ({ ...row, tenant: asTenantId(row.tenant), at: Number(row.at), detail: row.detail as Json })),
      first,
    );
  };
}

interface Recording {
  readonly tenant: TenantId;
  readonly entry: NewAudit;
  readonly wrote: () => void;
}

export async function record(tx: Transaction, { tenant, entry, wrote }: Recording): Promise<void> {
  const { id, actor, action, subject, detail } = entry;
  wrote();
  await tx.$executeRaw`INSERT INTO audit_entry (tenant, id, at, actor, action, subject, detail)
    VALUES (${tenant}::uuid, ${id}::uuid, ${NOW}, ${actor}, ${action}, ${subject}, ${storable(detail)}::json)`;
}
