import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { canonical } from "@woml/model";
import { asTenantId } from "@woml/run";
import { ensureGrant, ensureRelease } from "../index.ts";
import {
  APPROVE,
  approved,
  base64,
  digestsOf,
  GRANT,
  grant,
  manifest,
  RELEASE,
  REVOKE,
  REVOKE_GRANT,
  type Release,
  SUBMIT,
  submit,
} from "./acme.ts";
import { openForFile, type Tenant } from "./opened.ts";

const opened = await openForFile();
const { admin } = opened;
const LIST = `query ($first: Int, $after: String) { plugins(first: $first, after: $after) { edges { cursor node { ${RELEASE} } } pageInfo { hasNextPage endCursor } } }`;
const AUDIT = "{ audit(first: 100) { edges { node { tenant actor action subject detail } } } }";

interface Listed {
  readonly edges: readonly { readonly cursor: string; readonly node: Release }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}
const idsOf = async (tenant: Tenant, ask: object = { first: 100 }): Promise<readonly string[]> =>
  (await tenant.field<Listed>("plugins", LIST, ask)).edges.map(({ node }) => node.release);
/** Each test has an id of its own. */
const own = (name: string, version?: string): object => manifest(version, { id: `test.${name}` });
const sha256 = (bytes: string): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

test("a release is named by the digests of its file and of its canonical manifest; the same content is the same release", async () => {
  const tenant = await opened.tenant("submit");
  const { release, created, complaints } = await submit(tenant, own("one"), "export default 'ß';");
  assert.deepEqual([created, complaints], [true, []]);
  const digests = { artefact: sha256("export default 'ß';"), manifest: sha256(canonical(own("one") as never)) };
  assert.deepEqual(
    [release?.release, release?.artefactDigest, release?.manifestDigest, release?.["manifest"]],
    [sha256(canonical(digests)), digests.artefact, digests.manifest, own("one")],
  );
  assert.deepEqual([release?.["approved"], release?.["revokedAt"], release?.["granted"]], [null, null, false]);
  assert.equal(release?.["submittedBy"], tenant.key.split("_")[1]);
  const turned = Object.fromEntries(Object.entries(own("one")).toReversed());
  assert.deepEqual(await submit(tenant, turned, "export default 'ß';"), { release, created: false, complaints: [] });
  const stored = await opened.engine.release(release?.release ?? "");
  assert.deepEqual(
    [stored?.manifest, Buffer.from(stored?.artefact ?? []).toString()],
    [canonical(own("one") as never), "export default 'ß';"],
  );
});

test("other content under a version is refused: to its owner at once, to others once it is approved", async () => {
  const [one, two] = [await opened.tenant("taken-1"), await opened.tenant("taken-2")];
  const first = await approvedLater(one, "taken");
  assert.deepEqual((await one.ask(SUBMIT, { input: { manifest: own("taken"), artefact: base64("2") } })).codes, [
    "WOML_PLUGIN_VERSION_TAKEN",
  ]);
  const second = (await submit(two, own("taken"), "2")).release ?? assert.fail();
  await admin.field("approvePlugin", APPROVE, { input: digestsOf(first) });
  assert.deepEqual((await admin.ask(APPROVE, { input: digestsOf(second) })).codes, ["WOML_PLUGIN_VERSION_TAKEN"]);
  const three = await opened.tenant("taken-3");
  assert.deepEqual((await three.ask(SUBMIT, { input: { manifest: own("taken"), artefact: base64("3") } })).codes, [
    "WOML_PLUGIN_VERSION_TAKEN",
  ]);
  assert.equal((await submit(three, own("taken", "1.0.1"), "3")).created, true);
});
const approvedLater = async (tenant: Tenant, name: string): Promise<Release> =>
  (await submit(tenant, own(name), "1")).release ?? assert.fail();

