import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { alive } from "../../pid.ts";
import { openPostgres } from "../../postgres.ts";
import { scratch } from "../scratch.ts";

test("a server is made on first use, keeps its identity, and is gone when it was stopped", async (t) => {
  const folder = join(scratch(t), "deep", "postgres");
  const first = await openPostgres(folder);
  assert.match(first.url, /^postgres:\/\/woml:[0-9a-f]{48}@127\.0\.0\.1:\d+\/postgres$/);
  assert.equal(statSync(`${folder}.password`).mode & 0o777, 0o600);
  const control = readFileSync(join(folder, "global", "pg_control"));
  await first.stop();
  await first.exited;
  assert.equal(alive(first.pid), false);
  const second = await openPostgres(folder);
  t.after(() => second.stop());
  assert.notEqual(second.pid, first.pid);
  assert.equal(new URL(second.url).password, new URL(first.url).password);
  const identity = (bytes: Buffer): bigint => bytes.readBigUInt64LE(0);
  assert.equal(identity(readFileSync(join(folder, "global", "pg_control"))), identity(control));
});

test("a server that runs already is adopted, and whoever stops it stops it for both", async (t) => {
  const folder = join(scratch(t), "postgres");
  const first = await openPostgres(folder);
  const second = await openPostgres(folder);
  assert.deepEqual([second.pid, second.url], [first.pid, first.url]);
  await second.stop();
  await second.exited;
  assert.equal(alive(first.pid), false);
});

test("after kill -9 of the server the next start recovers, at the port that is asked for", async (t) => {
  const folder = join(scratch(t), "postgres");
  const first = await openPostgres(folder);
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  const second = await openPostgres(folder, Number(new URL(first.url).port));
  t.after(() => second.stop());
  assert.equal(second.url, first.url);
});

test("a data folder that was never finished is thrown away", async (t) => {
  const folder = join(scratch(t), "postgres");
  mkdirSync(`${folder}.new`);
  writeFileSync(join(`${folder}.new`, "PG_VERSION"), "18\n");
  writeFileSync(`${folder}.password`, "of the unfinished one", { mode: 0o600 });
  const postgres = await openPostgres(folder);
  t.after(() => postgres.stop());
  assert.equal(existsSync(`${folder}.new`), false);
});

test("one that cannot start says why in a sentence", async (t) => {
  const folder = join(scratch(t), "postgres");
  await (await openPostgres(folder)).stop();
  writeFileSync(join(folder, "postgresql.conf"), "shared_buffers = 'plenty'\n");
  await assert.rejects(openPostgres(folder), { code: "WOML_POSTGRES_UNAVAILABLE", message: /does not start: .*postgresql\.conf/ });
});

const HOLDER = `
import { openPostgres } from ${JSON.stringify(join(import.meta.dirname, "..", "..", "postgres.ts"))};
const { pid } = await openPostgres(process.argv[1]);
console.log(pid);
setInterval(() => {}, 1000);
`;

test("the server does not outlive a process that was killed with -9", { skip: process.platform !== "linux" }, async (t) => {
  const folder = join(scratch(t), "postgres");
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", HOLDER, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const pid = Number(String((await once(holder.stdout, "data"))[0]));
  assert.equal(alive(pid), true);
  holder.kill("SIGKILL");
  for (const until = Date.now() + 10_000; alive(pid) && Date.now() < until; ) await sleep(20);
  assert.equal(alive(pid), false);
});
