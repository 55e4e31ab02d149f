import { connection, type Edges } from "./answer.ts";
import type { Field } from "./field.ts";
import * as queries from "./queries.ts";
import type { ApiKey, CreateKeyInput, Page, PageAsk, Tenant } from "./types.ts";

/** Tenants and keys: for the administrator's key. A key's text is answered once, by whatever made it. */
export interface AccessClient {
  createTenant(name: string): Promise<{ readonly tenant: Tenant; readonly key: string }>;
  tenants(ask?: PageAsk): Promise<Page<Tenant>>;
  createKey(input: CreateKeyInput): Promise<{ readonly id: string; readonly key: string }>;
  /** Those that stand, newest first; of one tenant where it is named. */
  keys(ask?: PageAsk & { readonly tenant?: string }): Promise<Page<ApiKey>>;
  /** By its id; answers what it was. From then on it opens nothing. */
  revokeKey(id: string): Promise<ApiKey>;
}

export function openAccess(field: Field): AccessClient {
  return {
    createTenant: (name) => field("createTenant", queries.CREATE_TENANT, { input: { name } }),
    tenants: async (wanted = {}) => connection(await field<Edges<Tenant>>("tenants", queries.TENANTS, { ...wanted })),
    createKey: (input) => field("createKey", queries.CREATE_KEY, { input }),
    keys: async (wanted = {}) => connection(await field<Edges<ApiKey>>("keys", queries.KEYS, { ...wanted })),
    revokeKey: async (key) => (await field<{ key: ApiKey }>("revokeKey", queries.REVOKE_KEY, { input: { key } })).key,
  };
}