test("a manifest with faults is answered with complaints, a bad file or a word of the platform's with a code; nothing is stored", async () => {
  const tenant = await opened.tenant("faults");
  for (const bad of [
    {},
    "",
    [],
    { ...own("faults"), contract: 2 },
    { ...own("faults"), extra: 1 },
    { ...own("faults"), title: "\u0000" },
  ]) {
    const answer = await submit(tenant, bad as object);
    assert.deepEqual([answer.release, answer.created, answer.complaints.length > 0], [null, false, true], JSON.stringify(bad));
  }
  const codesOf = async (input: object): Promise<readonly string[]> => (await tenant.ask(SUBMIT, { input })).codes;
  for (const artefact of ["", "*", "YQ", "YQ==YQ==", Buffer.of(0xff, 0xfe, 0xff).toString("base64"), " YQ=="])
    assert.deepEqual(await codesOf({ manifest: own("faults"), artefact }), ["WOML_PLUGIN_ARTEFACT_INVALID"], artefact);
  assert.deepEqual(await codesOf({ manifest: manifest("1.0.0", { id: "http" }), artefact: "YQ==" }), ["WOML_PLUGIN_ID_RESERVED"]);
  const { edges } = await tenant.field<Listed>("plugins", LIST, { first: 100 });
  assert.deepEqual(
    edges.filter(({ node }) => node["capability"] === "test.faults"),
    [],
  );
});

test("approval names both digests, is given with another key, and only by the administrator", async () => {
  const tenant = await opened.tenant("approve");
  const release = await approvedLater(tenant, "approve");
  const codesOf = async (input: object, by = admin): Promise<readonly string[]> => (await by.ask(APPROVE, { input })).codes;
  const wrong = sha256("wrong");
  assert.deepEqual(await codesOf(digestsOf(release), tenant), ["WOML_FORBIDDEN"]);
  assert.deepEqual(await codesOf({ ...digestsOf(release), artefactDigest: wrong }), ["WOML_PLUGIN_DIGEST_MISMATCH"]);
  assert.deepEqual(await codesOf({ ...digestsOf(release), manifestDigest: wrong }), ["WOML_PLUGIN_DIGEST_MISMATCH"]);
  assert.deepEqual(await codesOf({ ...digestsOf(release), release: wrong }), ["WOML_PLUGIN_NOT_FOUND"]);
  assert.deepEqual(await codesOf({ ...digestsOf(release), release: "x" }), ["WOML_ID_INVALID"]);
  assert.equal(await opened.engine.standing(asTenantId(tenant.id), release.release), "not_approved");
  assert.deepEqual(await codesOf(digestsOf(release)), []);
  assert.deepEqual(await codesOf(digestsOf(release)), []);
  assert.equal(await opened.engine.standing(asTenantId(tenant.id), release.release), "not_granted");
  const byAdmin = (await submit(admin, own("approve-admin"), "1")).release ?? assert.fail();
  assert.deepEqual(await codesOf(digestsOf(byAdmin)), ["WOML_REVIEWER_IS_SUBMITTER"]);
});

test("a grant lets one tenant use a capability, and ends; a revoked release never comes back", async () => {
  const [one, two] = [await opened.tenant("grant-1"), await opened.tenant("grant-2")];
  const release = await approved(opened, one, own("grant"));
  const standings = (): Promise<readonly string[]> =>
    Promise.all([one, two].map(({ id }) => opened.engine.standing(asTenantId(id), release.release)));
  const grants = (query: string, field: string): Promise<{ changed: boolean }> =>
    admin.field(field, query, { input: { tenant: one.id, capability: "test.grant" } });
  assert.deepEqual([await grants(GRANT, "grantPlugin"), await grants(GRANT, "grantPlugin")], [{ changed: true }, { changed: false }]);
  assert.deepEqual(await standings(), ["granted", "not_granted"]);
  assert.deepEqual(
    [await grants(REVOKE_GRANT, "revokeGrant"), await grants(REVOKE_GRANT, "revokeGrant")],
    [{ changed: true }, { changed: false }],
  );
  assert.deepEqual(await standings(), ["not_granted", "not_granted"]);
  await grants(GRANT, "grantPlugin");
  const revoke = { input: { release: release.release, reason: "it leaks" } };
  assert.deepEqual((await one.ask(REVOKE, revoke)).codes, ["WOML_FORBIDDEN"]);
  assert.deepEqual((await admin.ask(REVOKE, { input: { ...revoke.input, reason: "" } })).codes, ["WOML_REASON_INVALID"]);
  await admin.field("revokePlugin", REVOKE, revoke);
  assert.deepEqual(await standings(), ["revoked", "revoked"]);
  assert.deepEqual((await admin.ask(APPROVE, { input: digestsOf(release) })).codes, ["WOML_PLUGIN_REVOKED"]);
  for (const [input, code] of [
    [{ tenant: randomUUID(), capability: "test.grant" }, "WOML_TENANT_NOT_FOUND"],
    [{ tenant: "x", capability: "test.grant" }, "WOML_ID_INVALID"],
    [{ tenant: one.id, capability: "Test" }, "WOML_CAPABILITY_INVALID"],
  ] as const)
    assert.deepEqual((await admin.ask(GRANT, { input })).codes, [code]);
});

