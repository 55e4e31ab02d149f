import { asRunId, type RunId, type TenantId } from "@woml/run";
import { NOW, type Transaction } from "../client.ts";
import type { AdminScope, TenantScope } from "../control-store.ts";
import type { LaneRow, QuotaName, QuotaRow } from "../lane.ts";
import { WINDOWS } from "./limit.ts";

/** Lanes of one answer, and of each the holders that are named. */
const MOST = 1_000;
const HOLDERS = 10;

interface Stored {
  readonly kind: LaneRow["kind"];
  readonly name: string;
  readonly most: number | null;
  readonly rate_count: number | null;
  readonly rate_ms: bigint | null;
  readonly queue: string | null;
  readonly active: number;
  readonly waiting: bigint;
  readonly lined: bigint;
  readonly holders: readonly { readonly run: string; readonly workflow: string; readonly since: number }[] | null;
}

/**
 * Limits of lanes, and how they stand. A lane stays once it is there, for it counts who holds a place; a new one is counted by an engine (line.ts), unless
 * nobody can hold one in it: there is no run of it, and nothing that would become one.
 */
export function lanes(tx: Transaction, tenant: TenantId, wrote: () => void): Pick<TenantScope, "setLane" | "lanes" | "place" | "quotas"> {
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
    lanes: (workflow) => lanesOf(tx, tenant, workflow),
    place: async (run) => {
      const [row] = await tx.$queryRaw<{ ahead: bigint }[]>`SELECT (SELECT count(*) FROM (
          SELECT FROM request q WHERE q.tenant = s.tenant AND q.workflow = s.workflow AND q.kind = 'start' AND q.consumed_at IS NULL
            AND (coalesce(q.due_at, q.created_at), q.id) < (coalesce(s.due_at, s.created_at), s.id) LIMIT 10001) a) AS ahead
        FROM request s WHERE s.tenant = ${tenant}::uuid AND s.run = ${run}::uuid AND s.kind = 'start'`;
      return row === undefined ? null : Number(row.ahead) + 1;
    },
    quotas: async () => {
      const rows = await tx.$queryRaw<
        { name: QuotaName; value: bigint; active: number | null; amount: bigint | null; since: bigint | null; now: bigint }[]
      >`
        SELECT q.name, q.value, l.active, u.amount, u.since, n.ms AS now FROM quota q CROSS JOIN (SELECT ${NOW} AS ms) n
          LEFT JOIN lane l ON l.tenant = q.tenant AND l.kind = 'tenant' AND q.name = 'active_runs'
          LEFT JOIN LATERAL (SELECT u.amount, u.since FROM usage u WHERE u.tenant = q.tenant AND u.name = q.name ORDER BY u.since DESC LIMIT 1) u ON true
        WHERE q.tenant = ${tenant}::uuid ORDER BY q.name`;
      return rows.map(({ name, value, active, amount, since, now }): QuotaRow => {
        if (name === "stored_bytes") return { name, limit: Number(value), used: Number(amount ?? 0), resetsAt: null };
        const length = name === "active_runs" ? null : WINDOWS[name];
        if (length === null) return { name, limit: Number(value), used: active ?? 0, resetsAt: null };
        const begun = Number(now) - (Number(now) % length);
        return { name, limit: Number(value), used: Number(since ?? 0) === begun ? Number(amount) : 0, resetsAt: begun + length };
      });
    },
  };
}

async function lanesOf(tx: Transaction, tenant: TenantId, workflow: string | null): Promise<readonly LaneRow[]> {
  const rows = await tx.$queryRaw<Stored[]>`SELECT l.kind, l.name, l.most, l.rate_count, l.rate_ms, l.queue, l.active,
      (SELECT count(*) FROM request q WHERE q.tenant = l.tenant AND q.kind = 'start' AND q.consumed_at IS NULL
        AND (l.kind = 'tenant' OR q.workflow = l.name) AND coalesce(q.due_at, 0) <= ${NOW}) AS waiting,
      (SELECT count(*) FROM run r WHERE r.tenant = l.tenant AND r.lined_at IS NOT NULL AND (l.kind = 'tenant' OR r.workflow = l.name)) AS lined,
      (SELECT json_agg(h) FROM (SELECT r.id AS run, r.workflow, coalesce(r.begun_at, r.at) AS since FROM run r
        WHERE r.tenant = l.tenant AND r.holds AND (l.kind = 'tenant' OR r.workflow = l.name) ORDER BY r.id LIMIT ${HOLDERS}) h) AS holders
    FROM lane l WHERE l.tenant = ${tenant}::uuid AND (${workflow}::text IS NULL OR l.kind = 'tenant' OR l.name = ${workflow})
      AND (l.most IS NOT NULL OR l.rate_count IS NOT NULL OR l.queue IS NOT NULL)
    ORDER BY l.kind, l.name LIMIT ${MOST}`;
  return rows.map(({ rate_count, rate_ms, waiting, lined, holders, ...row }) => ({
    ...row,
    rate: rate_count === null ? null : { count: rate_count, windowMs: Number(rate_ms) },
    waiting: Number(waiting),
    lined: Number(lined),
    holders: (holders ?? []).map(({ run, ...of }) => ({ run: asRunId(run) as RunId, ...of })),
  }));
}

/** What a tenant may use; the number of its active runs is a lane's, of all its workflows together. */
export function quotas(tx: Transaction, wrote: () => void): Pick<AdminScope, "setQuota"> {
  return {
    setQuota: async (tenant, name, value) => {
      wrote();
      if (value === null) await tx.$executeRaw`DELETE FROM quota WHERE tenant = ${tenant}::uuid AND name = ${name}`;
      else
        await tx.$executeRaw`INSERT INTO quota (tenant, name, value, set_at) VALUES (${tenant}::uuid, ${name}, ${value}::bigint, ${NOW})
          ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value, set_at = excluded.set_at`;
      if (name !== "active_runs") return;
      // An engine counts it before anybody takes a place in it: control's administrator sees no runs.
      await tx.$executeRaw`INSERT INTO lane AS a (tenant, kind, name, most) SELECT ${tenant}::uuid, 'tenant', '', ${value}::int
        WHERE ${value !== null}::boolean OR EXISTS (SELECT FROM lane WHERE tenant = ${tenant}::uuid AND kind = 'tenant')
        ON CONFLICT (tenant, kind, name) DO UPDATE SET most = excluded.most`;
    },
  };
}
