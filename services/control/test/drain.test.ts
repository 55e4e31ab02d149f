import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openMigrated } from "@woml/platform/testing";
import { openControlStore, prepareRoles } from "@woml/prisma";
import { asRunId, asTenantId } from "@woml/run";
import { createAdminKey } from "../index.ts";
import { chain, publishText, start, tenantOf } from "./opened.ts";

const STARTS = 12;

test("SIGTERM: what was accepted is stored and answered, what comes after is refused, and the process ends by itself", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "woml-drain-"));
  const postgres = await openMigrated(join(folder, "postgres"));
  const urls = await prepareRoles(postgres.url, { control: "control-secret", engine: "engine-secret" });
  const store = await openControlStore(urls.control);
  const script = join(import.meta.dirname, "process.ts");
  const env = { ...process.env, WOML_DATABASE_URL: urls.control };
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await store.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const [url = ""] = await once(createInterface(child.stdout), "line");
  const admin = tenantOf(url, "", await createAdminKey(store));
  const query = 'mutation { createTenant(input: { name: "acme" }) { key tenant { id } } }';
  const { key, tenant: of } = await admin.field<{ key: string; tenant: { id: string } }>("createTenant", query);
  const id = asTenantId(of.id);
  const tenant = tenantOf(url, "", key);
  await publishText(tenant, chain("w", { a: "return 1;" }));

  // Somebody holds the first start's key and lets go of it: the first waits for that, the others for the first.
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  const holder = store.withTenant(id, async (scope) => {
    await scope.submit({ id: randomUUID(), run: asRunId(randomUUID()), scope: "start:w", key: "0", digest: "", body: { kind: "start" } });
    held.resolve();
    await letGo.promise;
  });
  await held.promise;
  const answers = Promise.allSettled(Array.from({ length: STARTS }, (_, i) => start(tenant, { workflow: "w", idempotencyKey: `${i}` })));
  await sleep(800);
  assert.equal(child.kill("SIGTERM"), true);
  await sleep(200);
  await assert.rejects(fetch(url));
  letGo.reject(new Error("let go"));
  await assert.rejects(holder, { message: "let go" });
  const settled = await answers;
  assert.deepEqual(await exited, [0, null]);
  // One that had not come in yet when the process was told to end finds its connection closed, or hears that the platform stops.
  for (const one of settled) if (one.status === "rejected") assert.match(String(one.reason), /fetch failed|WOML_OVERLOADED/);
  const runs = settled.flatMap((one) => (one.status === "fulfilled" ? [asRunId(one.value.run.id.slice("run_".length))] : []));
  assert.ok(runs.length > 0);
  const stored = await store.withTenant(id, async (scope) => {
    const found: (string | undefined)[] = [];
    for (const run of runs) found.push((await scope.startOf(run))?.run);
    return found;
  });
  assert.deepEqual(stored, runs);
  assert.equal(new Set(runs).size, runs.length);
});
