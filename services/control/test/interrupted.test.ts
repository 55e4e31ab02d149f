// PostgreSQL goes away in the middle: whoever asked is told so by a code that says to ask again, and asking again does nothing twice.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSealKeys, memoryDoorbell, noTelemetry, openLog } from "@woml/boot";
import { openPostgres } from "@woml/platform/postgres";
import { openMigrated } from "@woml/platform/testing";
import { openControlStore, prepareRoles } from "@woml/prisma";
import { createAdminKey, startControl } from "../index.ts";
import { chain, publishText, START, type Started, tenantOf } from "./opened.ts";

const CALLERS = 24;
const AGAIN = new Set(["WOML_DATABASE_INTERRUPTED", "WOML_OVERLOADED"]);

test("a restart of PostgreSQL under load: every start is answered in the end, and starts one run", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "woml-interrupted-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let postgres = await openMigrated(join(folder, "postgres"));
  const port = Number(new URL(postgres.url).port);
  const urls = await prepareRoles(postgres.url, { control: "control-secret", engine: "engine-secret" });
  const store = await openControlStore(urls.control);
  const log = openLog("control-test", "silent");
  const sealKey = makeSealKeys().publicKey;
  const control = await startControl({
    ...{ store, doorbell: memoryDoorbell(), log, telemetry: noTelemetry, sealKey, host: "127.0.0.1", port: 0 },
  });
  t.after(async () => {
    await control.stop();
    await store.close();
    await postgres.stop();
  });
  const admin = tenantOf(control.url, "", await createAdminKey(store));
  const { key } = await admin.field<{ key: string }>("createTenant", 'mutation { createTenant(input: { name: "acme" }) { key } }');
  const tenant = tenantOf(control.url, "", key);
  await publishText(tenant, chain("w", { a: "return 1;" }));

  const seen = new Map<string, number>();
  /** The run's id, or null when it was not answered. */
  const start = async (idempotencyKey: string): Promise<string | null> => {
    const { data, errors } = await tenant.ask(START, { input: { workflow: "w", idempotencyKey } });
    for (const { extensions } of errors) {
      const code = String(extensions["code"]);
      seen.set(code, (seen.get(code) ?? 0) + 1);
      assert.equal(extensions["retryAfterMs"], AGAIN.has(code) ? 1_000 : undefined);
    }
    return errors.length > 0 || data === null ? null : (data["startRun"] as unknown as Started).run.id;
  };
  const until = Date.now() + 4_000;
  const runs = new Map<string, Set<string | null>>();
  const caller = async (who: number): Promise<void> => {
    for (let n = 0; Date.now() < until; n++) {
      const idempotencyKey = `${who}-${n}`;
      let run = await start(idempotencyKey);
      for (; run === null; run = await start(idempotencyKey)) await sleep(100);
      runs.set(idempotencyKey, new Set([run, (await start(idempotencyKey)) ?? run]));
    }
  };
  const load = Promise.all(Array.from({ length: CALLERS }, (_, who) => caller(who)));
  for (const isKilled of [false, true]) {
    await sleep(700);
    if (isKilled) process.kill(postgres.pid, "SIGKILL");
    else await postgres.stop();
    await postgres.exited;
    await sleep(300);
    assert.match((await control.fault()) ?? "", /^the database/);
    postgres = await openPostgres(join(folder, "postgres"), port);
  }
  await load;
  assert.deepEqual(
    [...seen.keys()].filter((code) => !AGAIN.has(code)),
    [],
    JSON.stringify([...seen]),
  );
  assert.ok((seen.get("WOML_DATABASE_INTERRUPTED") ?? 0) + (seen.get("WOML_OVERLOADED") ?? 0) > 0);
  for (const [idempotencyKey, answers] of runs) assert.equal(answers.size, 1, idempotencyKey);
  assert.equal(await control.fault(), null);
});
