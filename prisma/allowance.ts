// INVARIANTS
// W1 What a tenant may start is one rule, whoever asks: a person or a door (scope/limit.ts, scope/fan-out.ts), a script (own.ts), a slot (slot.ts), or the
//    platform (announce.ts).
// W2 Starts are counted by the transaction that stores them, in the row of their tenant and second, which it holds until it ends: however many processes ask
//    at once, no second of PostgreSQL's clock has more of them than the quota.
import type { QuotaName } from "./lane.ts";
import type { Reached } from "./reached.ts";
import { MS } from "./session.ts";

/** So many starts of a tenant may wait in the lines of workflows with a policy. */
export const QUEUED_MAX = 10_000;
/** The window of starts, ms. */
export const SECOND_MS = 1_000;

/** What a tenant may start just now, of the workflows that it was asked for. */
export interface Allowance {
  /** Starts of this second; null: nobody limits them. */
  readonly starts: { readonly limit: number; readonly left: number; readonly resetsAt: number } | null;
  /** The tenant stores as much as it may. */
  readonly sated: Reached | null;
  /** Those with a policy, and how many more of them may wait. */
  readonly lined: readonly string[];
  readonly places: number;
}
export const UNLIMITED_STARTS: Allowance = { starts: null, sated: null, lined: [], places: QUEUED_MAX };

/** Of starts of these workflows, in this order: what keeps each back, or null. What one is refused leaves its room to the next. */
export function admit({ starts, sated, lined, places }: Allowance, workflows: readonly string[]): readonly (Reached | null)[] {
  const policed = new Set(lined);
  let [left, room] = [starts?.left ?? Number.POSITIVE_INFINITY, places];
  return workflows.map((workflow) => {
    if (sated !== null) return sated;
    if (policed.has(workflow) && room <= 0) return { quota: null, limit: QUEUED_MAX, resetsAt: null };
    if (starts !== null && left <= 0) return { quota: "starts_per_second", limit: starts.limit, resetsAt: starts.resetsAt };
    left -= 1;
    if (policed.has(workflow)) room -= 1;
    return null;
  });
}

/** $1 tenant, $2 workflows. One row for each quota that there is, and one for each workflow with a policy. */
export const ALLOWANCE = `
WITH now AS MATERIALIZED (SELECT ${MS} AS ms), waiting AS MATERIALIZED (
  SELECT count(*) AS many FROM (
    SELECT FROM request q JOIN lane l ON l.tenant = q.tenant AND l.kind = 'workflow' AND l.name = q.workflow
    WHERE q.tenant = $1::uuid AND q.consumed_at IS NULL AND q.kind = 'start' AND coalesce(q.due_at, 0) <= (SELECT ms FROM now) LIMIT ${QUEUED_MAX}) w
)
SELECT 'quota' AS kind, q.name, q.value AS most, coalesce(u.amount, 0) AS used, n.ms - n.ms % ${SECOND_MS} + ${SECOND_MS} AS "resetsAt"
FROM now n CROSS JOIN quota q LEFT JOIN usage u ON u.tenant = q.tenant AND u.name = q.name
  AND u.since = CASE q.name WHEN 'stored_bytes' THEN 0 ELSE n.ms - n.ms % ${SECOND_MS} END
WHERE q.tenant = $1::uuid AND q.name IN ('starts_per_second', 'stored_bytes')
UNION ALL SELECT 'lane', l.name, ${QUEUED_MAX}, (SELECT many FROM waiting), NULL
FROM lane l WHERE l.tenant = $1::uuid AND l.kind = 'workflow' AND l.name = ANY($2::text[])`;

/** As PostgreSQL's clients give it: numbers, or big integers. */
export interface AllowanceRow {
  readonly kind: "quota" | "lane";
  readonly name: string;
  readonly most: number | bigint;
  readonly used: number | bigint;
  readonly resetsAt: number | bigint | null;
}

export function allowanceOf(rows: readonly AllowanceRow[]): Allowance {
  const quota = (name: QuotaName): AllowanceRow | undefined => rows.find((row) => row.kind === "quota" && row.name === name);
  const [rate, stored] = [quota("starts_per_second"), quota("stored_bytes")];
  const [limit, used] = [Number(stored?.most ?? Number.POSITIVE_INFINITY), Number(stored?.used ?? 0)];
  const lanes = rows.filter(({ kind }) => kind === "lane");
  return {
    starts: rate === undefined ? null : { limit: Number(rate.most), left: leftOf(rate), resetsAt: Number(rate.resetsAt) },
    sated: used >= limit ? { quota: "stored_bytes", limit, used, resetsAt: null } : null,
    lined: lanes.map(({ name }) => name),
    places: lanes[0] === undefined ? QUEUED_MAX : leftOf(lanes[0]),
  };
}

const leftOf = ({ most, used }: AllowanceRow): number => Math.max(0, Number(most) - Number(used));
