import type { RunId, TenantId } from "@woml/run";

/** Where runs wait for a place: all of a tenant's (`name` is empty), or those of a workflow. */
export interface LaneKey {
  readonly tenant: TenantId;
  readonly kind: "tenant" | "workflow";
  readonly name: string;
}
/** A lane as it stands: how many hold a place, how many new starts wait, how many runs wait to go on, and the first that hold one. Times are epoch ms. */
export interface LaneRow extends LaneLimits {
  readonly kind: LaneKey["kind"];
  readonly name: string;
  readonly active: number;
  readonly waiting: number;
  readonly lined: number;
  readonly holders: readonly { readonly run: RunId; readonly workflow: string; readonly since: number }[];
}
/** What engines count of a tenant within a minute: CPU time of its scripts, and operations that begin. Beyond it nothing of it begins until the minute is over. */
export const MINUTES = ["cpu_ms_per_minute", "operations_per_minute"] as const;
/** What a tenant may use: runs that hold a place at once; starts a second and deliveries to webhooks a minute; UTF-8 length of what its logs say. */
export const QUOTAS = ["active_runs", "starts_per_second", "deliveries_per_minute", ...MINUTES, "stored_bytes"] as const;
export type QuotaName = (typeof QUOTAS)[number];
/** As a person types it, and as it is said everywhere: `starts-per-second`. */
export const quotaWord = (name: QuotaName): string => name.replaceAll("_", "-");
/** `used` of the window that ends at `resetsAt`, epoch ms; null where nothing ends. */
export interface QuotaRow {
  readonly name: QuotaName;
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: number | null;
}
/** A quota of a minute that is used up until `resetsAt`, epoch ms. */
export interface SpentQuota {
  readonly tenant: TenantId;
  readonly quota: (typeof MINUTES)[number];
  readonly limit: number;
  readonly resetsAt: number;
}
/** So many runs hold a place at a time; so many begin within any `windowMs`; the name that its workflow gives its line. null: without limit, without name. */
export interface LaneLimits {
  readonly most: number | null;
  readonly rate: { readonly count: number; readonly windowMs: number } | null;
  readonly queue: string | null;
}
