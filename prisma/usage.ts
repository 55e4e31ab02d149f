// INVARIANTS
// U1 What tenants use is counted from what was appended, in memory, and written once a second, of those alone that have a quota of it: no append costs more,
//    and no run a commit. An engine that dies, or an answer that is lost, costs the count a second at most; `woml rebuild` counts the logs.
// U2 A minute is that of the events, by PostgreSQL's clock. What is stored is counted from its logs once, when the quota is new, and then by what is added.
// U3 Rows are locked in one order, and old ones only where nobody else has them: two engines cannot wait for each other.
import type { TenantId } from "@woml/run";
import type { Entry, Written } from "./append.ts";
import type { Append } from "./engine-store.ts";
import { MINUTES, type SpentQuota } from "./lane.ts";
import type { Ask } from "./load.ts";
import { MS } from "./session.ts";

export const MINUTE_MS = 60_000;
/** Rows of windows that are over for so long are cleared away. */
const KEPT_MS = 3_600_000;
const SPENDING = MINUTES.map((name) => `'${name}'`).join(", ");
/** The minute that goes on. */
const SINCE = `(SELECT ms - ms % ${MINUTE_MS} FROM now)`;
/** Tenants that have used up what they may use within the minute. Needs `now`. */
export const SPENT = `SELECT q.tenant, q.name AS quota, q.value AS "limit", ${SINCE} + ${MINUTE_MS} AS "resetsAt" FROM quota q
  LEFT JOIN usage u ON u.tenant = q.tenant AND u.name = q.name AND u.since = ${SINCE}
  WHERE q.name IN (${SPENDING}) AND coalesce(u.amount, 0) >= q.value`;
const SPENT_NOW = `WITH now AS (SELECT ${MS} AS ms) ${SPENT} ORDER BY q.tenant, q.name`;
/** $1 tenants, $2 names, $3 since when, $4 how much. */
const ADD = `WITH now AS (SELECT ${MS} AS ms), old AS (
  SELECT u.tenant, u.name, u.since FROM usage u WHERE (u.name <> 'stored_bytes' AND u.since < (SELECT ms FROM now) - ${KEPT_MS})
    OR (u.name = 'stored_bytes' AND NOT EXISTS (SELECT FROM quota q WHERE q.tenant = u.tenant AND q.name = u.name))
  FOR UPDATE OF u SKIP LOCKED
), cleared AS (
  DELETE FROM usage u USING old o WHERE u.tenant = o.tenant AND u.name = o.name AND u.since = o.since
) INSERT INTO usage AS u (tenant, name, since, amount)
  SELECT a.* FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS a(tenant, name, since, amount)
    JOIN quota q ON q.tenant = a.tenant AND q.name = a.name
  WHERE CASE WHEN a.name = 'stored_bytes' THEN EXISTS (SELECT FROM usage s WHERE s.tenant = a.tenant AND s.name = a.name)
    ELSE a.since >= (SELECT ms FROM now) - ${KEPT_MS} END
  ORDER BY a.tenant, a.name, a.since
  ON CONFLICT (tenant, name, since) DO UPDATE SET amount = u.amount + excluded.amount`;
const STORED = "SELECT coalesce(sum(octet_length(e.data::text)), 0) FROM run_event e WHERE e.tenant = q.tenant";
const COUNT_STORED = `INSERT INTO usage (tenant, name, since, amount) SELECT q.tenant, q.name, 0, (${STORED}) FROM quota q
  WHERE q.name = 'stored_bytes' AND NOT EXISTS (SELECT FROM usage u WHERE u.tenant = q.tenant AND u.name = q.name)
  ON CONFLICT (tenant, name, since) DO NOTHING`;
const OF_MINUTE = `FROM run r JOIN run_event e ON e.tenant = r.tenant AND e.run = r.id
  WHERE r.tenant = q.tenant AND r.at >= ${SINCE} AND e.at >= ${SINCE}`;
