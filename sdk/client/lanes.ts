import type { Field } from "./field.ts";
import * as queries from "./queries.ts";

/** Where runs wait for a place: `workflow` null is the tenant as a whole. Limits are null where there is none; times are ISO 8601. */
export interface Lane {
  readonly kind: "TENANT" | "WORKFLOW";
  readonly workflow: string | null;
  readonly most: number | null;
  readonly rateCount: number | null;
  readonly rateMs: number | null;
  readonly queue: string | null;
  readonly active: number;
  readonly waiting: number;
  readonly resuming: number;
  readonly holders: readonly { readonly run: string; readonly workflow: string; readonly since: string }[];
}
export type QuotaName =
  | "ACTIVE_RUNS"
  | "STARTS_PER_SECOND"
  | "DELIVERIES_PER_MINUTE"
  | "CPU_MS_PER_MINUTE"
  | "OPERATIONS_PER_MINUTE"
  | "STORED_BYTES";
/** What may be used, what is, and when it is new again. */
export interface Quota {
  readonly name: QuotaName;
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: string | null;
}
interface QuotaSetting {
  readonly name: QuotaName;
  readonly limit: number | null;
}
/** How much may run at once, and how much does. */
export interface LanesClient {
  lanes(workflow?: string | null): Promise<readonly Lane[]>;
  quotas(): Promise<readonly Quota[]>;
  /** For the administrator's key; `limit` null: none. */
  setQuota(tenant: string, quota: QuotaSetting): Promise<QuotaSetting>;
}

export function openLanes(field: Field): LanesClient {
  return {
    lanes: (workflow = null) => field<readonly Lane[]>("lanes", queries.LANES, { workflow }),
    quotas: () => field<readonly Quota[]>("quotas", queries.QUOTAS, {}),
    setQuota: async (tenant, quota) =>
      (await field<{ quota: QuotaSetting }>("setQuota", queries.SET_QUOTA, { input: { tenant, ...quota } })).quota,
  };
}
