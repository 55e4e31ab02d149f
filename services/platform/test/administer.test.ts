import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openLog, publicOf } from "@woml/boot";
import { openControlStore } from "@woml/prisma";
import { migrateCluster } from "@woml/prisma/migrate";
import { createAdmin, freshKey, freshSealKeys } from "../administer.ts";
import { ensureOwnReleases } from "../plugins.ts";
import { openCopy } from "../testing.ts";

const readFile = (): never => {
  throw new Error("there is no file");
};

test("the first administrator's key goes into a migrated database, and into no other", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "woml-administer-"));
  const postgres = await openCopy(join(folder, "postgres"));
  t.after(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { WOML_DATABASE_URL: postgres.url, WOML_DATABASE_SET_ROLE: "on" };
  await assert.rejects(createAdmin({ env, readFile }), { code: "WOML_DATABASE_RIGHTS_MISSING" });
  await migrateCluster({ ownerUrl: postgres.url });
  const key = await createAdmin({ env, readFile });
  assert.match(key, /^woml_/);
  const store = await openControlStore(postgres.url, { setRole: true });
  t.after(() => store.close());
  assert.deepEqual((await store.key(key.split("_")[1] ?? ""))?.scopes, ["admin"]);
  assert.equal(await store.key(freshKey().split("_")[1] ?? ""), null);
  await assert.rejects(createAdmin({ env: { WOML_DATABASE_URL: postgres.url }, readFile }), { code: "WOML_DATABASE_ROLE_TOO_POWERFUL" });
});

test("a pair of keys for secrets belongs together", () => {
  const { WOML_SEAL_PUBLIC_KEY, WOML_SEAL_PRIVATE_KEY } = freshSealKeys();
  assert.equal(publicOf(WOML_SEAL_PRIVATE_KEY), WOML_SEAL_PUBLIC_KEY);
});

test("several controls that start at once release the platform's own plugins once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "woml-own-plugins-"));
  const postgres = await openCopy(join(folder, "postgres"));
  await migrateCluster({ ownerUrl: postgres.url });
  const stores = await Promise.all([1, 2, 3].map(() => openControlStore(postgres.url, { setRole: true })));
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const log = openLog("test", "silent");
  assert.deepEqual(await Promise.all(stores.map((store) => ensureOwnReleases(store, log))), ["http", "http", "http"]);
  const [store] = stores;
  const seen = await store?.asAdmin(async (scope) => {
    const [releases, audit] = [await scope.releases({ first: 9, after: null }), await scope.audit({ first: 9, after: null })];
    return [releases?.items.map(({ capability, approved }) => [capability, approved !== null]), audit.items.map(({ action }) => action)];
  });
  assert.deepEqual(seen, [[["http", true]], ["plugin.approve"]]);
});
