import type { Json } from "@woml/model";
import { asRunId, type TenantId } from "@woml/run";
import { NOW, sql, type Transaction } from "../client.ts";
import type { NewRequest, RequestRow, TenantScope } from "../control-store.ts";
import { storable } from "../storable.ts";

interface Stored {
  readonly id: string;
  readonly run: string;
  readonly digest: string;
  readonly kind: string;
  readonly body: string;
  readonly created_at: bigint;
  readonly consumed_at: bigint | null;
  readonly answer: string | null;
}
const COLUMNS = sql`id::text, run::text, digest, kind, body::text AS body, created_at, consumed_at, answer`;

export function requests(tx: Transaction, tenant: TenantId, wrote: () => void): Pick<TenantScope, "request" | "startOf"> {
  return {
    request: async (wanted) => {
      const body = storable(wanted.body);
      const made = await tx.$queryRaw<Stored[]>`INSERT INTO request (tenant, id, kind, scope, key, digest, run, body, created_at)
        VALUES (${tenant}::uuid, ${wanted.id}::uuid, ${kindOf(wanted)}, ${wanted.scope}, ${wanted.key}, ${wanted.digest}, ${wanted.run}::uuid,
          ${body}::json, ${NOW})
        ON CONFLICT (tenant, scope, key) DO NOTHING RETURNING ${COLUMNS}`;
      wrote();
      if (made[0]) return { row: shown(made[0]), created: true };
      const [found] = await tx.$queryRaw<Stored[]>`SELECT ${COLUMNS} FROM request
        WHERE tenant = ${tenant}::uuid AND scope = ${wanted.scope} AND key = ${wanted.key}`;
      if (!found) throw new Error("a request conflicts with one that is not there");
      return { row: shown(found), created: false };
    },
    startOf: async (run) => {
      const [found] = await tx.$queryRaw<Stored[]>`SELECT ${COLUMNS} FROM request
        WHERE tenant = ${tenant}::uuid AND run = ${run}::uuid AND kind = 'start'`;
      return found ? shown(found) : null;
    },
  };
}

/** The engine reads the kind from the body, lists from the column: one is made of the other. */
function kindOf({ body }: NewRequest): string {
  const kind = typeof body === "object" && body !== null && "kind" in body ? body["kind"] : null;
  if (typeof kind !== "string") throw new Error("a request's body says of what kind it is");
  return kind;
}

function shown({ created_at, consumed_at, body, run, ...rest }: Stored): RequestRow {
  const consumedAt = consumed_at === null ? null : Number(consumed_at);
  return { ...rest, run: asRunId(run), body: JSON.parse(body) as Json, createdAt: Number(created_at), consumedAt };
}
