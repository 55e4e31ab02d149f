import type { Json } from "@woml/model";
import { asRunId, type TenantId } from "@woml/run";
import { NOW, type Transaction } from "../client.ts";
import type { TenantScope } from "../control-store.ts";
import { storable } from "../storable.ts";
import type { DeliveryOutcome, DeliveryRow, NewDelivery, TriggerRow } from "../trigger.ts";
import { cut } from "./page.ts";

type Deliveries = Pick<TenantScope, "deliver" | "deliveries" | "lastDeliveries" | "delivery">;

export function deliveries(tx: Transaction, tenant: TenantId, wrote: () => void): Deliveries {
  return {
    deliver: async (delivery) => {
      wrote();
      return (await insert(tx, tenant, [delivery])) > 0;
    },
    deliveries: async ({ workflow, trigger }, { first, after }) => {
      const where = { tenant, workflow, ...(trigger === null ? {} : { trigger }), ...(after === null ? {} : { id: { lt: after } }) };
      // A page of payloads would be 25 MB.
      const rows = await tx.delivery.findMany({ where, orderBy: { id: "desc" }, take: first + 1, omit: { payload: true } });
      return cut(
        rows.map((row) => shown({ ...row, payload: null })),
        first,
      );
    },
    lastDeliveries: async (of) => {
      const [workflows, names] = [of.map(({ workflow }) => workflow), of.map(({ trigger }) => trigger)];
      const last = await tx.$queryRaw<{ id: string }[]>`SELECT d.id::text AS id
        FROM unnest(${workflows}::text[], ${names}::text[]) AS w(workflow, trigger),
          LATERAL (SELECT id FROM delivery WHERE tenant = ${tenant}::uuid AND workflow = w.workflow AND trigger = w.trigger
            ORDER BY id DESC LIMIT 1) AS d`;
      return (await tx.delivery.findMany({ where: { tenant, id: { in: last.map(({ id }) => id) } } })).map(shown);
    },
    delivery: async (id) => {
      const found = await tx.delivery.findUnique({ where: { tenant_id: { tenant, id } } });
      return found && shown(found);
    },
  };
}

/** One statement; rows of a bucket that stands already are counted in it. Answers how many are new. */
export async function insert(tx: Transaction, tenant: TenantId, rows: readonly NewDelivery[]): Promise<number> {
  const each = <T>(pick: (row: NewDelivery) => T | undefined): (T | null)[] => rows.map((row) => pick(row) ?? null);
  const written = await tx.$queryRaw<{ fresh: boolean }[]>`
    INSERT INTO delivery AS d (tenant, id, workflow, trigger, kind, outcome, code, source, bucket, count, at, run, body_digest, secret, payload, detail)
    SELECT ${tenant}::uuid, w.id, w.workflow, w.trigger, w.kind, w.outcome, w.code, w.source, w.bucket, w.count, ${NOW}, w.run, w.body_digest, w.secret,
      w.payload::json, w.detail::json
    FROM unnest(${each((d) => d.id)}::uuid[], ${each((d) => d.workflow)}::text[], ${each((d) => d.trigger)}::text[], ${each((d) => d.kind)}::text[],
      ${each((d) => d.outcome)}::text[], ${each((d) => d.code)}::text[], ${each((d) => d.source)}::text[], ${each((d) => d.bucket)}::text[],
      ${each((d) => d.count ?? 1)}::int[], ${each((d) => d.run)}::uuid[], ${each((d) => d.bodyDigest)}::text[], ${each((d) => d.secret)}::text[],
      ${each((d) => json(d.payload))}::text[], ${each((d) => json(d.detail))}::text[])
      AS w(id, workflow, trigger, kind, outcome, code, source, bucket, count, run, body_digest, secret, payload, detail)
    ON CONFLICT (tenant, bucket) DO UPDATE SET count = d.count + excluded.count, at = excluded.at
    RETURNING d.xmax = 0 AS fresh`;
  return written.filter(({ fresh }) => fresh).length;
}

const json = (value: Json | undefined): string | undefined => (value === undefined ? undefined : storable(value));

interface Stored {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly workflow: string;
  readonly trigger: string;
  readonly kind: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly source: string | null;
  readonly count: number;
  readonly at: bigint;
  readonly run: string | null;
  readonly bodyDigest: string | null;
  readonly secret: string | null;
  readonly payload: unknown;
  readonly detail: unknown;
}

function shown(row: Stored): DeliveryRow {
  const { id, workflow, trigger, count, code, source, run, bodyDigest, secret, payload, detail } = row;
  return {
    ...{ id, workflow, trigger, count, kind: row.kind as TriggerRow["kind"], outcome: row.outcome as DeliveryOutcome, at: Number(row.at) },
    ...{ ...(code !== null && { code }), ...(source !== null && { source }), ...(run !== null && { run: asRunId(run) }) },
    ...{ ...(bodyDigest !== null && { bodyDigest }), ...(secret !== null && { secret }) },
    ...{ ...(payload !== null && { payload: payload as Json }), ...(detail !== null && { detail: detail as Json }) },
  };
}
