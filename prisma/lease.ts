// INVARIANTS
// L1 The lock is taken before the row appears and on the session that renews: whoever sees the row free of its lock sees a dead engine.
// L2 A fenced row is never renewed, by anyone.
import { Client, DatabaseError } from "pg";
import type { Lease } from "./engine-store.ts";
import { engineSession, MS } from "./session.ts";

/** The highest event shape this engine reads (engine.md: run.needs). */
const READS = 1;
const DAY_MS = 86_400_000;
const LOCK = "hashtextextended($1::uuid::text, 0)";

const INSERT = `INSERT INTO engine (id, expires_at, reads) VALUES ($1, ${MS} + $2::int, ${READS}) RETURNING ${MS} AS at`;
const RENEW = `UPDATE engine SET expires_at = ${MS} + $2::int WHERE id = $1 AND fenced_at IS NULL RETURNING ${MS} AS at`;
/** Whoever releases dispatches nothing any more: nobody waits for what was left of its lease. */
const RELEASE = `UPDATE engine SET fenced_at = ${MS}, expires_at = 0 WHERE id = $1 AND fenced_at IS NULL`;
/** Rows that no run can need any more. */
const PRUNE = `DELETE FROM engine e WHERE e.fenced_at < ${MS} - ${DAY_MS}
  AND NOT EXISTS (SELECT FROM run r WHERE r.owner = e.id AND r.next_due IS NOT NULL AND r.held IS NULL)`;
const OWNED = "FROM run r WHERE r.next_due IS NOT NULL AND r.held IS NULL AND r.owner";
/**
 * The try-lock ends with the statement's transaction, so that two engines that look at once do not keep each other's. An owner without a row,
 * which no engine that lives is, gets one that is fenced, so that its runs are claimed: one index probe an owner. Its lease counts as long
 * over: a row goes a day after it was fenced (PRUNE).
 */
export const FENCE = `WITH RECURSIVE owners AS (
  (SELECT r.owner ${OWNED} IS NOT NULL ORDER BY r.owner LIMIT 1)
  UNION ALL SELECT (SELECT r.owner ${OWNED} > o.owner ORDER BY r.owner LIMIT 1) FROM owners o WHERE o.owner IS NOT NULL
), missing AS (
  INSERT INTO engine (id, expires_at, fenced_at, reads) SELECT o.owner, 0, ${MS}, 0 FROM owners o
  WHERE o.owner IS NOT NULL AND NOT EXISTS (SELECT FROM engine e WHERE e.id = o.owner) ON CONFLICT DO NOTHING RETURNING id
), dead AS (
  UPDATE engine SET fenced_at = ${MS} WHERE id <> $1::uuid AND fenced_at IS NULL
    AND (expires_at < ${MS} OR pg_try_advisory_xact_lock(hashtextextended(id::text, 0))) RETURNING id
)
SELECT id FROM missing UNION ALL SELECT id FROM dead`;

export const PEERS = "SELECT id FROM engine WHERE fenced_at IS NULL ORDER BY id";

/** A session of its own, direct to PostgreSQL: its end is the engine's. `wrote` counts statements that write. */
export async function openLease(
  place: string,
  asked: { readonly engine: string; readonly leaseMs: number },
  wrote: () => void,
): Promise<{ readonly lease: Lease; readonly at: number }> {
  const client = new Client({ ...engineSession(place), application_name: `woml-lease ${asked.engine}` });
  const lost = Promise.withResolvers<void>();
  let released = false;
  const broken = (): void => (released ? undefined : lost.resolve());
  client.on("error", broken);
  client.on("end", broken);
  const write = async (sql: string, values: unknown[]): Promise<number | null> => {
    const { rows } = await client.query<{ at: number }>(sql, values);
    wrote();
    return rows[0]?.at ?? null;
  };
  const renew = async (): Promise<number | null> => {
    try {
      const at = await write(RENEW, [asked.engine, asked.leaseMs]);
      if (at === null) broken();
      return at;
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      broken();
      client.end().catch(() => {});
      return null;
    }
  };
  const release = async (): Promise<void> => {
    released = true;
    await write(RELEASE, [asked.engine]).finally(() => client.end());
  };
  try {
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(${LOCK})`, [asked.engine]);
    await client.query(PRUNE);
    const at = (await write(INSERT, [asked.engine, asked.leaseMs])) ?? 0;
    return { lease: { engine: asked.engine, lost: lost.promise, renew, release }, at };
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
}
