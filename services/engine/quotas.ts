import { quotaReached, quotaWord, type SpentQuota } from "@woml/prisma";
import { QUOTAS_TOLD } from "./bounds.ts";
import type { Clock } from "./clock.ts";
import { codeOf } from "./code-of.ts";
import type { World } from "./engine.ts";
import type { Dispatch } from "./perform/dispatch.ts";

interface Parts {
  readonly world: Pick<World, "store" | "triggers" | "log">;
  readonly clock: Pick<Clock, "now">;
  readonly dispatch: Pick<Dispatch, "hold">;
}

/**
 * Writes down what tenants have used, and keeps the scripts of those that have used up what a minute gives, until it is over: what is in flight goes on.
 * That a quota is used up is announced, once an hour; that it cannot be is no reason not to keep them.
 */
export function openQuotas({ world, clock, dispatch }: Parts): () => Promise<void> {
  const told = new Set<string>();
  const tell = (spent: SpentQuota): void => {
    const { tenant, quota, limit } = spent;
    const announcement = quotaReached(spent, clock.now(), []);
    const key = `${tenant} ${announcement.key}`;
    if (told.has(key)) return;
    if (told.size >= QUOTAS_TOLD) told.clear();
    told.add(key);
    world.log.warn({ tenant, quota: quotaWord(quota), limit }, "a quota of a tenant is used up");
    world.triggers?.announce(tenant, announcement).catch((error: unknown) => {
      told.delete(key);
      world.log.warn({ tenant, code: codeOf(error) }, "a quota that is used up was not announced");
    });
  };
  return async () => {
    const spent = await world.store.meter();
    dispatch.hold(new Set(spent.map(({ tenant }) => tenant)));
    spent.forEach(tell);
  };
}
