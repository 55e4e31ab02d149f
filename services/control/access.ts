// Keys: who may come in. Made and revoked by the administrator, in one transaction with their entries of the audit.
import type { KeyHead } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { type Asking, PLATFORM } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { keyIdOf, tenantIdOf } from "./ids.ts";
import { mintKey } from "./keys.ts";

export interface CreateKeyInput {
  readonly tenant?: string | null;
  readonly admin?: boolean | null;
}

/** Answers the id and the text, which is kept nowhere. */
export async function createKey({ store, who }: Asking, input: CreateKeyInput): Promise<{ readonly id: string; readonly key: string }> {
  const tenant = ownerOf(input);
  const scopes = tenant === PLATFORM ? (["admin"] as const) : (["tenant"] as const);
  const { text, id, digest } = mintKey();
  return store.asAdmin(async (scope) => {
    if (tenant !== PLATFORM && (await scope.tenant(tenant)) === null) throw noTenant();
    if ((await scope.addKey({ tenant, id, digest, scopes })) !== "made") throw new Error("a key of this id stands already");
    await scope.record(tenant, entryOf(who.key, "key.create", id, { scopes }));
    return { id, key: text };
  });
}

/** From its commit on every control refuses the key, whatever its build. */
export async function revokeKey({ store, who }: Asking, text: string): Promise<KeyHead> {
  const id = keyIdOf(text);
  return store.asAdmin(async (scope) => {
    const revoked = await scope.revokeKey(id);
    if (revoked === "unknown") throw new ApiError("WOML_KEY_NOT_FOUND", "no key of this id stands");
    if (revoked === "last") {
      throw new ApiError("WOML_KEY_IS_LAST", "no other key administers the platform: make another one first");
    }
    await scope.record(revoked.tenant, entryOf(who.key, "key.revoke", id, { scopes: revoked.scopes }));
    return revoked;
  });
}

/** Left out by mistake, a tenant shall not make the key an administrator's. */
function ownerOf({ tenant, admin }: CreateKeyInput): TenantId {
  const isNamed = tenant !== null && tenant !== undefined;
  if (isNamed === (admin === true)) {
    throw new ApiError("WOML_KEY_SCOPE_INVALID", "say whose key: either `tenant`, or `admin: true` for an administrator's");
  }
  const id = isNamed ? tenantIdOf(tenant) : PLATFORM;
  if (isNamed && id === PLATFORM) throw noTenant();
  return id;
}

function noTenant(): ApiError {
  return new ApiError("WOML_TENANT_NOT_FOUND", "there is no such tenant");
}
