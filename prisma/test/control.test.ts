import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { asRunId, asTenantId, type RunId, type RunStatus, type TenantId } from "@woml/run";
import type { ControlStore, NewRequest, RunFilter, TenantScope } from "../control-store.ts";
import { openControlStore } from "../postgres-control.ts";
import { type Database, openDatabase } from "./database.ts";
import { startBody } from "./opened.ts";

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

async function tenant(name: string = randomUUID()): Promise<TenantId> {
  const id = asTenantId(randomUUID());
  await store.createTenant({ id, name }, { id: randomUUID(), digest: new Uint8Array(32).fill(7), scopes: ["tenant"] });
  return id;
}
const asking = async (work: (scope: TenantScope) => Promise<void>): Promise<void> => store.withTenant(await tenant(), work);
const version = (hash: string, workflow = "w", definition = "{}") => ({ hash, workflow, definition, source: null, sourceMap: null });
const request = (more: Partial<NewRequest> = {}): NewRequest => ({
  ...{
    id: randomUUID(),
    run: asRunId(randomUUID()),
    scope: "start:w",
    key: null,
    digest: "d",
    body: JSON.parse(JSON.stringify(startBody())),
  },
  ...more,
});
const EVERY: RunFilter = { workflow: null, status: null, label: null };

/** A run as the engine would leave it. */
async function run(
  of: TenantId,
  id: string,
  more: { status?: RunStatus; held?: string; labels?: string[]; workflow?: string } = {},
): Promise<RunId> {
  const values = [of, id, more.workflow ?? "w", more.labels ?? [], more.status ?? "running", more.held ?? null];
  await database.ask(
    `INSERT INTO run (tenant, id, workflow, version, labels, status, head, at, held, held_at, waiting_for)
    VALUES ($1, $2, $3, 'v', $4, $5, 3, 10, $6::text, CASE WHEN $6::text IS NULL THEN NULL ELSE 11 END, '{"cause":"script"}')`,
    values,
  );
  await database.ask(
    `INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data)
    SELECT $1, $2, s, 't' || s, 1, s, $1, json_build_object('n', s, 'text', repeat('x', 100)) FROM generate_series(1, 3) s`,
    [of, id],
  );
  return asRunId(id);
}
const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

test("a key is found by its id alone; a tenant's name is taken once", async () => {
  const id = asTenantId(randomUUID());
  const digest = new Uint8Array([1, 2, 255]);
  await store.createTenant({ id, name: "acme" }, { id: "acme0000", digest, scopes: ["tenant"] });
  const found = await store.key("acme0000");
  assert.deepEqual([found?.tenant, found?.scopes, [...(found?.digest ?? [])]], [id, ["tenant"], [1, 2, 255]]);
  assert.equal(await store.key("acme0001"), null);
  assert.equal(await store.key(""), null);
  const again = store.createTenant({ id: asTenantId(randomUUID()), name: "acme" }, { id: "other000", digest, scopes: ["tenant"] });
  await assert.rejects(again, { code: "WOML_TENANT_EXISTS" });
  assert.equal(await store.key("other000"), null);
  const nil = asTenantId("00000000-0000-0000-0000-000000000000");
  await store.addKey({ tenant: nil, id: "admin000", digest, scopes: ["admin"] });
  assert.deepEqual((await store.key("admin000"))?.scopes, ["admin"]);
  assert.ok((await store.tenants()).some((row) => row.id === id && row.name === "acme"));
  assert.deepEqual(await store.withTenant(id, (scope) => scope.tenantRow()), { id, name: "acme" });
});

test("the same content is the same version; activation is asked for; bytes are kept", () =>
  asking(async (scope) => {
    const text = '{"z":1.0,"a":"\\u00df"}';
    assert.deepEqual(await scope.publish(version("h1", "w", text)), { created: true });
    assert.deepEqual(await scope.workflow("w"), { id: "w", active: null });
    assert.deepEqual(await scope.publish({ ...version("h1", "w", "{}"), source: "other" }), { created: false });
    assert.equal(await scope.activate("w", "h1", []), "activated");
    assert.deepEqual(await scope.workflow("w"), { id: "w", active: "h1" });
    const stored = await scope.version("h1");
    assert.deepEqual([stored?.definition, stored?.source, stored?.sourceMap], [text, null, null]);
    assert.equal(await scope.version("h0"), null);
    assert.deepEqual([...(await scope.versionsByHash(["h0", "h1"])).keys()], ["h1"]);
    assert.equal((await scope.versionsByHash([])).size, 0);
  }));