/** The same of all that have a quota of it, by the logs. $1: of this tenant. */
const RECOUNT = `WITH now AS (SELECT ${MS} AS ms), counted AS (
  SELECT q.tenant, q.name, CASE q.name WHEN 'stored_bytes' THEN 0 ELSE ${SINCE} END AS since, CASE q.name WHEN 'stored_bytes' THEN (${STORED})
      WHEN 'cpu_ms_per_minute' THEN (SELECT coalesce(round(sum((e.data->>'cpuMs')::numeric)), 0) ${OF_MINUTE})
      ELSE (SELECT count(*) ${OF_MINUTE} AND e.type = 'operation_started' AND e.data->>'reused' IS NULL) END::bigint AS amount
  FROM quota q WHERE q.name IN (${SPENDING}, 'stored_bytes') AND q.tenant = coalesce($1::uuid, q.tenant)
) INSERT INTO usage AS u (tenant, name, since, amount) SELECT c.* FROM counted c
  WHERE c.amount > 0 OR EXISTS (SELECT FROM usage o WHERE o.tenant = c.tenant AND o.name = c.name AND o.since = c.since)
  ORDER BY c.tenant, c.name, c.since
  ON CONFLICT (tenant, name, since) DO UPDATE SET amount = excluded.amount WHERE u.amount <> excluded.amount RETURNING 1`;
/** Tenants whose logs could not be counted in the time of a statement are counted by `woml rebuild`; here it is tried again after so long. */
const COUNT_AGAIN_MS = 600_000;

/** What one append uses: UTF-8 length of its events' data in `bytes`. */
export function usedBy(events: Append["events"], bytes: number): readonly (readonly [string, number])[] {
  let [cpu, operations] = [0, 0];
  for (const { type, data } of events) {
    if ("cpuMs" in data && typeof data.cpuMs === "number") cpu += data.cpuMs;
    // Every dispatch; what an earlier attempt had performed is none.
    if (type === "operation_started" && data.reused === null) operations += 1;
  }
  return [
    ["cpu_ms_per_minute", cpu],
    ["operations_per_minute", operations],
    ["stored_bytes", bytes],
  ];
}
export const minuteOf = (at: number): number => at - (at % MINUTE_MS);

interface Used {
  readonly tenant: TenantId;
  readonly name: string;
  readonly since: number;
  amount: number;
}

/** What was appended and is not written yet. */
export class Usage {
  #used = new Map<string, Used>();

  /** Of a batch that was written. */
  note(batch: readonly Entry[], written: (entry: Entry) => Written | undefined): void {
    for (const entry of batch) {
      const moved = written(entry);
      if (typeof moved !== "object") continue;
      for (const [name, amount] of usedBy(entry.append.events, entry.stored)) {
        const since = name === "stored_bytes" ? 0 : minuteOf(moved.at);
        if (amount > 0) this.#add({ tenant: entry.append.tenant, name, since, amount });
      }
    }
  }
  /** As it stands; nothing is left of it. In the order of the rows. */
  take(): readonly Used[] {
    const used = [...this.#used].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    this.#used = new Map();
    return used;
  }
  giveBack(used: readonly Used[]): void {
    for (const one of used) this.#add(one);
  }
  #add(one: Used): void {
    const key = `${one.tenant} ${one.name} ${one.since}`;
    const found = this.#used.get(key);
    if (found === undefined) this.#used.set(key, { ...one });
    else found.amount += one.amount;
  }
}

/** Writes down what was used; answers who has used up what. `change` answers how many rows it has changed. */
export function metering(
  usage: Usage,
  ask: Ask,
  change: (text: string, values: unknown[]) => Promise<number>,
): () => Promise<readonly SpentQuota[]> {
  let countedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const used = usage.take();
    try {
      if (used.length > 0) {
        const column = <K extends keyof Used>(name: K): Used[K][] => used.map((one) => one[name]);
        await change(ADD, [column("tenant"), column("name"), column("since"), column("amount").map(Math.round)]);
      }
    } catch (error) {
      usage.giveBack(used);
      throw error;
    }
    if (performance.now() - countedAt >= COUNT_AGAIN_MS) {
      await change(COUNT_STORED, []).catch(() => {
        countedAt = performance.now();
      });
    }
    return (await ask<SpentQuota>({ name: "spent", text: SPENT_NOW, values: [] })).rows;
  };
}

/** Makes what this minute's use is, and what is stored, anew from the logs; answers how many were something else. */
export async function recountUsage(
  query: (text: string, values?: unknown[]) => Promise<{ readonly rows: readonly object[] }>,
  { tenant, dryRun }: { readonly tenant?: string | undefined; readonly dryRun?: boolean },
): Promise<number> {
  await query("BEGIN");
  try {
    const { rows } = await query(RECOUNT, [tenant ?? null]);
    await query(dryRun ? "ROLLBACK" : "COMMIT");
    return rows.length;
  } catch (error) {
    await query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
