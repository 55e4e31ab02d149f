import type { TenantId } from "@woml/run";

/** Where runs wait for a place: all of a tenant's (`name` is empty), or those of a workflow. */
export interface LaneKey {
  readonly tenant: TenantId;
  readonly kind: "tenant" | "workflow";
  readonly name: string;
}
/** So many runs hold a place at a time; so many begin within any `windowMs`; the name that its workflow gives its line. null: without limit, without name. */
export interface LaneLimits {
  readonly most: number | null;
  readonly rate: { readonly count: number; readonly windowMs: number } | null;
  readonly queue: string | null;
}
