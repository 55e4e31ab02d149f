import assert from "node:assert/strict";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ControlStore, KeyRow, TenantRow } from "@woml/prisma";
import { openFolder } from "../folder.ts";
import { readKeys } from "../key-file.ts";
import { ensureKeys } from "../keys.ts";
import { scratch } from "./scratch.ts";

type KeyStore = Pick<ControlStore, "key" | "tenants" | "createTenant" | "addKey">;

/** Only what keys are about. */
function store() {
  const tenants: TenantRow[] = [];
  const keys: KeyRow[] = [];
  const mine: KeyStore = {
    key: async (id) => keys.find((row) => row.id === id) ?? null,
    tenants: async () => tenants,
    createTenant: async (tenant, key) => {
      tenants.push(tenant);
      keys.push({ ...key, tenant: tenant.id });
    },
    addKey: async (key) => void keys.push(key),
  };
  return { tenants, keys, store: mine };
}

test("the first start makes the tenant and two keys, the second finds them", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const { tenants, keys, store: asked } = store();
  const first = await ensureKeys(asked, folder);
  assert.match(first.key, /^woml_[^_]+_/);
  assert.notEqual(first.key, first.admin);
  assert.deepEqual([tenants.map(({ name }) => name), keys.map(({ scopes }) => scopes)], [["demo"], [["tenant"], ["admin"]]]);
  assert.equal(statSync(folder.keys).mode & 0o777, 0o600);
  assert.deepEqual(await ensureKeys(asked, folder), first);
  assert.equal(keys.length, 2);
});

test("keys that are lost, or that a new database does not know, are made anew for the tenant that is there", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const old = store();
  const first = await ensureKeys(old.store, folder);
  rmSync(folder.keys);
  const second = await ensureKeys(old.store, folder);
  assert.notEqual(second.key, first.key);
  assert.deepEqual([old.tenants.length, old.keys.length], [1, 4]);
  const fresh = store();
  const third = await ensureKeys(fresh.store, folder);
  assert.notEqual(third.key, second.key);
  assert.equal(fresh.tenants.length, 1);
});

test("a keys file that cannot be understood is not overwritten", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  writeFileSync(folder.keys, '{"key":"woml_a"}');
  await assert.rejects(ensureKeys(store().store, folder), { code: "WOML_KEYS_UNREADABLE" });
  assert.throws(() => readKeys(folder.path), { code: "WOML_KEYS_UNREADABLE" });
});
