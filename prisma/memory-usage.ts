// What the memory's double of the store counts of tenants' use, as usage.ts does it.
import type { TenantId } from "@woml/run";
import type { Append } from "./engine-store.ts";
import { MINUTES, type SpentQuota } from "./lane.ts";
import { MINUTE_MS, minuteOf, usedBy } from "./usage.ts";

export class MemoryUsage {
  readonly #clock: () => number;
  readonly #limits = new Map<string, number>();
  readonly #used = new Map<string, number>();
  readonly #waiting: { readonly key: string; readonly amount: number }[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A limit of null is none. */
  limit(tenant: TenantId, quota: SpentQuota["quota"], limit: number | null): void {
    if (limit === null) this.#limits.delete(`${tenant} ${quota}`);
    else this.#limits.set(`${tenant} ${quota}`, limit);
  }
  note({ tenant, events }: Append, at: number): void {
    for (const [name, amount] of usedBy(events, 0)) this.#waiting.push({ key: `${tenant} ${name} ${minuteOf(at)}`, amount });
  }
  /** What was noted counts from now on. */
  write(): void {
    for (const { key, amount } of this.#waiting.splice(0)) this.#used.set(key, (this.#used.get(key) ?? 0) + amount);
  }
  get spent(): readonly SpentQuota[] {
    const since = minuteOf(this.#clock());
    return [...this.#limits].flatMap(([key, limit]) => {
      const [tenant, name] = key.split(" ") as [TenantId, string];
      const quota = MINUTES.find((one) => one === name);
      const isSpent = quota !== undefined && (this.#used.get(`${key} ${since}`) ?? 0) >= limit;
      return isSpent ? [{ tenant, quota, limit, resetsAt: since + MINUTE_MS }] : [];
    });
  }
}
