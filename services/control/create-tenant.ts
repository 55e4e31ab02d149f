import type { TenantRow } from "@woml/prisma";
import type { Asking } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { mintTenantId } from "./ids.ts";
import { mintKey } from "./keys.ts";
import { printable } from "./printable.ts";

const NAME = printable(128);
const BLANK_AT_END = /^\s|\s$/;

/** Answers the new tenant and its key, whose text is kept nowhere. */
export async function createTenant({ store, who }: Asking, name: string): Promise<{ readonly tenant: TenantRow; readonly key: string }> {
  if (!NAME.test(name) || BLANK_AT_END.test(name)) {
    throw new ApiError("WOML_TENANT_NAME_INVALID", "a tenant's name has to be 1 to 128 printable characters, no blank at an end");
  }
  const tenant = { id: mintTenantId(), name };
  const { text, id, digest } = mintKey();
  try {
    const entry = entryOf(who.key, "tenant.create", tenant.id, { name, key: id });
    await store.createTenant(tenant, { id, digest, scopes: ["tenant"] }, entry);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "WOML_TENANT_EXISTS") {
      throw new ApiError("WOML_TENANT_EXISTS", "there is a tenant of this name");
    }
    throw error;
  }
  return { tenant, key: text };
}