test("modules are stored with a version, each once, and with it or not at all", async () => {
  const of = await tenant();
  const publish =
    (hash: string, ...texts: readonly string[]) =>
    (scope: TenantScope) =>
      scope.publish({ ...version(hash), modules: texts.map((text) => ({ digest: `sha256:${text}`, text })) });
  await store.withTenant(of, publish("h1", "ß", "a"));
  assert.deepEqual(await store.withTenant(of, publish("h2", "a")), { created: true });
  const undone = store.withTenant(of, async (scope) => {
    await publish("h3", "c")(scope);
    throw new Error("undone");
  });
  await assert.rejects(undone, /undone/);
  const stored = await store.withTenant(of, (scope) => scope.modules(["sha256:ß", "sha256:a", "sha256:c"]));
  assert.deepEqual(new Map(stored), new Map(Object.entries({ "sha256:ß": 2, "sha256:a": 1 })));
});

test("pages of workflows and versions end where they end", () =>
  asking(async (scope) => {
    for (const n of [2, 1, 3]) await scope.publish(version(`w${n}-h`, `w${n}`));
    for (const n of [1, 2, 3, 4]) await scope.publish(version(`h${n}`, "w1"));
    const first = await scope.workflows({ first: 2, after: null });
    assert.deepEqual([first.items.map(({ id }) => id), first.hasNext], [["w1", "w2"], true]);
    const rest = await scope.workflows({ first: 2, after: "w2" });
    assert.deepEqual([rest.items.map(({ id }) => id), rest.hasNext], [["w3"], false]);
    const hashes: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page = await scope.versions("w1", { first: 2, after });
      hashes.push(...(page?.items.map(({ hash }) => hash) ?? []));
      after = hashes.at(-1) ?? null;
      more = page?.hasNext === true;
    }
    assert.deepEqual(hashes, ["h4", "h3", "h2", "h1", "w1-h"]);
    assert.equal(await scope.versions("w1", { first: 2, after: "w2-h" }), null);
  }));

test("a request is stored once by scope and key, without a key always; racing askers get one row", async () => {
  const of = await tenant();
  const ask = (wanted: NewRequest) => store.submit(of, wanted);
  const first = await ask(request({ key: "k", digest: "d1" }));
  const again = await ask(request({ key: "k", digest: "d2" }));
  assert.deepEqual([first.created, again.created, again.row], [true, false, first.row]);
  assert.equal((await ask(request({ key: "k", scope: "start:other" }))).created, true);
  assert.deepEqual(
    (await Promise.all([ask(request()), ask(request())])).map(({ created }) => created),
    [true, true],
  );
  const raced = await Promise.all(Array.from({ length: 8 }, () => ask(request({ key: "race" }))));
  assert.equal(raced.filter(({ created }) => created).length, 1);
  assert.equal(new Set(raced.map(({ row }) => row.id)).size, 1);
  const start = await store.withTenant(of, (scope) => scope.startOf(first.row.run));
  assert.deepEqual(start, { ...first.row, body: startBody(), kind: "start", consumedAt: null, answer: null, dueAt: null });
  await assert.rejects(ask(request({ body: { payload: "\u0000", kind: "start" } })), { code: "WOML_EVENT_REJECTED" });
});

test("Q1 Q2 Q3 requests at once share transactions, each is answered, and one at fault harms no other", async () => {
  const [left, right] = [await tenant(), await tenant()];
  const count = store.commits;
  const good = Array.from({ length: 40 }, (_, i) => store.submit(i % 2 === 0 ? left : right, request({ key: `k${i}` })));
  const twice = store.submit(left, request({ key: "k0", digest: "other" }));
  const taken = request({ key: "own" });
  await store.submit(left, taken);
  const bad = assert.rejects(store.submit(left, { ...request({ key: "bad" }), id: taken.id }));
  const last = store.submit(left, request({ key: "last" }));
  assert.ok((await Promise.all(good)).every(({ created }) => created));
  assert.deepEqual([(await twice).created, (await twice).row.digest], [false, (await good[0])?.row.digest]);
  await bad;
  assert.equal((await last).created, true);
  assert.ok(store.commits - count < 20, `${store.commits - count} writing statements for 44 requests`);
});

test("what fails takes its whole transaction with it; writing statements are counted", async () => {
  const of = await tenant();
  const version = { hash: "lost", workflow: "lost", definition: "{}", source: null, sourceMap: null };
  const count = store.commits;
  const failing = store.withTenant(of, async (scope) => {
    await scope.publish(version);
    throw new Error("later");
  });
  await assert.rejects(failing, /later/);
  assert.equal(await store.withTenant(of, (scope) => scope.version("lost")), null);
  assert.ok(store.commits > count);
});

test("when every session is taken a transaction does not begin, and says so", async () => {
  const of = await tenant();
  const { promise: free, resolve } = Promise.withResolvers<void>();
  const taken = Array.from({ length: 10 }, () => store.withTenant(of, () => free));
  await assert.rejects(
    store.withTenant(of, (scope) => scope.tenantRow()),
    { code: "WOML_DATABASE_UNAVAILABLE" },
  );
  resolve();
  await Promise.all(taken);
  assert.ok(await store.withTenant(of, (scope) => scope.tenantRow()));
});

