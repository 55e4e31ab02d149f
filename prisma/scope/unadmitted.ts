import type { TenantId } from "@woml/run";
import type { Transaction } from "../client.ts";
import type { TenantScope } from "../control-store.ts";
import { cut } from "./page.ts";
import { COLUMNS, type Stored, shown } from "./request.ts";

/** Starts without a run: open ones are `queued`, answered ones `failed`. */
export function unadmitted(tx: Transaction, tenant: TenantId): Pick<TenantScope, "unadmitted"> {
  return {
    unadmitted: async ({ workflow, status, label }, { first, after }) => {
      const [open, refused] = [status === null || status.includes("queued"), status === null || status.includes("failed")];
      const rows = await tx.$queryRaw<Stored[]>`SELECT ${COLUMNS} FROM request q
        WHERE q.tenant = ${tenant}::uuid AND q.kind = 'start' AND (q.consumed_at IS NULL OR q.answer IS NOT NULL)
          AND ((${open} AND q.consumed_at IS NULL) OR (${refused} AND q.answer IS NOT NULL))
          AND (${workflow}::text IS NULL OR q.body->>'workflow' = ${workflow})
          AND (${label}::text IS NULL OR jsonb_exists(q.body::jsonb->'labels', ${label}::text))
          AND (${after}::uuid IS NULL OR q.run < ${after}::uuid) AND NOT EXISTS (SELECT FROM run r WHERE r.tenant = q.tenant AND r.id = q.run)
        ORDER BY q.run DESC LIMIT ${first + 1}`;
      return cut(rows.map(shown), first);
    },
  };
}
