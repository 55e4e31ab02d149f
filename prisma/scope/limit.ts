import type { TenantId } from "@woml/run";
import { type Allowance, QUEUED_MAX, SECOND_MS } from "../allowance.ts";
import { NOW, type Transaction } from "../client.ts";
import type { NewRequest } from "../control-store.ts";
import { LimitReached } from "../error.ts";
import type { Reached } from "../reached.ts";

/** What is counted in windows, and of which length, ms: here and where engines store starts, and by engines (usage.ts). */
const COUNTED = { starts_per_second: SECOND_MS, deliveries_per_minute: 60_000 } as const;
export const WINDOWS = { ...COUNTED, cpu_ms_per_minute: 60_000, operations_per_minute: 60_000 } as const;

interface Standing {
  readonly name: string;
  readonly value: bigint;
}

/**
 * Of requests that were just stored in this transaction: whether the tenant may have them all. Throws LimitReached, and then none of them is. A second start of
 * a key is none, and what was stored before is never refused for it.
 */
export async function guard(tx: Transaction, tenant: TenantId, made: readonly NewRequest[]): Promise<void> {
  const starts = made.filter(({ body }) => typeof body === "object" && body !== null && "kind" in body && body["kind"] === "start");
  if (starts.length === 0) return;
  const workflows = [...new Set(starts.flatMap(({ body }) => workflowIn(body)))];
  const limits = await tx.$queryRaw<Standing[]>`SELECT name, value FROM quota WHERE tenant = ${tenant}::uuid
    UNION ALL SELECT 'stored', u.amount FROM usage u WHERE u.tenant = ${tenant}::uuid AND u.name = 'stored_bytes' AND u.since = 0
    UNION ALL SELECT '', 0 WHERE EXISTS (SELECT FROM lane WHERE tenant = ${tenant}::uuid AND kind = 'workflow' AND name = ANY(${workflows}::text[]))`;
  const of = new Map(limits.map(({ name, value }) => [name, Number(value)]));
  const [stored, most] = [of.get("stored") ?? 0, of.get("stored_bytes") ?? Number.POSITIVE_INFINITY];
  if (stored >= most) throw new LimitReached({ quota: "stored_bytes", limit: most, used: stored, resetsAt: null });
  if (of.has("")) await guardLine(tx, tenant);
  const deliveries = starts.filter(({ delivery }) => delivery?.kind === "webhook").length;
  for (const [name, amount] of [
    ["starts_per_second", starts.length],
    ["deliveries_per_minute", deliveries],
  ] as const) {
    const limit = of.get(name);
    if (limit !== undefined && amount > 0) await use(tx, tenant, { name, amount, limit });
  }
}

const workflowIn = (body: NewRequest["body"]): readonly string[] =>
  typeof body === "object" && body !== null && "workflow" in body && typeof body["workflow"] === "string" ? [body["workflow"]] : [];

async function guardLine(tx: Transaction, tenant: TenantId): Promise<void> {
  const [row] = await tx.$queryRaw<{ count: bigint }[]>`SELECT count(*) FROM (
    SELECT FROM request q JOIN lane l ON l.tenant = q.tenant AND l.kind = 'workflow' AND l.name = q.workflow
    WHERE q.tenant = ${tenant}::uuid AND q.consumed_at IS NULL AND q.kind = 'start' AND coalesce(q.due_at, 0) <= ${NOW}
    LIMIT ${QUEUED_MAX + 1}) w`;
  if (Number(row?.count ?? 0) > QUEUED_MAX) throw new LimitReached({ quota: null, limit: QUEUED_MAX, resetsAt: null });
}

/** A signal at the door is one delivery, however many hear it, where it starts something that `made` tells; asked only where there is such a quota. */
export async function countDelivery(tx: Transaction, tenant: TenantId, made: () => Promise<readonly unknown[]>): Promise<void> {
  const [quota] = await tx.$queryRaw<
    Standing[]
  >`SELECT name, value FROM quota WHERE tenant = ${tenant}::uuid AND name = 'deliveries_per_minute'`;
  if (quota === undefined || (await made()).length === 0) return;
  await use(tx, tenant, { name: "deliveries_per_minute", amount: 1, limit: Number(quota.value) });
}

interface Second extends NonNullable<Allowance["starts"]> {
  /** So many of them are stored in this transaction. */
  count(starts: number): Promise<void>;
}
/** What is left of this second's starts, which nobody else counts until this transaction ends. */
export async function take(tx: Transaction, tenant: TenantId, limit: number): Promise<Second> {
  const row = await add(tx, tenant, "starts_per_second", 0);
  return {
    limit,
    left: Math.max(0, limit - Number(row.amount)),
    resetsAt: Number(row.since) + SECOND_MS,
    count: async (starts) => {
      if (starts > 0)
        await tx.$executeRaw`UPDATE usage SET amount = amount + ${starts}::bigint
          WHERE tenant = ${tenant}::uuid AND name = 'starts_per_second' AND since = ${row.since}::bigint`;
    },
  };
}

interface Use {
  readonly name: keyof typeof COUNTED;
  readonly amount: number;
  readonly limit: number;
}

async function use(tx: Transaction, tenant: TenantId, { name, amount, limit }: Use): Promise<void> {
  const row = await add(tx, tenant, name, amount);
  const reached: Reached = { quota: name, limit, resetsAt: Number(row.since) + COUNTED[name] };
  if (Number(row.amount) > limit) throw new LimitReached(reached);
}

interface Counted {
  readonly since: bigint;
  readonly amount: bigint;
}
/** One row a tenant and window: whoever counts at the same time waits for it, so that nothing is counted twice or not at all. */
async function add(tx: Transaction, tenant: TenantId, name: keyof typeof COUNTED, amount: number): Promise<Counted> {
  const length = COUNTED[name];
  const [row] = await tx.$queryRaw<Counted[]>`INSERT INTO usage AS u (tenant, name, since, amount)
    SELECT ${tenant}::uuid, ${name}, n.ms - n.ms % ${length}::bigint, ${amount}::bigint FROM (SELECT ${NOW} AS ms) n
    ON CONFLICT (tenant, name, since) DO UPDATE SET amount = u.amount + excluded.amount RETURNING since, amount`;
  if (row === undefined) throw new Error("what was counted was not answered");
  return row;
}