test("runs, newest first, filtered by what is shown", async () => {
  const of = await tenant();
  await run(of, uuid(1), { labels: ["a", "b"] });
  await run(of, uuid(2), { held: "poison" });
  await run(of, uuid(3), { status: "waiting" });
  await run(of, uuid(4), { status: "succeeded", workflow: "other" });
  await store.withTenant(of, async (scope) => {
    const ids = async (filter: Partial<RunFilter>) =>
      (await scope.runs({ ...EVERY, ...filter }, { first: 9, after: null })).items.map(({ id }) => Number(id.slice(-2)));
    assert.deepEqual(await ids({}), [4, 3, 2, 1]);
    assert.deepEqual(await ids({ status: ["waiting"] }), [3, 2]);
    assert.deepEqual(await ids({ status: ["running"] }), [1]);
    assert.deepEqual(await ids({ status: ["running", "waiting"] }), [3, 2, 1]);
    assert.deepEqual(await ids({ status: [] }), []);
    assert.deepEqual([await ids({ label: "b" }), await ids({ label: "c" }), await ids({ workflow: "other" })], [[1], [], [4]]);
    const page = await scope.runs(EVERY, { first: 2, after: uuid(4) });
    assert.deepEqual([page.items.map(({ id }) => id), page.hasNext], [[uuid(3), uuid(2)], true]);
    const held = await scope.run(asRunId(uuid(2)));
    assert.deepEqual(
      [held?.held, held?.heldAt, held?.status, held?.waitingFor, held?.nextDue],
      ["poison", 11, "running", { cause: "script" }, null],
    );
    assert.equal(await scope.run(asRunId(uuid(9))), null);
  });
});

test("pages of logs are cut by count and by bytes, never before their first event", async () => {
  const of = await tenant();
  const [a, b] = [await run(of, uuid(11)), await run(of, uuid(12), { status: "failed" })];
  await database.ask("INSERT INTO timer (tenant, run, subject, kind, due_at) VALUES ($1, $2, '', 'deadline', 5)", [of, a]);
  await store.withTenant(of, async (scope) => {
    const ask = (more: object) => ({ run: a, after: 0, limit: 9, maxBytes: 1e6, ...more });
    const pages = await scope.events([
      ask({}),
      ask({ limit: 2 }),
      ask({ maxBytes: 1 }),
      ask({ maxBytes: 300 }),
      ask({ after: 1 }),
      ask({ after: 3 }),
      ask({ run: b }),
    ]);
    assert.deepEqual(
      pages.map((page) => page.map(({ seq }) => seq)),
      [[1, 2, 3], [1, 2], [1], [1, 2], [2, 3], [], [1, 2, 3]],
    );
    assert.deepEqual(pages[5]?.[0] ?? pages[0]?.[0], { seq: 1, at: 1, type: "t1", data: { n: 1, text: "x".repeat(100) } });
    assert.deepEqual(await scope.events([]), []);
    const ends = await scope.ends([a, b, asRunId(uuid(99))]);
    assert.deepEqual(
      [...ends].map(([id, events]) => [id, events.map(({ seq }) => seq)]),
      [
        [a, [1]],
        [b, [1, 3]],
      ],
    );
    assert.deepEqual([...(await scope.timers([a, b]))], [[a, [{ subject: "", kind: "deadline", dueAt: 5 }]]]);
  });
});

test("which versions are stored as the bytes that their hash names", () =>
  asking(async (scope) => {
    const hash = `sha256:${createHash("sha256").update('{"ä":1}').digest("hex")}`;
    await scope.publish(version(hash, "w", '{"ä":1}'));
    await scope.publish(version("sha256:other", "w", '{"ä":1}'));
    assert.deepEqual([...(await scope.intact([hash, "sha256:other", "sha256:unknown"]))], [hash]);
  }));

test("logs without a row are found between two ids, newest first, of one's own tenant alone", async () => {
  const [mine, other] = [await tenant(), await tenant()];
  for (const [owner, n] of [...[1, 2, 3, 4, 5].map((n): [TenantId, number] => [mine, n]), [other, 6] as const]) await run(owner, uuid(n));
  await database.ask("DELETE FROM run WHERE (tenant = $1 AND id <> $3) OR tenant = $2", [mine, other, uuid(3)]);
  const asked: readonly [number, string | null, string | null, number[]][] = [
    [9, null, null, [5, 4, 2, 1]],
    [2, null, null, [5, 4]],
    [9, uuid(5), uuid(2), [4, 2]],
    [9, uuid(1), null, []],
  ];
  await store.withTenant(mine, async (scope) => {
    for (const [first, after, until, found] of asked)
      assert.deepEqual(await scope.rowless({ first, after, until: until === null ? null : asRunId(until) }), found.map(uuid));
  });
});
