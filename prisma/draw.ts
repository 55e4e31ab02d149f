import type { Json } from "@woml/model";
import { type Failure, SIGNAL_LIMITS, type TenantId } from "@woml/run";
import { ALLOWANCE, type Allowance, type AllowanceRow, allowanceOf } from "./allowance.ts";
import type { EngineStore, StateEntry, StoredChild } from "./engine-store.ts";
import type { Ask } from "./load.ts";
import type { Subscriber } from "./trigger.ts";

/** $1 tenant, $2 workflow, $3 key. One statement, so that all of it is of one moment. No row: the workflow has never kept anything. */
const STATE = `
SELECT t.keys, t.bytes AS "totalBytes", t.floor, s.value::text AS value, coalesce(s.version, 0) AS version, coalesce(s.bytes, 0) AS bytes
FROM state_total t LEFT JOIN state s ON s.tenant = t.tenant AND s.workflow = t.workflow AND s.key = $3
WHERE t.tenant = $1::uuid AND t.workflow = $2`;
/** The append finds it there: what keeps nothing needs a row too, by which its writers wait for each other. */
const TOTAL = "INSERT INTO state_total (tenant, workflow) VALUES ($1::uuid, $2) ON CONFLICT DO NOTHING";
const ACTIVE = "SELECT active FROM workflow WHERE tenant = $1::uuid AND id = $2";
export const SUBSCRIBERS = `
SELECT workflow, trigger, version, secrets, spec::text AS spec FROM trigger_binding
WHERE tenant = $1::uuid AND kind = 'signal' AND route = $2 ORDER BY workflow, trigger LIMIT ${SIGNAL_LIMITS.subscribers}`;
/** A start that was answered and left no run was refused; one that is consumed just now has its run. */
const CHILD = `
SELECT q.digest, q.body->>'version' AS version, q.consumed_at IS NOT NULL AND r.id IS NULL AND q.answer IS NOT NULL AS refused,
  e.type, e.data::text AS data
FROM request q LEFT JOIN run r ON r.tenant = q.tenant AND r.id = q.run
  LEFT JOIN run_event e ON e.tenant = r.tenant AND e.run = r.id AND e.seq = r.head AND e.type IN ('run_succeeded', 'run_failed', 'run_cancelled')
WHERE q.tenant = $1::uuid AND q.run = $2::uuid AND q.kind = 'start'`;

interface ChildRow {
  readonly digest: string;
  readonly version: string;
  readonly refused: boolean;
  readonly type: string | null;
  readonly data: string | null;
}
export type SubscriberRow = Pick<Subscriber, "workflow" | "trigger" | "version" | "secrets"> & { readonly spec: string };
type StateRow = Omit<StateEntry, "value"> & { readonly value: string | null };

/** What the engine's own operations are judged by. `wrote` is called for what was written to read it. */
export function draws(ask: Ask, wrote: () => void): Pick<EngineStore, "state" | "active" | "child" | "subscribers" | "allowance"> {
  const state: EngineStore["state"] = async (tenant, workflow, key) => {
    const { rows } = await ask<StateRow>({ name: "state", text: STATE, values: [tenant, workflow, key] });
    const [row] = rows;
    if (row !== undefined) return { ...row, value: row.value === null ? null : (JSON.parse(row.value) as Json) };
    await ask({ name: "state_total", text: TOTAL, values: [tenant, workflow] });
    wrote();
    return state(tenant, workflow, key);
  };
  return {
    state,
    active: async (tenant, workflow) => {
      const { rows } = await ask<{ active: string | null }>({ name: "active", text: ACTIVE, values: [tenant, workflow] });
      return rows[0]?.active ?? null;
    },
    subscribers: async (tenant, signal) => {
      const { rows } = await ask<SubscriberRow>({ name: "subscribers", text: SUBSCRIBERS, values: [tenant, signal] });
      return rows.map((row) => subscriberOf(tenant, row));
    },
    allowance: (tenant, workflows) => allowanceIn(ask, tenant, workflows),
    child: async ({ tenant, run }) => {
      const { rows } = await ask<ChildRow>({ name: "child", text: CHILD, values: [tenant, run] });
      return rows[0] === undefined ? null : childOf(rows[0]);
    },
  };
}

export async function allowanceIn(ask: Ask, tenant: TenantId, workflows: readonly string[]): Promise<Allowance> {
  return allowanceOf((await ask<AllowanceRow>({ name: "allowance", text: ALLOWANCE, values: [tenant, workflows] })).rows);
}

export const subscriberOf = (tenant: TenantId, { spec, ...row }: SubscriberRow): Subscriber => ({
  ...row,
  tenant,
  spec: JSON.parse(spec) as Json,
});

function childOf({ digest, version, refused, type, data }: ChildRow): StoredChild {
  const told = { digest, version };
  if (type === null || data === null) return { ...told, ended: refused ? "refused" : null };
  return { ...told, ended: endedOf(type, JSON.parse(data)) };
}

/** What the last event of a run says. It was written by the append, from a typed event. */
export function endedOf(type: string, data: unknown): StoredChild["ended"] {
  if (type === "run_succeeded") return { status: "succeeded", result: (data as { readonly result: Json }).result };
  if (type === "run_failed") return { status: "failed", failure: (data as { readonly failure: Failure }).failure };
  return type === "run_cancelled" ? { status: "cancelled" } : null;
}
