import type { ControlStore } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { ApiError } from "./errors.ts";
import { keyId, proves } from "./keys.ts";

/** On whose behalf a request is made. */
export type Who = { readonly scope: "tenant"; readonly tenant: TenantId } | { readonly scope: "admin" };

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

/** Why a key is not taken is never said: a wrong one, an unknown one and none look alike. */
export async function identify(store: ControlStore, authorization: string | undefined): Promise<Who> {
  const text = BEARER.exec(authorization ?? "")?.[1] ?? "";
  const id = keyId(text);
  const row = id === null ? null : await store.key(id);
  if (row === null || !proves(text, row.digest)) {
    throw new ApiError("WOML_UNAUTHENTICATED", "this needs a valid key, sent as `Authorization: Bearer woml_…`");
  }
  if (row.scopes.includes("admin")) return { scope: "admin" };
  if (row.scopes.includes("tenant")) return { scope: "tenant", tenant: row.tenant };
  throw new ApiError("WOML_FORBIDDEN", "this key may do nothing");
}
