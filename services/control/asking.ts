import type { Doorbell, Log } from "@woml/boot";
import type { ControlStore, TenantScope } from "@woml/prisma";
import type { Reads } from "./reads.ts";
import type { Who } from "./tenant.ts";

/** All that a resolver may touch; made anew for each request. */
export interface Asking {
  readonly who: Who;
  readonly requestId: string;
  readonly store: ControlStore;
  readonly doorbell: Doorbell;
  readonly log: Log;
  readonly reads: Reads;
}

/** The fields of one GraphQL type. Each takes its parent, its arguments, whose types the schema has checked, and who asks. */
export type Resolvers = Readonly<Record<string, (parent: never, args: never, asking: Asking) => unknown>>;

/** One transaction of the asking tenant. Only for fields whose scope is `tenant`, and what lies below them. */
export function withTenant<T>(asking: Pick<Asking, "who" | "store">, work: (scope: TenantScope) => Promise<T>): Promise<T> {
  if (asking.who.scope !== "tenant") throw new Error("a tenant's field was resolved for the administrator");
  return asking.store.withTenant(asking.who.tenant, work);
}
