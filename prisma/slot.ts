// INVARIANTS
// F1 What a slot asks for is inserted by the statement that moves its trigger on, and only while the trigger stands at that slot, under that version and
//    that setting: of several engines one does it, and of an engine that dies all or nothing is there.
// F2 A start is inserted once a scope and key, and the key names the slot. No clock is compared for it: whoever works the same slot out again, after a
//    clock was set back, a restore or another activation, asks for what is there already.
// F3 Where the line of a policy is full, the tenant stores as much as it may, or has no start left in this second, a slot stays due: it is fired when there is
//    room, or it was missed, which is written down.
import { asTenantId } from "@woml/run";
import { QUEUED_MAX, SECOND_MS } from "./allowance.ts";
import type { Ask } from "./load.ts";
import { MS } from "./session.ts";
import { storable } from "./storable.ts";
import type { DueTrigger, Firing, NewDelivery, TriggerStore } from "./trigger.ts";

const CLOCK = `
WITH now AS MATERIALIZED (SELECT ${MS} AS ms)
SELECT ms AS now, EXISTS (SELECT FROM trigger_binding WHERE next_at <= ms) AS "isDue",
  (SELECT next_at FROM trigger_binding WHERE next_at > ms ORDER BY next_at LIMIT 1) AS next
FROM now`;

/** So many starts are left to the tenant of `d` in the second of $1; null: nobody limits them. */
const LEFT = `(SELECT greatest(0, q.value - coalesce((SELECT u.amount FROM usage u
    WHERE u.tenant = q.tenant AND u.name = q.name AND u.since = $1::bigint - $1::bigint % ${SECOND_MS}), 0))
  FROM quota q WHERE q.tenant = d.tenant AND q.name = 'starts_per_second')`;

/** $1 the time, $2 how many. Tenants take turns: where one has more that is due than can be fired, the others do not wait for it, nor for one that may start nothing. */
const DUE = `
WITH kept AS MATERIALIZED (
  SELECT q.tenant FROM quota q LEFT JOIN usage u ON u.tenant = q.tenant AND u.name = q.name
    AND u.since = CASE q.name WHEN 'stored_bytes' THEN 0 ELSE $1::bigint - $1::bigint % ${SECOND_MS} END
  WHERE q.name IN ('starts_per_second', 'stored_bytes') AND coalesce(u.amount, 0) >= q.value
), due AS (
  SELECT b.*, row_number() OVER (PARTITION BY b.tenant ORDER BY b.next_at, b.workflow, b.trigger) AS turn FROM trigger_binding b
  WHERE b.next_at <= $1 AND b.tenant NOT IN (SELECT tenant FROM kept)
)
SELECT d.tenant, d.workflow, d.trigger, d.kind, d.version, d.route, d.spec, s.setting, d.secrets, d.since, d.next_at AS "nextAt",
  t.on_ambiguous AS "onAmbiguous", ${LEFT} AS room
FROM due d JOIN tenant t ON t.id = d.tenant
LEFT JOIN trigger_setting s ON s.tenant = d.tenant AND s.workflow = d.workflow AND s.trigger = d.trigger
ORDER BY d.turn, d.next_at, d.tenant LIMIT $2`;

/** Of workflows with a policy of this tenant so many starts wait that no other is taken (scope/limit.ts). */
const FULL = `(SELECT count(*) FROM (
  SELECT FROM request q JOIN lane l ON l.tenant = q.tenant AND l.kind = 'workflow' AND l.name = q.workflow
  WHERE q.tenant = b.tenant AND q.consumed_at IS NULL AND q.kind = 'start' AND coalesce(q.due_at, 0) <= ${MS} LIMIT ${QUEUED_MAX}) w) >= ${QUEUED_MAX}`;

/** The tenant stores as much as it may (scope/limit.ts). */
const SATED = `EXISTS (SELECT FROM quota q JOIN usage u ON u.tenant = q.tenant AND u.name = q.name AND u.since = 0
  WHERE q.tenant = b.tenant AND q.name = 'stored_bytes' AND u.amount >= q.value)`;

/**
 * Counts starts among those of the second, as part of a statement that has `now`, and `asking` with a tenant and how many. `counted`: who may have them all.
 */
