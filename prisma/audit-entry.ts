import type { Json } from "@woml/model";
import type { TenantId } from "@woml/run";

/** Who did what; `id` is a UUIDv7, `actor` the id of a key. */
export interface NewAudit {
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Json;
}
export interface AuditRow extends NewAudit {
  readonly tenant: TenantId;
  readonly at: number;
}
