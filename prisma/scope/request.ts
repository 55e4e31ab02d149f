import type { Json } from "@woml/model";
import { asRunId, type RunId, type TenantId } from "@woml/run";
import { ANNOUNCE, announced } from "../announce.ts";
import { NOW, sql, type Transaction } from "../client.ts";
import type { NewRequest, RequestRow, Submitted, TenantScope } from "../control-store.ts";
import { DECISIONS } from "../lock.ts";
import { storable } from "../storable.ts";
import type { NewDelivery } from "../trigger.ts";
import { insert } from "./delivery.ts";
import { guard } from "./limit.ts";
import { assertMeant, keepActive } from "./meant.ts";

export interface Stored {
  readonly id: string;
  readonly run: string;
  readonly digest: string;
  readonly kind: string;
  readonly body: string;
  readonly created_at: bigint;
  readonly consumed_at: bigint | null;
  readonly answer: string | null;
  readonly due_at: bigint | null;
}
/** A request with its JSON made: what cannot be stored is refused before it stands among others. */
export interface Entry {
  readonly wanted: NewRequest;
  readonly kind: string;
  readonly body: string;
}
/** Of all scopes together that are asked for at once. */
const STARTS_MAX = 1_000;
export const COLUMNS = sql`id::text, run::text, digest, kind, body::text AS body, created_at, consumed_at, answer, due_at`;

