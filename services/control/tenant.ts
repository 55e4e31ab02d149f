import type { ControlStore } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { ApiError } from "./errors.ts";
import { keyId, proves } from "./keys.ts";

/** On whose behalf a request is made; `key` is the id of the key that it came with. */
export type Who =
  | { readonly scope: "tenant"; readonly key: string; readonly tenant: TenantId }
  | { readonly scope: "admin"; readonly key: string };

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

/** Whose turn it is: a tenant's, or the administrator's. */
export const askerOf = (who: Who): string => (who.scope === "tenant" ? who.tenant : "");

/** The id of the key that a request says it has; "" when it has none. */
export const claimed = (authorization: string | undefined): string => keyId(bearer(authorization)) ?? "";

const bearer = (authorization: string | undefined): string => BEARER.exec(authorization ?? "")?.[1] ?? "";

/** Why a key is not taken is never said: a wrong one, an unknown one and none look alike. */
export async function identify(store: ControlStore, authorization: string | undefined): Promise<Who> {
  const text = bearer(authorization);
  const id = keyId(text);
  const row = id === null ? null : await store.key(id);
  if (row === null || !proves(text, row.digest)) {
    throw new ApiError("WOML_UNAUTHENTICATED", "this needs a valid key, sent as `Authorization: Bearer woml_…`");
  }
  if (row.scopes.includes("admin")) return { scope: "admin", key: row.id };
  if (row.scopes.includes("tenant")) return { scope: "tenant", key: row.id, tenant: row.tenant };
  throw new ApiError("WOML_FORBIDDEN", "this key may do nothing");
}
