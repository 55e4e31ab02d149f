// INVARIANTS
// N1 A start is in the line until it is admitted: nothing but its request says that it waits. The line is read by turns, one start of each tenant after
//    the other, so that nobody's many stand before another's few.
// N2 Of a workflow no more is read than there is room for in its lane, less what stands in line there to go on: that goes first. Whether there is room is
//    decided by the append alone (append.sql); here it only spares asking in vain. Of a tenant that has used up what it may in a minute nothing is read.
// N3 A cancel brings the start of its run with it, whatever that waits for: what ends at once needs no place.
import { isDeepStrictEqual } from "node:util";
import { MS } from "./session.ts";
import { SPENT } from "./usage.ts";

export const ENDED = "('succeeded', 'failed', 'cancelled')";
/** Owned by nobody who lives: also when the row of a dead engine has been cleared away. */
export const ORPHANED = "NOT EXISTS (SELECT FROM engine g WHERE g.id = r.owner AND g.fenced_at IS NULL)";

const WAITS = "q.consumed_at IS NULL AND q.kind = 'start'";
const READY = "coalesce(q.due_at, q.created_at)";
/** Who waits where: one index probe a tenant and workflow, however many starts there are. */
const PAIRS = (
  condition: string,
): string => `(SELECT q.tenant, q.workflow FROM request q WHERE ${WAITS} AND ${condition} ORDER BY q.tenant, q.workflow LIMIT 1)
  UNION ALL SELECT n.tenant, n.workflow FROM pair p CROSS JOIN LATERAL (
    SELECT q.tenant, q.workflow FROM request q WHERE ${WAITS} AND (q.tenant, q.workflow) > (p.tenant, p.workflow) ORDER BY q.tenant, q.workflow LIMIT 1) n`;
/** Runs that wait for a place to go on, where there is one in their workflow's lane: how many of a workflow, and of a tenant. */
const LINED = `lined AS (
  SELECT r.tenant, r.workflow, least(r.count, coalesce(w.most - w.active, r.count)) AS count
  FROM (SELECT r.tenant, r.workflow, count(*) AS count FROM run r WHERE r.lined_at IS NOT NULL AND r.held IS NULL GROUP BY 1, 2) r
    LEFT JOIN lane w ON w.tenant = r.tenant AND w.kind = 'workflow' AND w.name = r.workflow
)`;
/** Of the next $2 starts of a rate-limited lane those that come too early: start n may go when start n - count is older than the window. */
const EARLY = `(SELECT count(*) FROM run o WHERE o.tenant = w.tenant AND o.workflow = w.name AND o.start_no > w.start_no - w.rate_count
  AND o.start_no <= w.start_no - w.rate_count + $2::int AND o.begun_at + w.rate_ms > (SELECT ms FROM now))`;
/** For so many new starts there is room, in the lane of the workflow (`places`) and of the tenant (`most`). */
const ROOM = `spent AS MATERIALIZED (${SPENT}), room AS (
  SELECT p.tenant, p.workflow, w.rate_count IS NOT NULL AS rated, least($2::int,
      CASE WHEN w.most IS NOT NULL THEN CASE WHEN w.counted THEN w.most ELSE 0 END - w.active - coalesce((SELECT l.count FROM lined l WHERE l.tenant = p.tenant AND l.workflow = p.workflow), 0) END,
      CASE WHEN w.rate_count IS NOT NULL THEN least($2::int, w.rate_count) - ${EARLY} END) AS places,
    CASE WHEN t.most IS NOT NULL THEN CASE WHEN t.counted THEN t.most ELSE 0 END - t.active - coalesce((SELECT sum(l.count) FROM lined l WHERE l.tenant = p.tenant), 0) END AS most
  FROM pair p LEFT JOIN lane w ON w.tenant = p.tenant AND w.kind = 'workflow' AND w.name = p.workflow
    LEFT JOIN lane t ON t.tenant = p.tenant AND t.kind = 'tenant'
  WHERE NOT EXISTS (SELECT FROM spent s WHERE s.tenant = p.tenant)
)`;

/**
 * $1 the engine, $2 how many, $3 with starts. Words first: those that concern runs that are its own, ended, held, or not there; what a held one is told of
 * its calls waits until it is free; and cancels of what stands in line. Then starts, by turns of the tenants. `starting`: of a run that is not there, its start is still to come.
 */
