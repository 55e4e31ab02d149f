import assert from "node:assert/strict";
import { test } from "node:test";
import { platform, refusal } from "./platform.ts";
import { folderWith, woml, womlHere } from "./woml.ts";

const KEY = { id: "abcdefgh", tenant: "t1", scopes: ["tenant"], createdAt: "2026-12-01T00:00:00.000Z" };
const ONCE = "The key is shown this once; nobody can read it again.\n";
const page = (...nodes: readonly object[]): object => ({
  edges: nodes.map((node) => ({ node })),
  pageInfo: { hasNextPage: false, endCursor: null },
});

test("a tenant is made with its key; all are listed", async (t) => {
  const answers = { createTenant: { tenant: { id: "t1", name: "acme" }, key: "woml_x" }, tenants: page({ id: "t1", name: "acme" }) };
  const { place, asked } = await platform(t, answers);
  const here = folderWith(t, {});
  const made = await womlHere(t, here, ["tenants", "create", "acme", ...place]);
  assert.deepEqual([made.code, made.stdout, made.stderr], [0, "TENANT  KEY\nt1      woml_x\n", ONCE]);
  const json = await womlHere(t, here, ["tenants", "create", "acme", "-o", "json", ...place]);
  assert.deepEqual(JSON.parse(json.stdout), { id: "t1", name: "acme", key: "woml_x" });
  const listed = await womlHere(t, here, ["tenants", "list", ...place]);
  assert.deepEqual([listed.code, listed.stdout], [0, "TENANT  NAME\nt1      acme\n"]);
  assert.deepEqual(asked[0]?.variables.input, { name: "acme" });
});

test("a key is somebody's: a tenant's, or an administrator's by name", async (t) => {
  const { place, asked } = await platform(t, { createKey: { id: "abcdefgh", key: "woml_y" } });
  const here = folderWith(t, {});
  for (const args of [[], ["--tenant", "t1", "--admin"]]) {
    const refused = await womlHere(t, here, ["keys", "create", ...args, ...place]);
    assert.deepEqual([refused.code, refused.stdout], [2, ""]);
    assert.match(refused.stderr, /^WOML_CLI_ARGUMENTS_INVALID: Say whose key/);
  }
  const made = await womlHere(t, here, ["keys", "create", "--tenant", "t1", ...place]);
  assert.deepEqual([made.code, made.stdout, made.stderr], [0, "ID        KEY\nabcdefgh  woml_y\n", ONCE]);
  await womlHere(t, here, ["keys", "create", "--admin", "-o", "json", ...place]);
  assert.deepEqual(
    asked.map(({ variables }) => variables.input),
    [{ tenant: "t1" }, { admin: true }],
  );
});

test("keys are listed without their texts, and revoked by their ids", async (t) => {
  const admin = { ...KEY, id: "zzzzzzzz", tenant: null, scopes: ["admin"] };
  const { place, asked } = await platform(t, { keys: page(KEY, admin), revokeKey: { key: KEY } });
  const here = folderWith(t, {});
  const listed = await womlHere(t, here, ["keys", "list", "--tenant", "t1", ...place]);
  assert.deepEqual(listed.stdout.split("\n").slice(0, 3), [
    "ID        SCOPE   TENANT  MADE",
    "abcdefgh  tenant  t1      2026-12-01T00:00:00.000Z",
    "zzzzzzzz  admin           2026-12-01T00:00:00.000Z",
  ]);
  assert.deepEqual({ ...asked[0]?.variables }, { first: 100, after: null, tenant: "t1" });
  const revoked = await womlHere(t, here, ["keys", "revoke", "abcdefgh", ...place]);
  assert.deepEqual([revoked.code, revoked.stdout], [0, "abcdefgh  revoked\n"]);
  const last = await platform(t, { revokeKey: refusal("WOML_KEY_IS_LAST", "no other key administers the platform") });
  const refused = await womlHere(t, here, ["keys", "revoke", "abcdefgh", ...last.place]);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^WOML_KEY_IS_LAST: /);
});

test("keys to install with are printed alone, each time others", async (t) => {
  const here = folderWith(t, {});
  const [one, two] = [await womlHere(t, here, ["admin", "key"]), await womlHere(t, here, ["admin", "key"])];
  assert.match(one.stdout, /^woml_[a-z2-7]{8}_[A-Za-z0-9_-]{43}_[0-9a-f]{8}\n$/);
  assert.deepEqual([one.stderr, one.stdout === two.stdout], ["", false]);
  const pair = await womlHere(t, here, ["admin", "seal-keys"]);
  assert.match(pair.stdout, /^WOML_SEAL_PUBLIC_KEY=\S+\nWOML_SEAL_PRIVATE_KEY=\S+\n$/);
  const json: unknown = JSON.parse((await womlHere(t, here, ["admin", "seal-keys", "-o", "json"])).stdout);
  assert.deepEqual(Object.keys(Object(json)), ["WOML_SEAL_PUBLIC_KEY", "WOML_SEAL_PRIVATE_KEY"]);
});

test("an administrator's key is stored only where the database says so, and no refusal quotes its address", async (t) => {
  const here = folderWith(t, {});
  const gone = await woml(here, ["admin", "create"], { WOML_DATABASE_URL: "postgres://u:s3cr3t@127.0.0.1:1/x" });
  assert.deepEqual([gone.code, gone.stdout, gone.stderr.includes("s3cr3t")], [1, "", false]);
  assert.match(gone.stderr, /^WOML_DATABASE_UNAVAILABLE: The database cannot be used: .*127\.0\.0\.1:1/);
  const unset = await woml(here, ["admin", "create"]);
  assert.equal(unset.code, 2);
  assert.match(unset.stderr, /^WOML_CONFIG_INVALID: .*WOML_DATABASE_URL is not set/);
});

test("a quota is set for a tenant by its name or its id, in the words that everything else says too", async (t) => {
  const id = "0b8f5a52-9d3c-4c9e-8f53-2f1b60a7c001";
  const answers = {
    tenants: page({ id: "t9", name: "other" }, { id, name: "acme" }),
    setQuota: { quota: { name: "STARTS_PER_SECOND", limit: 5 } },
  };
  const { place, asked } = await platform(t, answers);
  const here = folderWith(t, {});
  for (const tenant of ["acme", id]) {
    const set = await womlHere(t, here, ["tenants", "quota", tenant, "starts-per-second", "5", ...place]);
    assert.deepEqual([set.code, set.stdout], [0, `${tenant}  starts-per-second  5\n`], set.stderr);
  }
  const inputs = asked.flatMap(({ variables }) => variables.input ?? []);
  assert.deepEqual(
    inputs,
    [0, 1].map(() => ({ tenant: id, name: "STARTS_PER_SECOND", limit: 5 })),
  );
  const unknown = await womlHere(t, here, ["tenants", "quota", "nobody", "starts-per-second", "5", ...place]);
  assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
  assert.match(unknown.stderr, /^WOML_TENANT_NOT_FOUND: There is no tenant nobody/);
});
