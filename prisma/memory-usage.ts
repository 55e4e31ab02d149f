// What the memory's double of the store counts of tenants' use, as usage.ts does it.
import type { TenantId } from "@woml/run";
import { type Allowance, SECOND_MS, UNLIMITED_STARTS } from "./allowance.ts";
import type { Append } from "./engine-store.ts";
import { MINUTES, type SpentQuota } from "./lane.ts";
import { MINUTE_MS, minuteOf, usedBy } from "./usage.ts";

/** Starts of this second, by tenant, as append-own.sql and slot.ts count them. */
export class MemoryStarts {
  readonly #clock: () => number;
  readonly #limits = new Map<TenantId, number>();
  readonly #used = new Map<string, number>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A limit of null is none. */
  limit(tenant: TenantId, limit: number | null): void {
    if (limit === null) this.#limits.delete(tenant);
    else this.#limits.set(tenant, limit);
  }
  allowance(tenant: TenantId): Allowance {
    const limit = this.#limits.get(tenant);
    const since = this.#clock() - (this.#clock() % SECOND_MS);
    if (limit === undefined) return UNLIMITED_STARTS;
    const left = Math.max(0, limit - (this.#used.get(`${tenant} ${since}`) ?? 0));
    return { ...UNLIMITED_STARTS, starts: { limit, left, resetsAt: since + SECOND_MS } };
  }
  /** Whether there is room for all of them. */
  fits(tenant: TenantId, starts: number): boolean {
    return starts === 0 || (this.allowance(tenant).starts?.left ?? Number.POSITIVE_INFINITY) >= starts;
  }
  take(tenant: TenantId, starts: number): void {
    const key = `${tenant} ${this.#clock() - (this.#clock() % SECOND_MS)}`;
    this.#used.set(key, (this.#used.get(key) ?? 0) + starts);
  }
}

export class MemoryUsage {
  readonly starts: MemoryStarts;
  readonly #clock: () => number;
  readonly #limits = new Map<string, number>();
  readonly #used = new Map<string, number>();
  readonly #waiting: { readonly key: string; readonly amount: number }[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
    this.starts = new MemoryStarts(clock);
  }

  /** A limit of null is none. */
  limit(tenant: TenantId, quota: SpentQuota["quota"] | "starts_per_second", limit: number | null): void {
    if (quota === "starts_per_second") this.starts.limit(tenant, limit);
    else if (limit === null) this.#limits.delete(`${tenant} ${quota}`);
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
