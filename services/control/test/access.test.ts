import assert from "node:assert/strict";
import { test } from "node:test";
import { asTenantId } from "@woml/run";
import { ControlRefusal, createAdminKey, ensureAdminKey, mintKey } from "../index.ts";
import { openForFile, type Tenant, tenantOf } from "./opened.ts";

const opened = await openForFile();
const { admin, store, url } = opened;
const NIL = asTenantId("00000000-0000-0000-0000-000000000000");

const ME = "{ me { admin tenant { id } } }";
const CREATE = "mutation ($input: CreateKeyInput!) { createKey(input: $input) { id key } }";
const REVOKE = "mutation ($key: ID!) { revokeKey(input: { key: $key }) { key { id tenant scopes createdAt } } }";
const KEYS = `query ($first: Int, $after: String, $tenant: ID) { keys(first: $first, after: $after, tenant: $tenant) {
  edges { node { id tenant scopes createdAt } } pageInfo { hasNextPage endCursor } } }`;
const AUDIT = "{ audit(first: 100) { edges { node { tenant actor action subject detail } } } }";

interface Made {
  readonly id: string;
  readonly key: string;
}
interface Listed {
  readonly edges: readonly { readonly node: { readonly id: string; readonly tenant: string | null; readonly scopes: readonly string[] } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
const create = (input: object, by: Tenant = admin): Promise<Made> => by.field("createKey", CREATE, { input });
const as = (key: string): Tenant => tenantOf(url, "", key);
const idOf = (tenant: Tenant): string => tenant.key.split("_")[1] ?? "";
const list = async (variables: object = {}): Promise<readonly string[]> =>
  (await admin.field<Listed>("keys", KEYS, { first: 100, ...variables })).edges.map(({ node }) => node.id);
const entries = async (by: Tenant): Promise<readonly { action: string; subject: string; actor: string; tenant: string }[]> =>
  (await by.field<{ edges: { node: never }[] }>("audit", AUDIT)).edges.map(({ node }) => node);

test("a tenant gets a further key; each can be revoked, and opens nothing from then on", async () => {
  const tenant = await opened.tenant("two-keys");
  const { id, key } = await create({ tenant: tenant.id });
  assert.deepEqual(await as(key).field("me", ME), { admin: false, tenant: { id: tenant.id } });
  assert.deepEqual(await list({ tenant: tenant.id }), [id, idOf(tenant)]);
  const revoked = await admin.field<{ key: object }>("revokeKey", REVOKE, { key: idOf(tenant) });
  assert.deepEqual({ ...revoked.key, createdAt: "" }, { id: idOf(tenant), tenant: tenant.id, scopes: ["tenant"], createdAt: "" });
  const refused = await tenant.ask(ME);
  assert.deepEqual([refused.status, refused.codes], [401, ["WOML_UNAUTHENTICATED"]]);
  assert.deepEqual(await list({ tenant: tenant.id }), [id]);
  assert.deepEqual((await as(key).ask(ME)).codes, []);
  assert.deepEqual((await admin.ask(REVOKE, { key: idOf(tenant) })).codes, ["WOML_KEY_NOT_FOUND"]);
  const own = (await entries(as(key))).map(({ action, subject, actor }) => [action, subject, actor]);
  assert.deepEqual(own, [
    ["key.revoke", idOf(tenant), idOf(admin)],
    ["key.create", id, idOf(admin)],
  ]);
});

test("a revoked key is refused by a control of the build before too: it has no scope left", async () => {
  const tenant = await opened.tenant("before");
  await admin.field("revokeKey", REVOKE, { key: idOf(tenant) });
  assert.equal(await store.key(idOf(tenant)), null);
  const text = tenant.key;
  assert.equal(
    await store.asAdmin((scope) => scope.addKey({ tenant: NIL, id: idOf(tenant), digest: new Uint8Array(32), scopes: [] })),
    "taken",
  );
  assert.equal(await ensureAdminKey(store, text), "revoked");
  assert.deepEqual((await tenant.ask(ME)).codes, ["WOML_UNAUTHENTICATED"]);
});

test("a further administrator's key has to be asked for by name", async () => {
  const tenant = await opened.tenant("by-name");
  for (const input of [{}, { admin: false }, { tenant: null, admin: null }, { tenant: tenant.id, admin: true }])
    assert.deepEqual((await admin.ask(CREATE, { input })).codes, ["WOML_KEY_SCOPE_INVALID"], JSON.stringify(input));
  assert.deepEqual((await admin.ask(CREATE, { input: { tenant: NIL } })).codes, ["WOML_TENANT_NOT_FOUND"]);
  assert.deepEqual((await admin.ask(CREATE, { input: { tenant: "0" } })).codes, ["WOML_ID_INVALID"]);
  assert.deepEqual((await admin.ask(REVOKE, { key: "x" })).codes, ["WOML_ID_INVALID"]);
  const made = await create({ admin: true });
  assert.deepEqual(await as(made.key).field("me", ME), { admin: true, tenant: null });
  assert.ok((await list({ tenant: NIL })).includes(made.id));
  const audited = (await entries(admin)).find(({ subject }) => subject === made.id);
  assert.deepEqual([audited?.action, audited?.tenant], ["key.create", NIL]);
  await admin.field("revokeKey", REVOKE, { key: made.id });
});

test("the last administrator's key cannot be revoked; of two that revoke each other at once one stays", async () => {
  assert.deepEqual((await admin.ask(REVOKE, { key: idOf(admin) })).codes, ["WOML_KEY_IS_LAST"]);
  for (let round = 0; round < 5; round++) {
    const [one, two] = [as((await create({ admin: true })).key), as((await create({ admin: true })).key)];
    await one.field("revokeKey", REVOKE, { key: idOf(admin) }).catch(() => null);
    const replies = await Promise.all([one.ask(REVOKE, { key: idOf(two) }), two.ask(REVOKE, { key: idOf(one) })]);
    const lives = (await Promise.all([one.ask(ME), two.ask(ME)])).filter(({ codes }) => codes.length === 0);
    assert.equal(lives.length, 1, JSON.stringify(replies.map(({ codes }) => codes)));
    const left = (await one.ask(ME)).codes.length === 0 ? one : two;
    Object.assign(admin, { key: left.key, ask: left.ask, field: left.field });
  }
});

test("tenants and keys are the administrator's to list, page by page", async () => {
  const tenant = await opened.tenant("no-list");
  const TENANTS =
    "query ($first: Int, $after: String) { tenants(first: $first, after: $after) { edges { node { id name } } pageInfo { endCursor } } }";
  for (const query of ["{ tenants { edges { cursor } } }", "{ keys { edges { cursor } } }"])
    assert.deepEqual((await tenant.ask(query)).codes, ["WOML_FORBIDDEN"]);
  for (const [query, variables] of [
    [CREATE, { input: { admin: true } }],
    [REVOKE, { key: idOf(tenant) }],
  ] as const)
    assert.deepEqual((await tenant.ask(query, variables)).codes, ["WOML_FORBIDDEN"]);
  const walk = async (field: string, query: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: Listed = await admin.field<Listed>(field, query, { first: 2, after });
      found.push(...page.edges.map(({ node }) => node.id));
      if (page.edges.length < 2) return found;
      after = page.pageInfo.endCursor;
    }
  };
  assert.deepEqual(await walk("keys", KEYS), await list());
  assert.ok((await walk("tenants", TENANTS)).includes(tenant.id));
  assert.deepEqual((await admin.ask(KEYS, { after: "x" })).codes, ["WOML_CURSOR_INVALID"]);
});

test("the first administrator's key comes from an operator: many controls at once take it, and it is audited once", async () => {
  const { text, id } = mintKey();
  const taken = await Promise.all(Array.from({ length: 6 }, () => ensureAdminKey(store, text)));
  assert.deepEqual(taken.toSorted(), ["made", "same", "same", "same", "same", "same"]);
  assert.deepEqual(await as(text).field("me", ME), { admin: true, tenant: null });
  const audited = (await entries(admin)).filter(({ subject }) => subject === id);
  assert.deepEqual(
    audited.map(({ action, actor }) => [action, actor]),
    [["key.create", "platform"]],
  );
  await admin.field("revokeKey", REVOKE, { key: id });
  assert.equal(await ensureAdminKey(store, text), "revoked");
  assert.deepEqual((await as(text).ask(ME)).codes, ["WOML_UNAUTHENTICATED"]);
});

test("what is no key is refused with what makes one; one can be made straight into the database", async () => {
  for (const text of ["", "admin", `${mintKey().text}x`, mintKey().text.toUpperCase()]) {
    const refused = await ensureAdminKey(store, text).catch((error: unknown) => error);
    assert.ok(refused instanceof ControlRefusal && refused.code === "WOML_ADMIN_KEY_INVALID");
    assert.match(refused.message, /`woml admin key` makes one/);
    assert.ok(text === "" || text === "admin" || !refused.message.includes(text));
  }
  assert.deepEqual(await as(await createAdminKey(store)).field("me", ME), { admin: true, tenant: null });
});
