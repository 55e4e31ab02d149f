// Whose door it is, and what stands behind it: one transaction, in which the tenant sees its own alone.
import type { Log } from "@woml/boot";
import type { Json, Trigger, TriggerSetting, Verification } from "@woml/model";
import type { ControlStore, TenantScope, TriggerRow } from "@woml/prisma";
import { asTenantId, type TenantId } from "@woml/run";
import type { DoorSecrets } from "./hook-key.ts";
import type { KnownSecret } from "./hook-verify/came.ts";
import { LARGE_BODY } from "./limits.ts";
import { printable } from "./printable.ts";

/** A webhook of an active version, and all that is needed to take what comes. */
export interface Hook {
  readonly tenant: TenantId;
  readonly row: TriggerRow;
  /** The name of the secret that is sent as it is. */
  readonly bearer: string | null;
  readonly verification: Verification | null;
  readonly schema: Json | undefined;
  /** To look through its schema takes as long as through a large body. */
  readonly isLarge: boolean;
  readonly secrets: ReadonlyMap<string, KnownSecret>;
  /** Runs of it stand in a line. */
  readonly isQueued: boolean;
  readonly onAmbiguous: "fail" | null;
}
export interface Finding {
  /** Who it is known to be, without asking: null for a stranger. */
  known(name: string): TenantId | null;
  tenant(name: string): Promise<TenantId | null>;
  /** The webhook of a path; null where there is none. */
  hook(tenant: TenantId, path: string): Promise<Hook | null>;
}
interface Places {
  readonly store: ControlStore;
  readonly secrets: DoorSecrets;
  readonly log: Log;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME = printable(128);
/** Tenants and versions that are kept in mind: neither changes what it is. */
const KEPT = 1_000;

export function openFinding({ store, secrets }: Places): Finding {
  const tenants = new Map<string, TenantId>();
  const queued = new Map<string, boolean>();
  const isQueued = async (scope: TenantScope, version: string): Promise<boolean> => {
    const key = `${scope.tenant} ${version}`;
    const known = queued.get(key);
    if (known !== undefined) return known;
    const row = await scope.version(version);
    return keep(queued, key, row !== null && hasPolicy(row.definition));
  };
  const known = (name: string): TenantId | null => tenants.get(name) ?? null;
  /** A UUID too is looked up: for a tenant that is not there nothing may be written down. */
  const called = async (name: string): Promise<TenantId | null> => {
    if (!UUID.test(name)) return NAME.test(name) ? store.tenantNamed(name) : null;
    return (await store.isTenant(asTenantId(name))) ? asTenantId(name) : null;
  };
  return {
    known,
    tenant: async (name) => {
      const found = known(name) ?? (await called(name));
      return found === null ? null : keep(tenants, name, found);
    },
    hook: (tenant, path) =>
      store.withTenant(tenant, async (scope) => {
        const row = await scope.webhook(path);
        if (row === null) return null;
        const { secret = null, schema } = row.spec as Extract<Trigger, { readonly kind: "webhook" }>;
        const verification = (row.setting as TriggerSetting | null)?.verification ?? null;
        const names = [...(secret === null ? [] : [secret]), ...(verification?.secrets ?? [])];
        const given = await secrets.known(scope, names);
        return {
          ...{ tenant, row, bearer: secret, verification, schema: schema as Json | undefined },
          isLarge: schema !== undefined && JSON.stringify(schema).length > LARGE_BODY,
          secrets: new Map(given.map((one) => [one.name, one])),
          isQueued: await isQueued(scope, row.version),
          onAmbiguous: await scope.onAmbiguous(),
        };
      }),
  };
}

function keep<T>(kept: Map<string, T>, key: string, value: T): T {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
  return value;
}

/** A time-out alone makes no line. */
function hasPolicy(definition: string): boolean {
  const { policy }: { policy?: unknown } = JSON.parse(definition);
  if (typeof policy !== "object" || policy === null) return false;
  return "concurrency" in policy || "rateLimit" in policy || "queue" in policy;
}
