// INVARIANTS
// C1 Only a run without an owner, or whose owner is fenced (or so long dead that its row is gone), changes hands; its epoch grows, so that
//    the old owner's appends land nowhere. Who else took it between the look and the lock is told by the epoch alone: of the newer row
//    PostgreSQL does not ask again whether its owner lives.
// C2 A held run is not claimed, and one that stands in line only where there is room, or its time is over. From the third claim without progress on a run waits: 1 s, 2 s, 4 s … since the last one.
import { ENDED, LINED_NEXT, ORPHANED } from "./line.ts";
import { MS } from "./session.ts";

const COLUMNS =
  'r.tenant, r.id AS run, r.workflow, r.version, r.status, r.owner, r.epoch, r.claims, r.held, r.lined_at IS NOT NULL AS "isLined", r.head, r.at';
const PATIENT = "(r.claims < 2 OR r.claimed_at + (1000 << least(r.claims - 2, 10)) <= (SELECT ms FROM now))";
const FREE = `r.held IS NULL AND ${PATIENT}`;
const DUE = `${FREE} AND r.lined_at IS NULL AND r.next_due <= (SELECT ms FROM now) ORDER BY r.next_due LIMIT $2`;

/** $1 the engine, $2 how many. One index probe per dead engine, one for runs without an owner, one over the open inbox. */
export const CLAIM = `
WITH now AS (SELECT ${MS} AS ms), dead AS MATERIALIZED (SELECT id FROM engine WHERE fenced_at IS NOT NULL), due AS (
  SELECT c.* FROM dead d CROSS JOIN LATERAL (SELECT r.tenant, r.id, r.epoch, r.next_due FROM run r WHERE r.owner = d.id AND ${DUE}) c
  UNION ALL (SELECT r.tenant, r.id, r.epoch, r.next_due FROM run r WHERE r.owner IS NULL AND ${DUE})
  UNION ALL (SELECT c.tenant, c.id, c.epoch, q.created_at FROM request q CROSS JOIN LATERAL (
      SELECT r.tenant, r.id, r.epoch FROM run r WHERE r.tenant = q.tenant AND r.id = q.run AND r.status NOT IN ${ENDED} AND ${FREE}
        AND ${ORPHANED} AND r.lined_at IS NULL LIMIT 1) c
    WHERE q.consumed_at IS NULL AND q.kind NOT IN ('start', 'signal') ORDER BY q.created_at LIMIT $2)
  UNION ALL (${LINED_NEXT})
), first AS (
  SELECT tenant, id, epoch FROM due GROUP BY tenant, id, epoch ORDER BY min(next_due) LIMIT $2
), taken AS (
  SELECT r.tenant, r.id FROM run r JOIN first f ON f.tenant = r.tenant AND f.id = r.id AND f.epoch = r.epoch
  WHERE ${FREE} AND ${ORPHANED} AND EXISTS (SELECT FROM engine WHERE id = $1::uuid AND fenced_at IS NULL)
  ORDER BY r.tenant, r.id FOR NO KEY UPDATE OF r SKIP LOCKED
)
UPDATE run r SET owner = $1::uuid, epoch = r.epoch + 1, claims = r.claims + 1, claimed_at = (SELECT ms FROM now)
FROM taken t WHERE r.tenant = t.tenant AND r.id = t.id
RETURNING ${COLUMNS}`;

/** $1 the engine, $2 how many. */
export const OWN_DUE = `
SELECT tenant, id AS run FROM run
WHERE owner = $1::uuid AND held IS NULL AND next_due <= (SELECT ${MS}) ORDER BY next_due LIMIT $2`;

/** $1 tenant, $2 run, $3 engine, $4 epoch, $5 why. The epoch grows: nothing that was on its way may land on a held run. Its place is free. */
export const HOLD = `
WITH was AS (
  SELECT tenant, id, workflow, holds FROM run WHERE tenant = $1::uuid AND id = $2::uuid AND owner = $3::uuid AND epoch = $4::int FOR NO KEY UPDATE
), done AS (
  UPDATE run r SET held = $5, held_at = ${MS}, owner = NULL, epoch = r.epoch + 1, holds = false, lined_at = NULL
  FROM was w WHERE r.tenant = w.tenant AND r.id = w.id RETURNING r.id
), lanes AS (
  SELECT a.tenant, a.kind, a.name FROM lane a JOIN was w ON a.tenant = w.tenant AND w.holds AND (a.kind = 'tenant' OR (a.kind = 'workflow' AND a.name = w.workflow))
  ORDER BY a.tenant, a.kind, a.name FOR NO KEY UPDATE OF a
), freed AS (
  UPDATE lane a SET active = a.active - 1 FROM lanes l WHERE a.tenant = l.tenant AND a.kind = l.kind AND a.name = l.name
)
SELECT id FROM done`;

/** $1 the engine, $2 tenants, $3 runs. What somebody else holds just now is left for the next time. */
export const VOUCH = `
WITH mine AS (
  SELECT r.tenant, r.id FROM run r JOIN unnest($2::uuid[], $3::uuid[]) AS k(tenant, id) ON k.tenant = r.tenant AND k.id = r.id
  WHERE r.owner = $1::uuid AND r.claims > 0 ORDER BY r.tenant, r.id FOR NO KEY UPDATE OF r SKIP LOCKED
)
UPDATE run r SET claims = 0 FROM mine m WHERE r.tenant = m.tenant AND r.id = m.id`;

/** $1 the engine, $2 tenant, $3 run. The epoch grows, so that of two engines that answer one cancel only the last one writes. */
export const CLAIM_HELD = `
UPDATE run r SET owner = $1::uuid, epoch = r.epoch + 1
WHERE r.tenant = $2::uuid AND r.id = $3::uuid AND (r.held IS NOT NULL OR r.lined_at IS NOT NULL) AND (r.owner = $1::uuid OR ${ORPHANED})
  AND EXISTS (SELECT FROM engine WHERE id = $1::uuid AND fenced_at IS NULL)
RETURNING ${COLUMNS}`;

/** $1 any constant, $2 the run. Waits for transactions that are storing a decision; a statement of its own, so that the next one sees theirs. */
export const AWAIT_DECISIONS = "SELECT pg_advisory_xact_lock($1, hashtext($2))";
/** $1 tenant, $2 run. */
export const DECISIONS_OF = `
SELECT q.tenant, q.id, q.kind, q.run, q.body::text AS body, q.created_at, NULL AS status FROM request q
WHERE q.tenant = $1::uuid AND q.run = $2::uuid AND q.kind = 'resolve_approval' AND q.consumed_at IS NULL ORDER BY q.created_at, q.id`;

/**
 * $1 tenants, $2 ids, $3 answers. The end of a run that another one called is passed on to the run that resumes that one: it may have asked for the same
 * run, and waits for it.
 */
export const ANSWER = `
WITH answered AS (
  UPDATE request q SET consumed_at = ${MS}, answer = a.answer
  FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS a(tenant, id, answer)
  WHERE q.tenant = a.tenant AND q.id = a.id AND q.consumed_at IS NULL RETURNING q.tenant, q.kind, q.key, q.run, q.body
)
INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at)
SELECT a.tenant, gen_random_uuid(), a.kind, 'child:' || s.run, a.key, '', s.run, a.body, ${MS}
FROM answered a JOIN request s ON s.tenant = a.tenant AND s.scope = 'resume:' || a.run AND s.kind = 'start'
WHERE a.kind = 'child_settled' ON CONFLICT DO NOTHING`;
