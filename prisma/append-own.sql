-- What the append has more where a run of the batch draws on what the engine itself keeps (services.state), starts another one, ends one that
-- another waits for, or is something that the platform tells whoever listens. Three parts: before the move, after it, and the answer.
-- A write names the version that it was judged by (0: there was none). Whoever writes a workflow's state holds the row of its totals, so that
-- what a write was judged by is compared with what stands, and its room is taken, by one at a time. What does not fit keeps its run from moving: the answer names it
-- without a head. So does what would start more than is left to its tenant of this second: whoever stores such starts holds the second's row. `floor` is the highest version that was ever deleted: a key that comes again gets a higher one.
), noted AS (
  SELECT l.n, l.tenant, l.scope AS workflow, l.at, s.key, s.expected, s.floor, s.value, s.version, s.bytes, s.added,
    CASE WHEN s.value IS NULL THEN -1 WHEN s.expected = 0 THEN 1 ELSE 0 END AS keys
  FROM unnest($31::int[], $32::text[], $33::int[], $34::int[], $35::text[], $36::int[], $37::int[], $38::bigint[])
    AS s(n, key, expected, floor, value, version, bytes, added) JOIN locked l USING (n)
), totals AS (
  SELECT t.* FROM state_total t JOIN (SELECT DISTINCT tenant, workflow FROM noted) w ON w.tenant = t.tenant AND w.workflow = t.workflow
  ORDER BY t.tenant, t.workflow FOR NO KEY UPDATE OF t
), room AS (
  SELECT s.*, t.keys + sum(s.keys) OVER w AS keys_then, t.bytes + sum(s.added) OVER w AS bytes_then,
    row_number() OVER (PARTITION BY s.tenant, s.workflow, s.key ORDER BY s.n) AS nth
  FROM noted s JOIN totals t ON t.tenant = s.tenant AND t.workflow = s.workflow
  WHERE s.expected > 0 OR s.floor = t.floor
  WINDOW w AS (PARTITION BY s.tenant, s.workflow ORDER BY s.n)
), fitting AS (
  SELECT * FROM room WHERE nth = 1 AND (keys <= 0 OR keys_then <= $47::int) AND (added <= 0 OR bytes_then <= $48::bigint)
), found AS (
  SELECT f.n FROM fitting f JOIN state s ON s.tenant = f.tenant AND s.workflow = f.workflow AND s.key = f.key
  WHERE s.version = f.expected ORDER BY f.n FOR NO KEY UPDATE OF s
), created AS (
  INSERT INTO state (tenant, workflow, key, value, version, bytes, updated_at)
  SELECT tenant, workflow, key, value::json, version, bytes, at FROM fitting WHERE expected = 0
  ON CONFLICT DO NOTHING RETURNING tenant, workflow, key
), changed AS (
  UPDATE state s SET value = f.value::json, version = f.version, bytes = f.bytes, updated_at = f.at
  FROM fitting f JOIN found USING (n)
  WHERE f.value IS NOT NULL AND s.tenant = f.tenant AND s.workflow = f.workflow AND s.key = f.key
), removed AS (
  DELETE FROM state s USING fitting f JOIN found USING (n)
  WHERE f.value IS NULL AND s.tenant = f.tenant AND s.workflow = f.workflow AND s.key = f.key
), written AS (
  SELECT n FROM found
  UNION ALL SELECT f.n FROM fitting f JOIN created c ON c.tenant = f.tenant AND c.workflow = f.workflow AND c.key = f.key
), counted AS (
  UPDATE state_total t SET keys = t.keys + d.keys, bytes = t.bytes + d.added, floor = greatest(t.floor, d.floor)
  FROM (
    SELECT tenant, workflow, sum(keys)::int AS keys, sum(added)::bigint AS added, max(CASE WHEN value IS NULL THEN expected ELSE 0 END) AS floor
    FROM fitting JOIN written USING (n) GROUP BY tenant, workflow
  ) d WHERE t.tenant = d.tenant AND t.workflow = d.workflow
), limited AS (
  SELECT l.n, l.tenant, q.value, w.ms - w.ms % 1000 AS since, count(*) AS many
  FROM unnest($39::int[]) AS c(n) JOIN locked l USING (n) JOIN quota q ON q.tenant = l.tenant AND q.name = 'starts_per_second' CROSS JOIN now w
  GROUP BY 1, 2, 3, 4
), tallied AS (
  SELECT u.tenant, u.amount FROM usage u JOIN (SELECT DISTINCT tenant, since FROM limited) w ON w.tenant = u.tenant AND w.since = u.since
  WHERE u.name = 'starts_per_second' ORDER BY u.tenant FOR NO KEY UPDATE OF u
), affordable AS (
  SELECT * FROM (
    SELECT l.*, coalesce(t.amount, 0) + sum(l.many) OVER (PARTITION BY l.tenant ORDER BY l.n) AS amount_then FROM limited l LEFT JOIN tallied t USING (tenant)
    -- A row that is there and was left out is somebody else's just now.
    WHERE t.tenant IS NOT NULL OR NOT EXISTS (SELECT FROM usage u WHERE u.tenant = l.tenant AND u.name = 'starts_per_second' AND u.since = l.since)
  ) a WHERE amount_then <= value
), spent AS (
  -- Of a second that nobody has counted in until now no row was locked: who is second to make it compares again.
  INSERT INTO usage AS u (tenant, name, since, amount)
  SELECT tenant, 'starts_per_second', since, sum(many) FROM affordable GROUP BY tenant, since ORDER BY tenant
  ON CONFLICT (tenant, name, since) DO UPDATE SET amount = u.amount + excluded.amount
    WHERE u.amount + excluded.amount <= (SELECT q.value FROM quota q WHERE q.tenant = u.tenant AND q.name = u.name)
  RETURNING tenant
), ready AS (
  SELECT l.* FROM locked l WHERE (l.n IN (SELECT n FROM written) OR l.n NOT IN (SELECT n FROM noted))
    AND (l.n NOT IN (SELECT n FROM limited) OR l.n IN (SELECT a.n FROM affordable a JOIN spent USING (tenant)))
-- after the move
), started AS (
  INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at, workflow)
  SELECT m.tenant, c.run, 'start', c.scope, c.key, c.digest, c.run, c.body::json, (SELECT ms FROM now), c.workflow
  FROM unnest($39::int[], $40::uuid[], $41::text[], $42::text[], $43::text[], $44::text[], $49::text[])
      AS c(n, run, scope, key, digest, body, workflow)
    JOIN moved m USING (n)
  ON CONFLICT DO NOTHING
), waiting AS (
  SELECT m.n, m.tenant, m.id, c.run FROM unnest($45::int[], $46::uuid[]) AS c(n, run) JOIN moved m USING (n)
), told AS (
  INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at)
  SELECT tenant, gen_random_uuid(), 'child_settled', 'child:' || run, id::text, '', run,
    json_build_object('kind', 'child_settled', 'child', id), (SELECT ms FROM now)
  FROM waiting ON CONFLICT DO NOTHING
), announced AS (
  INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at)
  SELECT m.tenant, gen_random_uuid(), 'signal', 'signal:' || c.name, c.key, '', m.id, c.body::json, (SELECT ms FROM now)
  FROM unnest($50::int[], $51::text[], $52::text[], $53::text[]) AS c(n, name, key, body) JOIN moved m USING (n)
  WHERE EXISTS (SELECT FROM trigger_binding b WHERE b.tenant = m.tenant AND b.kind = 'signal' AND b.route = c.name)
  ON CONFLICT DO NOTHING
), delivered AS (
  INSERT INTO delivery (tenant, id, workflow, trigger, kind, outcome, code, source, count, at, run, payload, detail)
  SELECT m.tenant, d.id, d.workflow, d.trigger, d.kind, d.outcome, d.code, d.source, 1, (SELECT ms FROM now), d.run, d.payload::json, d.detail::json
  FROM unnest($54::int[], $55::uuid[], $56::text[], $57::text[], $58::text[], $59::text[], $60::text[], $61::text[], $62::uuid[], $63::text[], $64::text[])
      AS d(n, id, workflow, trigger, kind, outcome, code, source, run, payload, detail)
    JOIN moved m USING (n)
)
-- the answer
SELECT a.n, a.head, a.at, (SELECT ms FROM now) AS now, a.place,
  (SELECT r.owner FROM waiting w JOIN run r ON r.tenant = w.tenant AND r.id = w.run WHERE w.n = a.n) AS ring
FROM answered a
UNION ALL SELECT l.n, NULL, NULL, (SELECT ms FROM now), 'stale', NULL FROM locked l WHERE l.n NOT IN (SELECT n FROM ready)
