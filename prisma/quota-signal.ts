import type { TenantId } from "@woml/run";
import { ANNOUNCE, announced } from "./announce.ts";
import type { Sessions } from "./client.ts";
import { LimitReached } from "./error.ts";

const HOUR_MS = 3_600_000;
/** Quotas of tenants that this process has announced already are kept in mind, so that whoever is refused again and again costs nothing more. */
const KEPT = 10_000;

/**
 * Rejects as the work does; where a quota of the tenant was in its way, that is announced, once an hour, in a transaction of its own: the one that was
 * refused has written nothing. A signal that cannot be stored is no reason to say anything else.
 */
export function announcingQuotas(sessions: Pick<Sessions, "under">): <T>(tenant: TenantId, work: Promise<T>) => Promise<T> {
  const told = new Set<string>();
  return async (tenant, work) => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof LimitReached && error.quota !== null) await announce(sessions, told, tenant, error).catch(() => undefined);
      throw error;
    }
  };
}

async function announce(sessions: Pick<Sessions, "under">, told: Set<string>, tenant: TenantId, reached: LimitReached): Promise<void> {
  const { quota, limit, resetsAt } = reached;
  const key = `${quota} ${Math.floor(Date.now() / HOUR_MS)}`;
  if (told.has(`${tenant} ${key}`)) return;
  const payload = { quota, limit, resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString() };
  const values = announced(tenant, { name: "woml.quota-reached", key, payload, lineage: [] });
  await sessions.under({ "app.tenant": tenant }, (tx) => tx.$executeRawUnsafe(ANNOUNCE, ...values));
  if (told.size >= KEPT) told.clear();
  told.add(`${tenant} ${key}`);
}