test("a tenant's list shows what is approved and what it handed in; the administrator's shows all, page by page", async () => {
  const [one, two] = [await opened.tenant("list-1"), await opened.tenant("list-2")];
  const mine = await approvedLater(one, "list");
  const open = await approved(opened, one, own("list-open"));
  assert.deepEqual((await idsOf(one)).slice(0, 2), [open.release, mine.release]);
  assert.ok(!(await idsOf(two)).includes(mine.release) && (await idsOf(two)).includes(open.release));
  const all = await idsOf(admin);
  assert.ok(all.includes(mine.release));
  let [paged, after]: [string[], string | null] = [[], null];
  for (let more = true; more; ) {
    const page: Listed = await admin.field<Listed>("plugins", LIST, { first: 2, after });
    paged = [...paged, ...page.edges.map(({ node }) => node.release)];
    after = page.pageInfo.endCursor;
    more = page.pageInfo.hasNextPage;
  }
  assert.deepEqual(paged, all);
  assert.deepEqual((await one.ask(LIST, { after: "x" })).codes, ["WOML_CURSOR_INVALID"]);
});

test("everything is in the audit: a tenant reads what is about it, the administrator reads all", async () => {
  const tenant = await opened.tenant("audit");
  const release = await approved(opened, tenant, own("audit"));
  await grant(opened, tenant, "test.audit");
  type Audit = { edges: readonly { node: { action: string; subject: string; tenant: string } }[] };
  const said = async (by: Tenant): Promise<readonly string[]> =>
    (await by.field<Audit>("audit", AUDIT)).edges.map(({ node }) => `${node.action} ${node.subject}`);
  assert.deepEqual(await said(tenant), ["plugin.grant test.audit", `plugin.submit ${release.release}`]);
  const [newest, next, last] = await said(admin);
  assert.deepEqual(
    [newest, next, last],
    ["plugin.grant test.audit", `plugin.approve ${release.release}`, `plugin.submit ${release.release}`],
  );
});

test("the platform's own plugins are there after the first start and unchanged after the second", async () => {
  const tenant = await opened.tenant("ensure");
  const of = { manifest: manifest("1.0.0", { id: "http" }), artefact: Buffer.from("export default 1;") };
  const digest = await ensureRelease(opened.store, of);
  await ensureGrant(opened.store, asTenantId(tenant.id), "http");
  assert.equal(await ensureRelease(opened.store, of), digest);
  await ensureGrant(opened.store, asTenantId(tenant.id), "http");
  assert.equal(await opened.engine.standing(asTenantId(tenant.id), digest), "granted");
  await assert.rejects(ensureRelease(opened.store, { ...of, artefact: Buffer.from("2") }), { code: "WOML_PLUGIN_VERSION_TAKEN" });
  await assert.rejects(ensureRelease(opened.store, { ...of, manifest: {} }), /cannot be released/);
});

test("a tenant may not fill the store with what nobody has reviewed", async () => {
  const tenant = await opened.tenant("crowd");
  for (let i = 0; i < 32; i++) assert.equal((await submit(tenant, own("crowd", `1.0.${i}`))).created, true);
  const input = { manifest: own("crowd", "2.0.0"), artefact: "YQ==" };
  assert.deepEqual((await tenant.ask(SUBMIT, { input })).codes, ["WOML_PLUGINS_TOO_MANY"]);
});
