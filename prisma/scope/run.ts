import { asRunId, type RunId, type RunStatus, type TenantId, type Timer, type Waiting } from "@woml/run";
import type { Transaction } from "../client.ts";
import type { RunFilter, RunRow, TenantScope } from "../control-store.ts";
import type { Prisma, Run } from "../generated/client.ts";
import { eventOf, eventPages, type StoredEvent } from "./log.ts";
import { cut } from "./page.ts";

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
type Runs = Pick<TenantScope, "run" | "runs" | "rowless" | "events" | "ends" | "timers">;

export function runs(tx: Transaction, tenant: TenantId): Runs {
  return {
    run: async (id) => {
      const found = await tx.run.findUnique({ where: { tenant_id: { tenant, id } } });
      return found && shown(found);
    },
    runs: async (filter, { first, after }) => {
      const where = { tenant, ...wanted(filter), ...(after === null ? {} : { id: { lt: after } }) };
      const rows = await tx.run.findMany({ where, orderBy: { id: "desc" }, take: first + 1 });
      return cut(rows.map(shown), first);
    },
    rowless: async ({ first, after, until }) => {
      const rows = await tx.$queryRaw<{ run: string }[]>`SELECT e.run::text FROM run_event e
        WHERE e.tenant = ${tenant}::uuid AND e.run < coalesce(${after}::uuid, ${LAST_ID}::uuid) AND e.run >= coalesce(${until}::uuid, ${FIRST_ID}::uuid)
          AND e.seq = 1 AND NOT EXISTS (SELECT FROM run r WHERE r.tenant = e.tenant AND r.id = e.run)
        ORDER BY e.run DESC LIMIT ${first}`;
      return rows.map(({ run }) => asRunId(run));
    },
    events: (asks) => eventPages(tx, tenant, asks),
    ends: async (ids) => {
      const rows = await tx.$queryRaw<StoredEvent[]>`SELECT e.run::text, e.seq, e.at, e.type, e.data::text
        FROM run r JOIN run_event e ON e.tenant = r.tenant AND e.run = r.id
          AND e.seq = ANY(ARRAY[1, CASE WHEN r.status IN ('succeeded', 'failed', 'cancelled') THEN r.head ELSE 1 END])
        WHERE r.tenant = ${tenant}::uuid AND e.tenant = ${tenant}::uuid AND r.id = ANY(${ids}::uuid[]) ORDER BY e.run, e.seq`;
      return byRun(rows, eventOf);
    },
    timers: async (ids) => {
      const rows = await tx.timer.findMany({ where: { tenant, run: { in: [...ids] } }, orderBy: [{ kind: "asc" }, { subject: "asc" }] });
      return byRun(rows, ({ subject, kind, dueAt }) => ({ subject, kind: kind as Timer["kind"], dueAt: Number(dueAt) }));
    },
  };
}

/** By what is shown: a held run waits. */
function wanted({ workflow, status, label }: RunFilter): Prisma.RunWhereInput {
  const plain = status && { held: null, status: { in: [...status] } };
  return {
    ...(workflow === null ? {} : { workflow }),
    ...(label === null ? {} : { labels: { has: label } }),
    ...(plain ? { OR: status.includes("waiting") ? [plain, { held: { not: null } }] : [plain] } : {}),
  };
}

function byRun<R extends { readonly run: string }, T>(rows: readonly R[], pick: (row: R) => T): ReadonlyMap<RunId, readonly T[]> {
  const found = new Map<RunId, T[]>();
  for (const row of rows) {
    const id = asRunId(row.run);
    const list = found.get(id) ?? [];
    list.push(pick(row));
    found.set(id, list);
  }
  return found;
}

function shown(row: Run): RunRow {
  const { id, workflow, version, labels, head, held, owner } = row;
  const timeOf = (at: bigint | null): number | null => (at === null ? null : Number(at));
  const times = { at: Number(row.at), heldAt: timeOf(row.heldAt), linedAt: timeOf(row.linedAt) };
  const nextDue = row.nextDue === null ? null : Number(row.nextDue);
  const waitingFor = row.waitingFor as Waiting | null;
  return { id: asRunId(id), workflow, version, labels, status: row.status as RunStatus, head, held, ...times, waitingFor, nextDue, owner };
}