export function requests(
  tx: Transaction,
  tenant: TenantId,
  wrote: () => void,
): Pick<TenantScope, "startOf" | "startedIn" | "submit" | "announce"> {
  return {
    submit: async (wanted) => {
      wrote();
      const asked = entry(wanted);
      // Until this transaction ends, no engine says that nobody had decided in time.
      if (asked.kind === "resolve_approval")
        await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(${DECISIONS}::int, hashtext(${wanted.run}))`;
      const [submitted] = await store(tx, tenant, [asked]);
      if (!submitted) throw new Error("a request was stored and not answered");
      return submitted;
    },
    announce: async (announcement) => {
      const made = await tx.$executeRawUnsafe(ANNOUNCE, ...announced(tenant, announcement));
      if (made > 0) wrote();
    },
    startOf: async (run) => {
      const [found] = await tx.$queryRaw<Stored[]>`SELECT ${COLUMNS} FROM request
        WHERE tenant = ${tenant}::uuid AND run = ${run}::uuid AND kind = 'start'`;
      return found ? shown(found) : null;
    },
    startedIn: async (scopes) => {
      const found = await tx.$queryRaw<{ scope: string; run: string }[]>`SELECT scope, run::text FROM request
        WHERE tenant = ${tenant}::uuid AND scope = ANY(${[...scopes]}::text[]) AND kind = 'start' AND answer IS NULL
        ORDER BY created_at, id LIMIT ${STARTS_MAX}`;
      const started = new Map<string, RunId[]>();
      for (const { scope, run } of found) started.set(scope, [...(started.get(scope) ?? []), asRunId(run)]);
      return started;
    },
  };
}

/** Throws with WOML_EVENT_REJECTED for a text that PostgreSQL cannot keep. The engine reads the kind from the body, lists from the column. */
export function entry(wanted: NewRequest): Entry {
  const { body } = wanted;
  const kind = typeof body === "object" && body !== null && "kind" in body ? body["kind"] : null;
  if (typeof kind !== "string") throw new Error("a request's body says of what kind it is");
  return { wanted, kind, body: storable(body) };
}

/**
 * Stores requests of one tenant in one statement; of those that stand already, or are asked twice, the one that was first. `isAdmitted`: whether the tenant
 * may start them was asked before.
 */
export async function store(tx: Transaction, tenant: TenantId, batch: readonly Entry[], isAdmitted = false): Promise<readonly Submitted[]> {
  if (batch.some(({ wanted }) => wanted.meant !== undefined)) await keepActive(tx, tenant);
  // Two processes that store the same keys wait for each other in one order.
  const sorted = batch.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const each = <T>(pick: (entry: Entry) => T): T[] => sorted.map(pick);
  const made = await tx.$queryRaw<{ id: string; created_at: bigint }[]>`
    INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at, due_at)
    SELECT ${tenant}::uuid, w.id, w.kind, w.scope, w.key, w.digest, w.run, w.body::json, ${NOW}, w.due_at
    FROM unnest(${each((e) => e.wanted.id)}::uuid[], ${each((e) => e.kind)}::text[], ${each((e) => e.wanted.scope)}::text[],
      ${each((e) => e.wanted.key)}::text[], ${each((e) => e.wanted.digest)}::text[], ${each((e) => e.wanted.run)}::uuid[],
      ${each((e) => e.body)}::text[], ${each((e) => e.wanted.dueAt ?? null)}::bigint[]) AS w(id, kind, scope, key, digest, run, body, due_at)
    ON CONFLICT (tenant, scope, key) DO NOTHING RETURNING id::text, created_at`;
  const times = new Map(made.map(({ id, created_at }) => [id, Number(created_at)]));
  const fresh = batch.flatMap(({ wanted }) => (times.has(wanted.id) ? wanted : []));
  await assertMeant(tx, tenant, fresh);
  if (!isAdmitted) await guard(tx, tenant, fresh);
  const older = await standing(
    tx,
    tenant,
    batch.filter(({ wanted }) => !times.has(wanted.id)),
  );
  const answers = batch.map((each): Submitted => createdOf(each, times) ?? { row: older(each) ?? lost(), created: false });
  const came = batch.flatMap(({ wanted }, at) => (wanted.delivery ? deliveryOf(wanted, wanted.delivery, answers[at]) : []));
  if (came.length > 0) await insert(tx, tenant, came);
  return answers;
}

/** What came to a door, as what it turned out to be. */
function deliveryOf({ run, digest }: NewRequest, delivery: NewDelivery, answer: Submitted | undefined): NewDelivery {
  if (answer === undefined || answer.created) return { ...delivery, run };
  const isSame = answer.row.digest === digest;
  return {
    ...delivery,
    run: answer.row.run,
    ...(isSame ? { outcome: "duplicate" } : { outcome: "rejected", code: "WOML_TRIGGER_IDEMPOTENCY_CONFLICT" }),
  };
}

function createdOf({ wanted, kind }: Entry, times: ReadonlyMap<string, number>): Submitted | null {
  const createdAt = times.get(wanted.id);
  if (createdAt === undefined) return null;
  const { id, run, digest, body, dueAt = null } = wanted;
  return { row: { id, run, digest, kind, body, createdAt, consumedAt: null, answer: null, dueAt }, created: true };
}

/** Those that stand already, by scope and key: one query, and none where there is nothing to ask. */
export async function standing(
  tx: Transaction,
  tenant: TenantId,
  batch: readonly Entry[],
): Promise<(entry: Entry) => RequestRow | undefined> {
  const each = <T>(pick: (entry: Entry) => T): T[] => batch.map(pick);
  const rows =
    batch.length === 0
      ? []
      : await tx.$queryRaw<(Stored & { readonly place: string })[]>`SELECT ${COLUMNS}, scope || ' ' || key AS place FROM request
          WHERE tenant = ${tenant}::uuid
            AND (scope, key) IN (SELECT * FROM unnest(${each((e) => e.wanted.scope)}::text[], ${each((e) => e.wanted.key)}::text[]))`;
  const found = new Map(rows.map(({ place, ...row }) => [place, shown(row)]));
  return (entry) => found.get(placeOf(entry));
}

function lost(): never {
  throw new Error("a request conflicts with one that is not there");
}

function placeOf({ wanted }: Entry): string {
  return `${wanted.scope} ${wanted.key ?? ""}`;
}

export function shown({ created_at, consumed_at, due_at, body, run, ...rest }: Stored): RequestRow {
  const consumedAt = consumed_at === null ? null : Number(consumed_at);
  const dueAt = due_at === null ? null : Number(due_at);
  return { ...rest, run: asRunId(run), body: JSON.parse(body) as Json, createdAt: Number(created_at), consumedAt, dueAt };
}
