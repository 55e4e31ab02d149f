import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { asRunId, asTenantId } from "@woml/run";
import type { ControlStore } from "../control-store.ts";
import type { EngineStore } from "../engine-store.ts";
import { openControlStore } from "../postgres-control.ts";
import { openEngineStore } from "../postgres-engine.ts";
import { type Database, openDatabase } from "./database.ts";

let database: Database;
let control: ControlStore;
let engine: EngineStore;
const tenant = asTenantId(randomUUID());
before(async () => {
  database = await openDatabase();
  [control, engine] = await Promise.all([openControlStore(database.control), openEngineStore(database.engine)]);
  await control.createTenant({ id: tenant, name: "t" }, { id: randomUUID(), digest: new Uint8Array(32), scopes: ["tenant"] });
});
after(async () => {
  await Promise.all([control.close(), engine.close()]);
  await database.close();
});

const WAITING = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** An engine whose wait for a lock is over before it has it asks again later: on a busy machine that is soon over. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error;
    }
  }
}

test("an engine that is about to say that nobody has decided waits for a decision that is just being stored", async () => {
  const key = { tenant, run: asRunId(randomUUID()) };
  const body = { kind: "resolve_approval", node: "ok", decision: "approved", by: "k" } as const;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: isStored, resolve: stored } = Promise.withResolvers<void>();
  const storing = control.withTenant(tenant, async (scope) => {
    await scope.submit({ id: randomUUID(), run: key.run, scope: `approval:${key.run}`, key: "ok#1", digest: "d", body });
    stored();
    await mayEnd;
  });
  await isStored;
  assert.deepEqual(await engine.decisions({ tenant, run: asRunId(randomUUID()) }), [], "those of another run are not waited for");
  let isAnswered = false;
  const asked = patiently(() => engine.decisions(key)).then((found) => {
    isAnswered = true;
    return found;
  });
  while ((await database.ask(WAITING)).length === 0) assert.equal(isAnswered, false);
  end();
  await storing;
  assert.deepEqual(
    (await asked).map((one) => one.body),
    [body],
  );
});
