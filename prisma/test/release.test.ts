// What two processes that act at once may leave behind: one content a version, whoever was first.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { asTenantId, type TenantId } from "@woml/run";
import type { AdminScope, ControlStore, NewRelease } from "../control-store.ts";
import { openControlStore } from "../postgres-control.ts";
import { WAITING_RELEASES } from "../scope/release.ts";
import { type Database, openDatabase } from "./database.ts";

let database: Database;
let store: ControlStore;
before(async () => {
  database = await openDatabase();
  store = await openControlStore(database.control);
});
after(async () => {
  await store.close();
  await database.close();
});

const tenant = (): TenantId => asTenantId(randomUUID());
const release = (capability: string, content: string, version = "1.0.0"): NewRelease => ({
  ...{ digest: `${capability} ${version} ${content}`, capability, version, manifest: "{}", artefact: Buffer.from(content) },
  ...{ manifestDigest: `m ${content}`, artefactDigest: `a ${content}`, submittedBy: "key" },
});
const submit = (by: TenantId, wanted: NewRelease) => store.withTenant(by, (scope) => scope.submitRelease(wanted));
const asAdmin = <T>(work: (scope: AdminScope) => Promise<T>): Promise<T> => store.asAdmin(work);
const approve = (digest: string) => asAdmin(async (scope) => scope.approve((await scope.release(digest)) ?? assert.fail(), "reviewer"));

test("of contents that one owner hands in at once under a version, one is taken; of the same content one is created", async () => {
  const by = tenant();
  const answers = await Promise.all(["1", "2", "3", "4", "5"].map((content) => submit(by, release("race.submit", content))));
  assert.deepEqual(answers.toSorted(), ["created", "taken", "taken", "taken", "taken"]);
  const same = await Promise.all([1, 2, 3].map(() => submit(tenant(), release("race.same", "1"))));
  assert.deepEqual(same.toSorted(), ["created", "same", "same"]);
});

test("of two contents that are approved at once under a version, one is", async () => {
  const wanted = ["1", "2"].map((content) => release("race.approve", content));
  for (const one of wanted) assert.equal(await submit(tenant(), one), "created");
  const answers = await Promise.all(wanted.map(({ digest }) => approve(digest)));
  assert.deepEqual(answers.toSorted(), ["approved", "taken"]);
  const first = wanted[answers.indexOf("approved")] ?? assert.fail();
  assert.equal(await approve(first.digest), "same");
  const { releases } = await store.withTenant(tenant(), (scope) => scope.offers(["race.approve"]));
  assert.deepEqual(
    releases.map(({ digest }) => digest),
    [first.digest],
  );
});

test("one owner may have so many waiting; what is approved waits no more, and the platform has no such bound", async () => {
  const by = tenant();
  const of = (n: number): NewRelease => release("crowd.own", "1", `1.0.${n}`);
  for (let n = 0; n < WAITING_RELEASES; n++) assert.equal(await submit(by, of(n)), "created");
  assert.equal(await submit(by, of(WAITING_RELEASES)), "crowded");
  assert.equal(await submit(by, of(0)), "same");
  await approve(of(0).digest);
  assert.equal(await submit(by, of(WAITING_RELEASES)), "created");
  for (let n = 0; n <= WAITING_RELEASES; n++)
    assert.equal(await asAdmin((scope) => scope.submitRelease(release("crowd.platform", "1", `1.0.${n}`))), "created");
});

test("a request and what goes with it are stored together or not at all", async () => {
  const by = tenant();
  await store.createTenant({ id: by, name: by }, { id: by.slice(0, 8), digest: new Uint8Array(32), scopes: ["tenant"] });
  const entry = { id: randomUUID(), actor: "key", action: "run.resolve", subject: "x", detail: {} };
  const wanted = { id: randomUUID(), run: randomUUID() as never, scope: "s", key: "k", digest: "d", body: { kind: "cancel" } };
  const failing = store.withTenant(by, async (scope) => {
    await scope.submit(wanted);
    await scope.record(entry);
    throw new Error("the process died here");
  });
  await assert.rejects(failing, /died here/);
  assert.deepEqual(
    await database.ask("SELECT FROM request WHERE tenant = $1 UNION ALL SELECT FROM audit_entry WHERE tenant = $1", [by]),
    [],
  );
  await store.withTenant(by, async (scope) => {
    assert.equal((await scope.submit(wanted)).created, true);
    await scope.record(entry);
    assert.equal((await scope.submit({ ...wanted, id: randomUUID() })).created, false);
  });
  assert.equal((await store.withTenant(by, (scope) => scope.audit({ first: 9, after: null }))).items.length, 1);
});

test("PostgreSQL keeps no file that is empty or too large, and no other word for what to do with the unknown", async () => {
  const insert = (bytes: number) =>
    database.ask(
      `INSERT INTO plugin_release (digest, capability, version, manifest, manifest_digest, artefact_digest, artefact, submitted_by, submitter, created_at)
      VALUES ($1, $1, '1', '{}', '', '', convert_to(repeat('x', $2), 'UTF8'), 'k', gen_random_uuid(), 0)`,
      [randomUUID(), bytes],
    );
  for (const bytes of [0, 20 * 1024 * 1024 + 1]) await assert.rejects(insert(bytes), { code: "23514" }, String(bytes));
  await insert(20 * 1024 * 1024);
  await assert.rejects(database.ask("UPDATE tenant SET on_ambiguous = 'ask'"), { code: "23514" });
});