export const INBOX = `
WITH RECURSIVE now AS (SELECT ${MS} AS ms), pair AS (${PAIRS("$3::boolean")}), ${LINED}, ${ROOM}, line AS (
  SELECT s.*, r.rated, r.most, row_number() OVER (PARTITION BY s.tenant ORDER BY s.ready, s.id) AS turn
  FROM room r CROSS JOIN LATERAL (
    SELECT q.tenant, q.id, ${READY} AS ready FROM request q
    WHERE ${WAITS} AND q.tenant = r.tenant AND q.workflow = r.workflow AND ${READY} <= (SELECT ms FROM now)
    ORDER BY ${READY}, q.id LIMIT greatest(0, r.places)) s
), word AS (
  SELECT q.tenant, q.id, q.run, q.kind, r.status, r.id IS NULL AS unadmitted FROM request q LEFT JOIN run r ON r.tenant = q.tenant AND r.id = q.run
  WHERE q.consumed_at IS NULL AND q.kind <> 'start' AND q.kind <> 'signal' AND (r.id IS NULL OR r.owner = $1::uuid OR r.status IN ${ENDED}
    OR (${ORPHANED} AND ((r.held IS NOT NULL AND q.kind <> 'child_settled') OR (r.lined_at IS NOT NULL AND q.kind = 'cancel'))))
  ORDER BY q.created_at, q.id LIMIT $2::int
), begun AS (
  SELECT w.tenant, w.run, w.kind, s.id FROM word w JOIN request s ON s.tenant = w.tenant AND s.run = w.run WHERE w.unadmitted AND s.kind = 'start' AND s.consumed_at IS NULL
), led AS (
  SELECT DISTINCT tenant, id FROM begun WHERE kind = 'cancel' AND $3::boolean
), asked AS (
  SELECT w.tenant, w.id, w.status, w.unadmitted AND EXISTS (SELECT FROM begun b WHERE b.tenant = w.tenant AND b.run = w.run) AS starting, false AS rated, 0 AS turn FROM word w
  UNION ALL SELECT tenant, id, NULL, false, false, 0 FROM led
  UNION ALL SELECT l.tenant, l.id, NULL, false, l.rated, l.turn FROM line l
    WHERE (l.most IS NULL OR l.turn <= l.most) AND NOT EXISTS (SELECT FROM led d WHERE d.tenant = l.tenant AND d.id = l.id)
)
SELECT q.tenant, q.id, q.kind, q.run, q.body::text AS body, ${READY} AS created_at, a.status, a.starting, a.rated
FROM asked a JOIN request q ON q.tenant = a.tenant AND q.id = a.id ORDER BY a.turn, q.created_at, q.id LIMIT $2::int`;

/** Of runs that stand in line to go on: those that there is room for, and those whose time is over. */
export const LINED_NEXT = `SELECT c.tenant, c.id, c.epoch, c.lined_at FROM (
  SELECT c.*, row_number() OVER (PARTITION BY c.tenant ORDER BY c.lined_at, c.id) AS of_all FROM (
    SELECT r.tenant, r.id, r.epoch, r.lined_at, r.workflow, row_number() OVER (PARTITION BY r.tenant, r.workflow ORDER BY r.lined_at, r.id) AS nth
    FROM run r WHERE r.lined_at IS NOT NULL AND r.held IS NULL
  ) c LEFT JOIN lane w ON w.tenant = c.tenant AND w.kind = 'workflow' AND w.name = c.workflow WHERE w.most IS NULL OR c.nth <= w.most - w.active
) c LEFT JOIN lane t ON t.tenant = c.tenant AND t.kind = 'tenant' WHERE t.most IS NULL OR c.of_all <= t.most - t.active
UNION ALL SELECT r.tenant, r.id, r.epoch, r.lined_at FROM run r JOIN timer x ON x.tenant = r.tenant AND x.run = r.id
  WHERE r.lined_at IS NOT NULL AND r.held IS NULL AND x.kind IN ('deadline', 'approval') AND x.due_at <= (SELECT ms FROM now)`;

/** When the first start that only comes too early may go, epoch ms. */
export const OPENS = `
WITH RECURSIVE now AS (SELECT ${MS} AS ms), pair AS (${PAIRS("true")})
SELECT min(o.begun_at + w.rate_ms) AS at FROM pair p JOIN lane w ON w.tenant = p.tenant AND w.kind = 'workflow' AND w.name = p.workflow
  JOIN run o ON o.tenant = w.tenant AND o.workflow = w.name AND o.start_no = w.start_no - w.rate_count + 1
WHERE w.rate_count IS NOT NULL AND (w.most IS NULL OR w.active < w.most)`;

/** New lanes that every transaction which goes on has seen from its beginning. */
const UNCOUNTED = "NOT counted AND made_by < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint";
/** Under its lock nobody moves a lane; what the next statement sees is all that was moved. $1 tenant, $2 kind, $3 name. */
const LOCK_LANE = "SELECT active FROM lane WHERE tenant = $1 AND kind = $2 AND name = $3 FOR NO KEY UPDATE";
const COUNT_LANE = `UPDATE lane a SET counted = true, active = c.active
  FROM (SELECT count(*)::int AS active FROM run r WHERE r.tenant = $1 AND r.holds AND ($2 = 'tenant' OR r.workflow = $3)) c
  WHERE a.tenant = $1 AND a.kind = $2 AND a.name = $3 RETURNING a.active`;
type Query = (text: string, values?: unknown[]) => Promise<{ readonly rows: readonly object[] }>;

/** In each lane that is new `active` becomes the number of runs that hold. Answers how many there were. */
export async function countLanes(query: Query): Promise<number> {
  const { rows } = await query(`SELECT tenant, kind, name FROM lane WHERE ${UNCOUNTED} ORDER BY tenant, kind, name`);
  for (const row of rows) await countLane(query, Object.values(row), "COMMIT");
  return rows.length;
}

/** The same in all of a tenant, or of everybody; answers in how many it was something else. */
export async function recount(
  query: Query,
  { tenant, dryRun }: { readonly tenant?: string | undefined; readonly dryRun?: boolean },
): Promise<number> {
  const { rows } = await query(
    "SELECT tenant, kind, name FROM lane WHERE counted AND tenant = coalesce($1::uuid, tenant) ORDER BY tenant, kind, name",
    [tenant ?? null],
  );
  let wrong = 0;
  for (const row of rows) if (await countLane(query, Object.values(row), dryRun ? "ROLLBACK" : "COMMIT")) wrong += 1;
  return wrong;
}

async function countLane(query: Query, key: unknown[], end: "COMMIT" | "ROLLBACK"): Promise<boolean> {
  await query("BEGIN");
  try {
    const { rows: before } = await query(LOCK_LANE, key);
    const { rows: after } = await query(COUNT_LANE, key);
    await query(end);
    return !isDeepStrictEqual(before, after);
  } catch (error) {
    await query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
