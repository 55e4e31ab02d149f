import type { Doorbell, Log, Telemetry } from "@woml/boot";
import type { ControlStore, NewAudit, PluginScope, TenantScope } from "@woml/prisma";
import { asTenantId, type TenantId } from "@woml/run";
import type { Reads } from "./reads.ts";
import type { Who } from "./tenant.ts";

/** All that a resolver may touch; made anew for each request. */
export interface Asking {
  readonly who: Who;
  readonly requestId: string;
  readonly store: ControlStore;
  readonly doorbell: Doorbell;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** `traceparent` of the request's span, for what it leads to; null where nothing is traced. */
  readonly trace: string | null;
  readonly reads: Reads;
  /** How this platform is reached from outside, without a slash at its end. */
  readonly publicUrl: string;
  /** With which secrets are sealed; nothing is opened with it. */
  readonly sealKey: string;
}

/** The fields of one GraphQL type. Each takes its parent, its arguments, whose types the schema has checked, and who asks. */
export type Resolvers = Readonly<Record<string, (parent: never, args: never, asking: Asking) => unknown>>;

/** One transaction of the asking tenant. Only for fields whose scope is `tenant`, and what lies below them. */
export function withTenant<T>(asking: Pick<Asking, "who" | "store">, work: (scope: TenantScope) => Promise<T>): Promise<T> {
  if (asking.who.scope !== "tenant") throw new Error("a tenant's field was resolved for the administrator");
  return asking.store.withTenant(asking.who.tenant, work);
}

/** Whose rows are the platform's own. */
export const PLATFORM: TenantId = asTenantId("00000000-0000-0000-0000-000000000000");

/** What tenants and the administrator ask alike; entries of the audit are the asker's own. */
export type SharedScope = PluginScope & { record(entry: NewAudit): Promise<void> };

/** One transaction of whoever asks: a tenant's own, or the administrator's. */
export function withAsker<T>({ who, store }: Pick<Asking, "who" | "store">, work: (scope: SharedScope) => Promise<T>): Promise<T> {
  if (who.scope === "tenant") return store.withTenant(who.tenant, work);
  return store.asAdmin((scope) => work({ ...scope, record: (entry) => scope.record(PLATFORM, entry) }));
}