export const COUNT_STARTS = `limited AS (
  SELECT a.tenant, a.many, q.value, (SELECT ms - ms % ${SECOND_MS} FROM now) AS since FROM asking a
  JOIN quota q ON q.tenant = a.tenant AND q.name = 'starts_per_second' WHERE a.many > 0
), spent AS (
  INSERT INTO usage AS u (tenant, name, since, amount) SELECT tenant, 'starts_per_second', since, many FROM limited WHERE many <= value
  ON CONFLICT (tenant, name, since) DO UPDATE SET amount = u.amount + excluded.amount WHERE u.amount + excluded.amount <= (SELECT value FROM limited)
  RETURNING tenant
), counted AS (
  SELECT tenant FROM asking a WHERE a.tenant IN (SELECT tenant FROM spent) OR a.tenant NOT IN (SELECT tenant FROM limited)
)`;

/** $1 to $5 the trigger and where it stands, $6 the next slot, $7 the setting; then the columns of starts, and those of deliveries. */
const FIRE = `
WITH now AS MATERIALIZED (SELECT ${MS} AS ms), standing AS (
  SELECT b.tenant, b.workflow, b.trigger FROM trigger_binding b
  WHERE b.tenant = $1::uuid AND b.workflow = $2 AND b.trigger = $3 AND b.version = $4 AND b.next_at = $5::bigint
    AND coalesce((SELECT s.setting::jsonb FROM trigger_setting s WHERE s.tenant = b.tenant AND s.workflow = b.workflow AND s.trigger = b.trigger),
      'null'::jsonb) = $7::jsonb
    AND NOT (EXISTS (SELECT FROM lane l WHERE l.tenant = b.tenant AND l.kind = 'workflow' AND l.name = b.workflow) AND ${FULL})
    AND NOT ${SATED}
  FOR NO KEY UPDATE OF b
), asking AS (
  SELECT tenant, cardinality($8::uuid[]) AS many FROM standing
), ${COUNT_STARTS}, moved AS (
  UPDATE trigger_binding b SET next_at = $6::bigint FROM standing s
  WHERE b.tenant = s.tenant AND b.workflow = s.workflow AND b.trigger = s.trigger AND s.tenant IN (SELECT tenant FROM counted)
  RETURNING b.tenant
), asked AS (
  INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at)
  SELECT m.tenant, w.run, 'start', w.scope, w.key, w.digest, w.run, w.body::json, ${MS}
  FROM moved m, unnest($8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[]) AS w(run, scope, key, digest, body)
  ON CONFLICT (tenant, scope, key) DO NOTHING
), told AS (
  INSERT INTO delivery (tenant, id, workflow, trigger, kind, outcome, code, source, count, at, run, detail)
  SELECT m.tenant, w.id, w.workflow, w.trigger, w.kind, w.outcome, w.code, w.source, w.count, ${MS}, w.run, w.detail::json
  FROM moved m, unnest($13::uuid[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::int[], $21::uuid[], $22::text[])
    AS w(id, workflow, trigger, kind, outcome, code, source, count, run, detail)
)
SELECT FROM moved`;

interface Stored extends Omit<DueTrigger, "tenant"> {
  readonly tenant: string;
}

export function slots(ask: Ask): Pick<TriggerStore, "due" | "fire"> {
  return {
    due: async (limit) => {
      const { rows: clock } = await ask<{ now: number; isDue: boolean; next: number | null }>({ name: "slots_clock", text: CLOCK });
      const { now = 0, isDue = false, next = null } = clock[0] ?? {};
      if (!isDue) return { now, next, due: [] };
      const { rows } = await ask<Stored>({ name: "slots_due", text: DUE, values: [now, limit] });
      return { now, next, due: rows.map(({ tenant, ...rest }) => ({ ...rest, tenant: asTenantId(tenant) })) };
    },
    fire: async (firing) => {
      const { rowCount } = await ask({ name: "slots_fire", text: FIRE, values: valuesOf(firing) });
      return (rowCount ?? 0) > 0;
    },
  };
}

function valuesOf({ due, next, occurrences, deliveries }: Firing): unknown[] {
  const { tenant, workflow, trigger, version, nextAt, setting } = due;
  const told = <T>(pick: (delivery: NewDelivery) => T): T[] => deliveries.map(pick);
  return [
    ...[tenant, workflow, trigger, version, nextAt, next, storable(setting)],
    ...[occurrences.map(({ run }) => run), occurrences.map(({ scope }) => scope), occurrences.map(({ key }) => key)],
    ...[occurrences.map(({ digest }) => digest), occurrences.map(({ body }) => storable(body))],
    ...[told((d) => d.id), told((d) => d.workflow), told((d) => d.trigger), told((d) => d.kind), told((d) => d.outcome)],
    ...[told((d) => d.code ?? null), told((d) => d.source ?? null), told((d) => d.count ?? 1), told((d) => d.run ?? null)],
    told((d) => (d.detail === undefined ? null : storable(d.detail))),
  ];
}
