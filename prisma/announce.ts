// INVARIANTS
// U1 A signal of the platform is stored with what it is of, once a name and key, and only where somebody listens to it just then.
// U2 It is consumed by the statement that inserts what it starts: of several engines one does it, and of one that dies all or nothing is there.
import type { Json } from "@woml/model";
import { asTenantId, type TenantId } from "@woml/run";
import { allowanceIn, SUBSCRIBERS, type SubscriberRow, subscriberOf } from "./draw.ts";
import type { Ask } from "./load.ts";
import { MS } from "./session.ts";
import { COUNT_STARTS } from "./slot.ts";
import { storable } from "./storable.ts";
import type { Announcement, NewDelivery, PlatformSignal, TriggerStore } from "./trigger.ts";

/** Whether anybody listens, in a statement that has a tenant `t` and a name `n`. */
const LISTENS = "EXISTS (SELECT FROM trigger_binding b WHERE b.tenant = t.id AND b.kind = 'signal' AND b.route = n.name)";

/** $1 tenant, $2 name, $3 key, $4 its body: a signal that is of no run. Does nothing where it stands, or nobody listens. */
export const ANNOUNCE = `
INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at)
SELECT t.id, gen_random_uuid(), 'signal', 'signal:' || n.name, $3, '', gen_random_uuid(), $4::json, ${MS}
FROM (SELECT $1::uuid AS id) t, (SELECT $2::text AS name) n WHERE ${LISTENS} ON CONFLICT (tenant, scope, key) DO NOTHING`;

export function announcementText({ payload, lineage, name }: Announcement): string {
  return storable({ kind: "signal", name, payload, lineage });
}

const SIGNALS = `
SELECT q.tenant, q.id, q.key, q.created_at AS at, q.body::text AS body, t.on_ambiguous AS "onAmbiguous", ${MS} - q.created_at AS "waitedMs"
FROM (
  SELECT *, row_number() OVER (PARTITION BY tenant ORDER BY created_at, id) AS turn FROM request WHERE consumed_at IS NULL AND kind = 'signal'
) q JOIN tenant t ON t.id = q.tenant ORDER BY q.turn, q.created_at, q.id LIMIT $1`;

/** $1 tenant, $2 the request; then the columns of starts, and those of deliveries; $17 how many of the starts count among those of the second. */
const SPREAD = `
WITH now AS MATERIALIZED (SELECT ${MS} AS ms), standing AS (
  SELECT tenant, id FROM request WHERE tenant = $1::uuid AND id = $2::uuid AND consumed_at IS NULL FOR NO KEY UPDATE
), asking AS (
  SELECT tenant, $17::int AS many FROM standing
), ${COUNT_STARTS}, taken AS (
  UPDATE request q SET consumed_at = ${MS} FROM standing s
  WHERE q.tenant = s.tenant AND q.id = s.id AND s.tenant IN (SELECT tenant FROM counted) RETURNING q.tenant
), asked AS (
  INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at)
  SELECT t.tenant, w.run, 'start', w.scope, w.key, w.digest, w.run, w.body::json, ${MS}
  FROM taken t, unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[]) AS w(run, scope, key, digest, body)
  ON CONFLICT (tenant, scope, key) DO NOTHING
), told AS (
  INSERT INTO delivery (tenant, id, workflow, trigger, kind, outcome, code, source, count, at, run, detail, payload)
  SELECT t.tenant, w.id, w.workflow, w.trigger, 'signal', w.outcome, w.code, w.source, 1, ${MS}, w.run, w.detail::json, w.payload::json
  FROM taken t, unnest($8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::uuid[], $15::text[], $16::text[])
    AS w(id, workflow, trigger, outcome, code, source, run, detail, payload)
)
SELECT FROM taken`;

interface Stored {
  readonly tenant: string;
  readonly id: string;
  readonly key: string;
  readonly at: number;
  readonly body: string;
  readonly waitedMs: number;
  readonly onAmbiguous: "fail" | null;
}

export function signals(ask: Ask): Pick<TriggerStore, "signals" | "listening" | "allowance" | "spread" | "announce"> {
  return {
    signals: async (limit) => {
      const { rows } = await ask<Stored>({ name: "signals", text: SIGNALS, values: [limit] });
      return rows.map(shown);
    },
    listening: async (tenant, name) => {
      const { rows } = await ask<SubscriberRow>({ name: "listening", text: SUBSCRIBERS, values: [tenant, name] });
      return rows.map((row) => subscriberOf(tenant, row));
    },
    allowance: (tenant, workflows) => allowanceIn(ask, tenant, workflows),
    spread: async ({ signal, occurrences, deliveries }) => {
      const told = <T>(pick: (delivery: NewDelivery) => T): T[] => deliveries.map(pick);
      const values = [
        ...[signal.tenant, signal.id, occurrences.map(({ run }) => run), occurrences.map(({ scope }) => scope)],
        ...[occurrences.map(({ key }) => key), occurrences.map(({ digest }) => digest), occurrences.map(({ body }) => storable(body))],
        ...[told((d) => d.id), told((d) => d.workflow), told((d) => d.trigger), told((d) => d.outcome), told((d) => d.code ?? null)],
        ...[told((d) => d.source ?? null), told((d) => d.run ?? null), told((d) => (d.detail === undefined ? null : storable(d.detail)))],
        ...[told((d) => (d.payload === undefined ? null : storable(d.payload))), isFreeSignal(signal) ? 0 : occurrences.length],
      ];
      const { rowCount } = await ask({ name: "spread", text: SPREAD, values });
      return (rowCount ?? 0) > 0;
    },
    announce: async (tenant, announcement) => {
      await ask({ name: "announce", text: ANNOUNCE, values: announced(tenant, announcement) });
    },
  };
}

export const announced = (tenant: TenantId, announcement: Announcement): string[] => [
  ...[tenant, announcement.name, announcement.key, announcementText(announcement)],
];

/** What tells of a quota is no start that a quota may keep back: it comes once an hour (quota-signal.ts). */
export const isFreeSignal = ({ name }: Pick<PlatformSignal, "name">): boolean => name === "woml.quota-reached";

function shown({ tenant, id, key, at, body, waitedMs, onAmbiguous }: Stored): PlatformSignal {
  const { name, payload, lineage }: { name: string; payload: Json; lineage: readonly string[] } = JSON.parse(body);
  return { tenant: asTenantId(tenant), id, name, key, at, waitedMs, payload, lineage, onAmbiguous };
}
