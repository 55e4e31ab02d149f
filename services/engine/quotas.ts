import type { SpentQuota } from "@woml/prisma";
import { QUOTA_TOLD_MS, QUOTAS_TOLD } from "./bounds.ts";
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
  const tell = ({ tenant, quota, limit, resetsAt }: SpentQuota): void => {
    const key = `${quota} ${Math.floor(clock.now() / QUOTA_TOLD_MS)}`;
    if (told.has(`${tenant} ${key}`)) return;
    if (told.size >= QUOTAS_TOLD) told.clear();
    told.add(`${tenant} ${key}`);
    world.log.warn({ tenant, quota, limit }, "a quota of a tenant is used up");
    const payload = { quota, limit, resetsAt: new Date(resetsAt).toISOString() };
    world.triggers?.announce(tenant, { name: "woml.quota-reached", key, payload, lineage: [] }).catch((error: unknown) => {
      told.delete(`${tenant} ${key}`);
      world.log.warn({ tenant, code: codeOf(error) }, "a quota that is used up was not announced");
    });
  };
  return async () => {
    const spent = await world.store.meter();
    dispatch.hold(new Set(spent.map(({ tenant }) => tenant)));
    spent.forEach(tell);
  };
}
