import type { TenantId } from "@woml/run";
import { ANNOUNCE, announced } from "./announce.ts";
import type { Sessions } from "./client.ts";
import { LimitReached } from "./error.ts";
import { quotaWord } from "./lane.ts";
import type { Reached } from "./reached.ts";
import type { Announcement } from "./trigger.ts";

const HOUR_MS = 3_600_000;
/** Quotas of tenants that this process has announced already are kept in mind, so that whoever is refused again and again costs nothing more. */
const KEPT = 10_000;

/** A quota that was in somebody's way: once a quota and hour, whoever finds it. `lineage`: the workflows that stand above who asked. */
export function quotaReached({ quota, limit, resetsAt }: Reached, at: number, lineage: readonly string[]): Announcement {
  const word = quota === null ? "" : quotaWord(quota);
  const payload = { quota: word, limit, resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString() };
  return { name: "woml.quota-reached", key: `${word} ${Math.floor(at / HOUR_MS)}`, payload, lineage };
}

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
      if (error instanceof LimitReached && error.reached.quota !== null)
        await announce(sessions, told, tenant, error.reached).catch(() => undefined);
      throw error;
    }
  };
}

async function announce(sessions: Pick<Sessions, "under">, told: Set<string>, tenant: TenantId, reached: Reached): Promise<void> {
  const announcement = quotaReached(reached, Date.now(), []);
  const key = `${tenant} ${announcement.key}`;
  if (told.has(key)) return;
  await sessions.under({ "app.tenant": tenant }, (tx) => tx.$executeRawUnsafe(ANNOUNCE, ...announced(tenant, announcement)));
  if (told.size >= KEPT) told.clear();
  told.add(key);
}
