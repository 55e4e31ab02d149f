// A7 over a real PostgreSQL: which statement writes what, and that it makes no difference.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { Client } from "pg";
import { entry, keyOf, type Written, write } from "../append.ts";
import type { Append } from "../engine-store.ts";
import { engineSession, placed } from "../session.ts";
import { type Database, openDatabase } from "./database.ts";
import { newKey, wanted } from "./opened.ts";

const ENGINE = randomUUID();
const HOLDS = { status: "running", waitingFor: null, nextDue: 1, holds: true } as const;
const goesOn = (key: ReturnType<typeof newKey>, expected: number, more: Partial<Append> = {}): Append =>
  wanted(key, ENGINE, { expected, projection: HOLDS, ...more });

let database: Database;
let client: Client;
before(async () => {
  database = await openDatabase();
  client = new Client(engineSession(placed(database.engine, "engine", {})));
  await client.connect();
});
after(async () => {
  await client.end();
  await database.close();
});
beforeEach(async () => {
  await database.empty();
  await database.ask("INSERT INTO engine (id, expires_at, reads) VALUES ($1, 1, 1)", [ENGINE]);
});

/** Writes them as one batch: by which statements, and what each came to. */
async function put(...appends: readonly Append[]): Promise<{ readonly by: readonly string[]; readonly said: readonly unknown[] }> {
  const by: string[] = [];
  const moved = await write(
    (statement) => {
      by.push(statement.name ?? "");
      return client.query(statement);
    },
    appends.map(entry),
    false,
  );
  const headOf = (written: Written | undefined): unknown => (typeof written === "object" ? written.head : (written ?? null));
  return { by, said: appends.map((append) => headOf(moved.get(keyOf(append)))) };
}
const stored = (): Promise<{ head: number; count: number; holds: boolean }[]> =>
  database.ask(
    `SELECT r.head, r.holds, (SELECT count(*)::int FROM run_event e WHERE e.tenant = r.tenant AND e.run = r.id) AS count FROM run r`,
  );

test("A7 runs that only go on are written by the short statement, others by the whole one", async () => {
  const [key, other] = [newKey(), newKey()];
  assert.deepEqual(await put(goesOn(key, 0), goesOn(other, 0)), { by: ["append"], said: [2, 2] });
  assert.deepEqual(await put(goesOn(key, 2), goesOn(other, 2)), { by: ["append_plain"], said: [4, 4] });
  const more: readonly Partial<Append>[] = [
    { set: [{ subject: "a", kind: "retry", dueAt: 1 }] },
    { cleared: [{ subject: "a", kind: "retry" }] },
    { requests: [randomUUID()] },
    { projection: { ...HOLDS, holds: false } },
  ];
  for (const [n, one] of more.entries())
    assert.deepEqual(await put(goesOn(key, 4 + 2 * n, one), goesOn(other, 4 + 2 * n)), { by: ["append"], said: [6 + 2 * n, 6 + 2 * n] });
  assert.deepEqual(
    (await stored()).map(({ head, count }) => [head, count]),
    [
      [12, 12],
      [12, 12],
    ],
  );
});

test("A7 what would take up a place is judged by the whole statement: only where there is one, and counted", async () => {
  const [tenant] = [newKey().tenant];
  const [one, two, three] = [newKey(), newKey(), newKey()].map((key) => ({ ...key, tenant }));
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  await database.ask("INSERT INTO lane (tenant, kind, name, most, counted) VALUES ($1, 'workflow', 'w', 2, true)", [tenant]);
  const rests = { ...HOLDS, holds: false };
  await put(goesOn(one, 0), goesOn(two, 0, { projection: rests }), goesOn(three, 0, { projection: rests }));
  assert.deepEqual(await put(goesOn(one, 2), goesOn(two, 2)), { by: ["append_plain", "append"], said: [4, 4] });
  assert.deepEqual(await put(goesOn(three, 2)), { by: ["append_plain", "append"], said: ["no_room"] });
  assert.deepEqual(await put(goesOn(two, 4)), { by: ["append_plain"], said: [6] });
  assert.deepEqual(await database.ask("SELECT active FROM lane"), [{ active: 2 }]);
});

test("A1 A7 another head, owner or epoch, and nothing is written by either", async () => {
  const keys = Array.from({ length: 4 }, newKey);
  await put(...keys.map((key) => goesOn(key, 0)));
  const [head, owner, epoch, fine] = keys;
  assert.ok(head !== undefined && owner !== undefined && epoch !== undefined && fine !== undefined);
  const batch = [goesOn(head, 4), { ...goesOn(owner, 2), owner: randomUUID() }, { ...goesOn(epoch, 2), epoch: 2 }, goesOn(fine, 2)];
  assert.deepEqual(await put(...batch), { by: ["append_plain", "append"], said: [null, null, null, 4] });
  assert.deepEqual((await stored()).map(({ head: at, count }) => [at, count]).toSorted(), [
    [2, 2],
    [2, 2],
    [2, 2],
    [4, 4],
  ]);
});

test("A3 A7 two tenants with one run id in one batch never meet", async () => {
  const key = newKey();
  const twin = { ...key, tenant: newKey().tenant };
  const of = (node: string): Partial<Append> => ({ events: [{ type: "parallel_opened", data: { node } }] });
  await put(goesOn(key, 0, of("mine")), goesOn(twin, 0, of("theirs")));
  assert.deepEqual(await put(goesOn(twin, 1, of("theirs")), goesOn(key, 1, of("mine"))), { by: ["append_plain"], said: [2, 2] });
  const rows = await database.ask<{ tenant: string; node: string }>("SELECT tenant, data->>'node' AS node FROM run_event ORDER BY seq");
  const nodesOf = (tenant: string): string[] => rows.filter((row) => row.tenant === tenant).map(({ node }) => node);
  assert.deepEqual(
    [nodesOf(key.tenant), nodesOf(twin.tenant)],
    [
      ["mine", "mine"],
      ["theirs", "theirs"],
    ],
  );
});
