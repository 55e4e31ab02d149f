import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLog } from "@woml/boot";
import { openFolder, writePrivate } from "../folder.ts";
import { clearLeftovers, remember } from "../leftover.ts";
import { alive, isSame, markOf } from "../pid.ts";
import { openSandbox } from "../sandbox.ts";
import { scratch } from "./scratch.ts";

/** Leads a group of its own, has a worker in it, and like a looping worker hears nothing but SIGKILL. */
const SUPERVISOR = `
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
if (process.argv[1] === "sandbox-supervisor") {
  const worker = require("node:child_process").spawn(process.execPath, ["--eval", process.argv[2], "sandbox-worker"], { stdio: "ignore" });
  console.log(worker.pid);
}
setInterval(() => {}, 1000);
`;

async function supervisor(t: TestContext): Promise<{ readonly pid: number; readonly worker: number }> {
  const child = spawn(process.execPath, ["--eval", SUPERVISOR, "sandbox-supervisor", SUPERVISOR], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const pid = child.pid ?? 0;
  t.after(() => (alive(pid) ? process.kill(-pid, "SIGKILL") : undefined));
  return { pid, worker: Number(String(line)) };
}

test("a supervisor and its workers that a killed platform left are ended, with the files that said they run", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const { pid, worker } = await supervisor(t);
  remember(folder, "sandbox", { pid, socket: folder.sockets.sandbox });
  writePrivate(folder.connection, {});
  writeFileSync(folder.sockets.sandbox, "");
  assert.deepEqual((await clearLeftovers(folder)).toSorted(), [pid, worker].toSorted());
  assert.deepEqual([alive(pid), alive(worker)], [false, false]);
  assert.deepEqual([folder.connection, folder.processes, folder.sockets.sandbox].filter(existsSync), []);
  assert.deepEqual(await clearLeftovers(folder), []);
});

test("a worker is ended also when its supervisor is gone", { skip: process.platform !== "linux" }, async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const { pid, worker } = await supervisor(t);
  remember(folder, "sandbox", { pid, socket: folder.sockets.sandbox });
  process.kill(pid, "SIGKILL");
  while (alive(pid)) await sleep(5);
  assert.deepEqual(await clearLeftovers(folder), [worker]);
  assert.equal(alive(worker), false);
});

test("a pid that has gone to another program is not touched", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const { pid, worker } = await supervisor(t);
  remember(folder, "sandbox", { pid, socket: folder.sockets.sandbox });
  const remembered = JSON.parse(readFileSync(folder.processes, "utf8"));
  remembered.sandbox.supervisor.started = "long ago";
  writePrivate(folder.processes, remembered);
  assert.deepEqual(await clearLeftovers(folder), []);
  assert.deepEqual([alive(pid), alive(worker)], [true, true]);
});

test("a folder with nothing in it, or with nonsense, has nothing left over", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  for (const text of ["", "null", "[]", '{"sandbox":1}', '{"sandbox":{"socket":"s","supervisor":{"pid":"1","started":1}}}']) {
    writeFileSync(folder.processes, text);
    assert.deepEqual(await clearLeftovers(folder), []);
  }
});

test("a mark is of one process, for as long as it lives", async () => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const mark = markOf(child.pid ?? 0);
  assert.ok(mark);
  assert.deepEqual([isSame(mark), isSame({ ...mark, started: "0" })], [true, false]);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(isSame(mark), false);
  assert.deepEqual([markOf(0), markOf(1.5), markOf(Number.NaN)], [null, null, null]);
});

test("a sandbox that does not start leaves no folder for its socket behind", async (t) => {
  const place = join(scratch(t), "t".repeat(100));
  mkdirSync(place);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = place;
  t.after(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  const folder = openFolder(join(place, "data"));
  await assert.rejects(
    openSandbox(folder, openLog("test", "silent"), () => {}),
    { code: "WOML_SANDBOX_UNAVAILABLE" },
  );
  assert.deepEqual(readdirSync(place), ["data"]);
});
