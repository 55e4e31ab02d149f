import { asRunId, type TenantId } from "@woml/run";
import { NOW, type Transaction } from "../client.ts";
import type { FindingRow, TenantScope } from "../control-store.ts";
import { Prisma } from "../generated/client.ts";
import { ENDED, MOTIONLESS } from "../stuck.ts";

/** An engine looks each second: what it has not seen to in so long, it does not see to. A busy one may let starts wait longer. */
const UNSEEN_MS = 30_000;
const UNTAKEN_MS = 60_000;
/** Where no engine is left, nobody fences those that are gone: a lease that ran out as long ago says the same. */
const LIVES = Prisma.sql`g.fenced_at IS NULL AND g.expires_at > ${NOW} - ${UNSEEN_MS}::int`;
const GONE = Prisma.sql`NOT EXISTS (SELECT FROM engine g WHERE g.id = r.owner AND ${LIVES})`;
/**
 * Lanes that count others than those that hold a place, which every append moves together; told of who waits there longest, or else of one that holds. In `lane`
 * nobody waits and nobody holds: then it keeps nobody waiting either.
 */
const MISCOUNTED = (tenant: TenantId): Prisma.Sql => Prisma.sql`(
  SELECT l.kind, l.name, l.active, h.count AS holding, w.run, w.since FROM lane l
  CROSS JOIN LATERAL (SELECT count(*) AS count FROM run o WHERE o.tenant = l.tenant AND o.holds AND (l.kind = 'tenant' OR o.workflow = l.name)) h
  CROSS JOIN LATERAL (
    (SELECT q.run, q.created_at AS since, 1 AS nth FROM request q WHERE q.tenant = l.tenant AND q.consumed_at IS NULL AND q.kind = 'start'
      AND (l.kind = 'tenant' OR q.workflow = l.name) ORDER BY q.created_at, q.id LIMIT 1)
    UNION ALL (SELECT o.id, o.at, 2 FROM run o WHERE o.tenant = l.tenant AND (o.holds OR o.lined_at IS NOT NULL)
      AND (l.kind = 'tenant' OR o.workflow = l.name) ORDER BY o.at, o.id LIMIT 1)
    ORDER BY nth LIMIT 1) w
  WHERE l.tenant = ${tenant}::uuid AND l.counted AND l.active <> h.count) r`;
const ended = Prisma.raw(ENDED);

/** What has gone wrong with runs of a tenant, as rows alone tell it, at most `limit` of each kind. */
export function findings(tx: Transaction, tenant: TenantId): Pick<TenantScope, "findings"> {
  const own = Prisma.sql`r.tenant = ${tenant}::uuid`;
  return {
    findings: async (limit) => {
      const part = (kind: FindingRow["kind"], columns: Prisma.Sql, from: Prisma.Sql): Prisma.Sql =>
        Prisma.sql`(SELECT ${kind}::text AS kind, ${columns} FROM ${from} LIMIT ${limit})`;
      const asked = Prisma.sql`EXISTS (SELECT FROM request q WHERE q.tenant = r.tenant AND q.run = r.id AND q.consumed_at IS NULL)`;
      // What has a lane may stand in its line for as long as it takes, while there are engines; what is to begin later waits for its time.
      const inLine = Prisma.sql`(r.kind = 'start' AND (coalesce(r.due_at, 0) > ${NOW} - ${UNTAKEN_MS}::int
        OR (EXISTS (SELECT FROM lane l WHERE l.tenant = r.tenant AND (l.kind = 'tenant' OR l.name = r.workflow))
          AND EXISTS (SELECT FROM engine g WHERE ${LIVES}))))`;
      const due = Prisma.sql`${own} AND r.held IS NULL AND r.lined_at IS NULL AND r.next_due < ${NOW} - ${UNSEEN_MS}::int AND r.at < ${NOW} - ${UNSEEN_MS}::int`;
      const parts = [
        part(
          "held",
          Prisma.sql`r.id::text AS run, r.held_at AS since, r.held AS detail`,
          Prisma.sql`run r WHERE ${own} AND r.held IS NOT NULL`,
        ),
        part(
          "motionless",
          Prisma.sql`r.id::text, r.at, r.status`,
          Prisma.sql`run r WHERE ${own} AND r.next_due IS NULL AND r.status NOT IN ${ended} AND ${Prisma.raw(MOTIONLESS)} AND NOT ${asked}`,
        ),
        part(
          "ownerless",
          Prisma.sql`r.id::text, greatest(r.next_due, r.at), coalesce(r.owner::text, '')`,
          Prisma.sql`run r WHERE ${due} AND ${GONE}`,
        ),
        part(
          "overdue",
          Prisma.sql`r.id::text, greatest(r.next_due, r.at), r.waiting_for->>'cause'`,
          Prisma.sql`run r WHERE ${due} AND NOT ${GONE} AND r.waiting_for->>'cause' IN ('backoff', 'approval')`,
        ),
        part(
          "unanswered",
          Prisma.sql`r.run::text, r.created_at, r.kind`,
          Prisma.sql`request r WHERE ${own} AND r.consumed_at IS NULL AND r.created_at < ${NOW} - ${UNTAKEN_MS}::int AND NOT ${inLine}`,
        ),
        part(
          "miscounted",
          Prisma.sql`r.run::text, r.since, CASE r.kind WHEN 'tenant' THEN 'the tenant' ELSE r.name END || ': ' || r.active || ' instead of ' || r.holding`,
          MISCOUNTED(tenant),
        ),
        part(
          "stray_timer",
          Prisma.sql`r.run::text, r.due_at, r.kind || ' ' || r.subject`,
          Prisma.sql`timer r WHERE ${own}
            AND NOT EXISTS (SELECT FROM run o WHERE o.tenant = r.tenant AND o.id = r.run AND o.status NOT IN ${ended})`,
        ),
      ];
      const rows = await tx.$queryRaw<Stored[]>`${Prisma.join(parts, " UNION ALL ")} ORDER BY kind, since, run`;
      return rows.map(({ kind, run, since, detail }) => ({ kind, run: asRunId(run), since: Number(since), detail }));
    },
  };
}

interface Stored {
  readonly kind: FindingRow["kind"];
  readonly run: string;
  readonly since: bigint;
  readonly detail: string;
}
