import type { TenantId } from "@woml/run";
import type { Transaction } from "../client.ts";
import type { TenantScope } from "../control-store.ts";

/**
 * Limits of lanes. A lane stays once it is there, for it counts who holds a place; a new one is counted by an engine (line.ts), unless nobody can hold one
 * in it: there is no run of it, and nothing that would become one.
 */
export function lanes(tx: Transaction, tenant: TenantId, wrote: () => void): Pick<TenantScope, "setLane"> {
  return {
    setLane: async (workflow, { most, rate, queue }) => {
      wrote();
      await tx.$executeRaw`INSERT INTO lane AS a (tenant, kind, name, most, rate_count, rate_ms, queue, counted)
        SELECT ${tenant}::uuid, 'workflow', ${workflow}, ${most}::int, ${rate?.count ?? null}::int, ${rate?.windowMs ?? null}::bigint, ${queue},
          NOT EXISTS (SELECT FROM run r WHERE r.tenant = ${tenant}::uuid AND r.workflow = ${workflow})
          AND NOT EXISTS (SELECT FROM request q WHERE q.tenant = ${tenant}::uuid AND q.workflow = ${workflow} AND q.kind = 'start' AND q.consumed_at IS NULL)
        WHERE ${most !== null || rate !== null || queue !== null}::boolean
          OR EXISTS (SELECT FROM lane l WHERE l.tenant = ${tenant}::uuid AND l.kind = 'workflow' AND l.name = ${workflow})
        ON CONFLICT (tenant, kind, name) DO UPDATE SET most = excluded.most, rate_count = excluded.rate_count, rate_ms = excluded.rate_ms,
          queue = excluded.queue`;
    },
  };
}
