import { randomUUID } from "node:crypto";
import { mintKey } from "@woml/control";
import type { ControlStore, KeyRow, TenantRow } from "@woml/prisma";
import { type Folder, writePrivate } from "./folder.ts";
import { type Keys, readKeys } from "./key-file.ts";

type KeyStore = Pick<ControlStore, "key" | "tenants" | "createTenant" | "addKey">;

const TENANT = "demo";
const PLATFORM = tenantId("00000000-0000-0000-0000-000000000000");

/**
 * The keys of the file while the database knows them, else new ones. The database is written first: cut short between the two, the next
 * start makes further keys and the lost ones open nothing that anybody holds.
 */
export async function ensureKeys(store: KeyStore, folder: Folder): Promise<Keys> {
  const held = readKeys(folder.path);
  if (held && (await known(store, held.key)) && (await known(store, held.admin))) return held;
  const tenant = (await store.tenants()).find((row) => row.name === TENANT);
  const own = mintKey();
  const admin = mintKey();
  const row = (minted: { id: string; digest: Uint8Array }, scope: "tenant" | "admin"): Omit<KeyRow, "tenant"> => ({
    id: minted.id,
    digest: minted.digest,
    scopes: [scope],
  });
  if (tenant) await store.addKey({ tenant: tenant.id, ...row(own, "tenant") });
  else await store.createTenant({ id: tenantId(randomUUID()), name: TENANT }, row(own, "tenant"));
  await store.addKey({ tenant: PLATFORM, ...row(admin, "admin") });
  const keys: Keys = { tenant: TENANT, key: own.text, admin: admin.text };
  writePrivate(folder.keys, keys);
  return keys;
}

function tenantId(uuid: string): TenantRow["id"] {
  return uuid as TenantRow["id"];
}

/** The id stands after `woml_`. A database restored or made anew under the same folder does not know it. */
async function known(store: KeyStore, key: string): Promise<boolean> {
  return (await store.key(key.split("_")[1] ?? "")) !== null;
}
