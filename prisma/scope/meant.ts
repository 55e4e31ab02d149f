// INVARIANTS
// M1 What starts with the active version is stored only while that version is active, and what it came by stands as it was judged: whoever changes one of
//    these waits for all that are storing, and who stores after that sees it. So nothing starts with what was taken out of use once that is answered.
import type { TenantId } from "@woml/run";
import { sql, type Transaction } from "../client.ts";
import type { NewRequest } from "../control-store.ts";
import { StartOutdated } from "../error.ts";
import { storable } from "../storable.ts";
import type { Meant } from "../trigger.ts";

const key = (tenant: TenantId) => sql`hashtextextended(${tenant}, 0)`;

/** Until the transaction ends nobody changes what is active in the tenant. Taken before all that others may wait for. */
export async function keepActive(tx: Transaction, tenant: TenantId): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock_shared(${key(tenant)})::text`;
}

/** One change of a tenant at a time, when all who have judged by what there was have stored it. */
export async function changeActive(tx: Transaction, tenant: TenantId): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(${key(tenant)})::text`;
}

/** In a transaction that keeps what is active. Throws StartOutdated. */
export async function assertMeant(tx: Transaction, tenant: TenantId, starts: readonly NewRequest[]): Promise<void> {
  const all = starts.flatMap(({ meant }) => meant ?? []);
  if (all.length === 0) return;
  const each = <T>(pick: (meant: Meant) => T): T[] => all.map(pick);
  const rows = await tx.$queryRaw<object[]>`
    SELECT FROM unnest(${each((m) => m.workflow)}::text[], ${each((m) => m.version)}::text[], ${each((m) => m.trigger?.id ?? null)}::text[],
      ${each((m) => storable(m.trigger?.setting ?? null))}::text[]) AS m(workflow, version, trigger, setting)
    WHERE NOT EXISTS (SELECT FROM workflow w WHERE w.tenant = ${tenant}::uuid AND w.id = m.workflow AND w.active = m.version)
      OR (m.trigger IS NOT NULL AND NOT EXISTS (
        SELECT FROM trigger_binding b LEFT JOIN trigger_setting s ON s.tenant = b.tenant AND s.workflow = b.workflow AND s.trigger = b.trigger
        WHERE b.tenant = ${tenant}::uuid AND b.workflow = m.workflow AND b.trigger = m.trigger AND b.version = m.version
          AND coalesce(s.setting::jsonb, 'null'::jsonb) = m.setting::jsonb)) LIMIT 1`;
  if (rows.length > 0) throw new StartOutdated();
}
