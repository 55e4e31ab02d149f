import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDoor } from "../../door.ts";
import { startSupervisor } from "../../start.ts";
import { alive, asked, loseBehindOne, openPlace, processesOf, until } from "../place.ts";

const FOREVER = "await new Promise(() => {})";
const patient = { ...asked("").limits, wallMs: 30_000 };

test("kill -9 of a worker in mid-script: worker_crashed with the signal, what waited behind it runs elsewhere", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1 });
  const { workerPid = 0 } = await door.invoke(asked("return 1"));
  const live = door.invoke(asked(FOREVER, { limits: patient }));
  const behind = Array.from({ length: 5 }, () => door.invoke(asked("return 2")));
  process.kill(workerPid, "SIGKILL");
  const { outcome, detail, workerPid: died } = await live;
  assert.deepEqual([outcome, detail, died], ["worker_crashed", "SIGKILL", workerPid]);
  for (const other of await Promise.all(behind)) {
    assert.equal(other.outcome, "ok");
    assert.notEqual(other.workerPid, workerPid);
  }
});

test("kill -9 of the supervisor: host_unavailable, workers end, the door says overloaded and finds the next supervisor", async (t) => {
  const { door, supervisor, socket } = await openPlace(t);
  const { workerPid = 0 } = await door.invoke(asked("return 1"));
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const live = [FOREVER, "for (;;);"].map((text, n) =>
    door.invoke(asked(`console.log('on'); ${text}`, { limits: { ...patient, cpuMs: 30_000 } }), { line: () => begun[n]?.resolve() }),
  );
  await Promise.all(begun.map(({ promise }) => promise));
  process.kill(supervisor.pid, "SIGKILL");
  for (const { outcome } of await Promise.all(live)) assert.equal(outcome, "host_unavailable");
  const absent = await door.invoke(asked("return 1"));
  assert.equal(absent.outcome, "overloaded");
  assert.ok((absent.retryAfterMs ?? 0) > 0);
  assert.equal(await supervisor.exited, "SIGKILL");
  assert.ok(await until(() => !alive(workerPid) && processesOf(socket).length === 0), "a worker outlived its supervisor");
  const next = await startSupervisor({ socket });
  t.after(() => next.stop());
  const outcomes = ["overloaded"];
  assert.ok(
    await until(() => {
      void door.invoke(asked("return 3")).then(({ outcome }) => outcomes.push(outcome));
      return outcomes.includes("ok");
    }),
  );
  assert.deepEqual([...new Set(outcomes)].sort(), ["ok", "overloaded"]);
});

test("kill -9 of the supervisor: only what had begun is lost, what waited at a worker or in line is to be sent again", async (t) => {
  const { door, supervisor } = await openPlace(t, { workersPerTenant: 1, pipeline: 4 });
  await loseBehindOne(door, "a", () => process.kill(supervisor.pid, "SIGKILL"));
});

test("a supervisor that is stopped says the same of what has not begun", async (t) => {
  const { door, supervisor } = await openPlace(t, { workersPerTenant: 1, pipeline: 4 });
  await loseBehindOne(door, "a", () => void supervisor.stop());
});

test("what began after others had ended before it is lost as the first is", async (t) => {
  const { door, supervisor } = await openPlace(t, { workersPerTenant: 1, pipeline: 4 });
  await door.invoke(asked("return 1"));
  const short = [1, 2].map((n) => door.invoke(asked(`return ${n}`)));
  const silent = door.invoke(asked(FOREVER, { limits: patient }));
  const behind = door.invoke(asked("return 3"));
  for (const one of short) assert.equal((await one).outcome, "ok");
  process.kill(supervisor.pid, "SIGKILL");
  assert.deepEqual([(await silent).outcome, (await behind).outcome], ["host_unavailable", "overloaded"]);
});

test("cancelled as the supervisor dies: it ends once, whether it had begun or not", async (t) => {
  const { door, supervisor } = await openPlace(t, { workersPerTenant: 1 });
  await door.invoke(asked("return 1"));
  const all = Array.from({ length: 6 }, () => asked(FOREVER, { limits: patient }));
  const outcomes = all.map((one) => door.invoke(one));
  for (const one of all) door.cancel(one.invocation);
  process.kill(supervisor.pid, "SIGKILL");
  for (const { outcome } of await Promise.all(outcomes)) assert.match(outcome, /^(cancelled|overloaded|host_unavailable)$/);
});

test("an engine that goes has its invocations killed; another's go on", async (t) => {
  const { door, socket } = await openPlace(t);
  const other = await openDoor(socket);
  const { workerPid = 0 } = await other.invoke(asked("return 1", { tenant: "b" }));
  const begun = Promise.withResolvers<void>();
  const burning = asked("console.log('on'); for (;;);", { tenant: "b", limits: { ...patient, cpuMs: 30_000 } });
  const lost = other.invoke(burning, { line: () => begun.resolve() });
  await begun.promise;
  const kept = door.invoke(asked("let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n"));
  await other.close();
  assert.equal((await lost).outcome, "host_unavailable");
  assert.equal((await kept).outcome, "ok");
  assert.ok(await until(() => !alive(workerPid)));
});

test("cancel kills what runs and takes back what waits", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1, pipeline: 2 });
  await door.invoke(asked("return 1"));
  const all = [FOREVER, "for (;;);", FOREVER, "return 4"].map((text) => asked(text, { limits: { ...patient, cpuMs: 20_000 } }));
  const outcomes = all.map((one) => door.invoke(one));
  for (const one of all.slice(0, 3).toReversed()) door.cancel(one.invocation);
  door.cancel("unknown");
  const found = await Promise.all(outcomes);
  assert.deepEqual(
    found.map(({ outcome }) => outcome),
    ["cancelled", "cancelled", "cancelled", "ok"],
  );
});

test("a stranger on the socket is cut off and harms nobody", async (t) => {
  const { door, socket } = await openPlace(t);
  const frame = (text: string): Buffer => {
    const bytes = Buffer.alloc(4 + Buffer.byteLength(text));
    bytes.writeUInt32BE(bytes.length - 4);
    bytes.write(text, 4);
    return bytes;
  };
  const hello = frame('{"frame":"hello","protocol":1}');
  const noise = [
    frame('{"frame":"cancel","invocation":"i"}'),
    Buffer.concat([hello, frame('{"frame":"nothing"}')]),
    Buffer.concat([hello, frame("not json")]),
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
    Buffer.concat([hello, frame('{"frame":"hello","protocol":1,"__proto__":{}}')]),
  ];
  for (const bytes of noise) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stranger = connect(socket, () => stranger.write(bytes));
    stranger.on("data", () => undefined).once("close", () => resolve());
    await promise;
  }
  assert.equal((await door.invoke(asked("return 1"))).outcome, "ok");
});

test("the supervisor ends with SIGTERM and leaves no process behind, not even one that burns in a builtin", async (t) => {
  const { door, socket, supervisor } = await openPlace(t);
  const begun = Promise.withResolvers<void>();
  const text = "console.log('on'); return (1n << 1073741000n).toString().length";
  const burning = door.invoke(asked(text, { limits: { ...patient, cpuMs: 20_000 } }), { line: () => begun.resolve() });
  await begun.promise;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(processesOf(socket).length >= 2);
  await supervisor.stop();
  assert.equal((await burning).outcome, "host_unavailable");
  assert.equal(await supervisor.exited, "exit 0");
  assert.ok(await until(() => processesOf(socket).length === 0));
});

test("the supervisor that has ended leaves nobody to be taken in: its workers went before it", async (t) => {
  const { door, socket, supervisor } = await openPlace(t);
  await door.invoke(asked("return 1"));
  const workers = processesOf(socket).filter((pid) => pid !== supervisor.pid);
  assert.ok(workers.length > 0);
  await supervisor.stop();
  for (const pid of workers) assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("a place whose name is no URL serves, one whose name stands for others does not", async (t) => {
  const home = mkdtempSync(join(tmpdir(), `woml-?a=%20#'"$;&`));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const socket = join(home, "s");
  const supervisor = await startSupervisor({ socket });
  const door = await openDoor(socket);
  const { outcome } = await door.invoke(asked("return 1"));
  await door.close();
  await supervisor.stop();
  assert.equal(outcome, "ok");
  for (const name of ["*", "\\"]) await assert.rejects(startSupervisor({ socket: join(home, name) }), /an asterisk or a backslash/);
});

test("a second door, and what is in force", async (t) => {
  const { door } = await openPlace(t);
  assert.deepEqual(door.layers, ["process-per-tenant", "jitless", "permission", "empty-env", "rss-limit"]);
  await assert.rejects(startSupervisor({ socket: `/tmp/${"x".repeat(120)}` }), /longer than 100 bytes/);
});

test("a worker that says nothing any more is killed half a second after the wall time", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1 });
  const { workerPid = 0 } = await door.invoke(asked("return 1"));
  const begun = Promise.withResolvers<void>();
  const limits = { ...patient, wallMs: 700 };
  const silent = door.invoke(asked("console.log('on'); await new Promise(() => {})", { limits }), { line: () => begun.resolve() });
  await begun.promise;
  process.kill(workerPid, "SIGSTOP");
  const { outcome, detail, ms } = await silent;
  assert.deepEqual([outcome, detail], ["wall_exceeded", "limit 700 ms, and no word from the worker"]);
  assert.ok(ms >= 1_200 && ms < 5_000, String(ms));
  assert.ok(await until(() => !alive(workerPid)));
});

test("PC-41: resident memory over the limit ends the worker, and only the script that was live is blamed", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1, rssMb: 160 });
  await door.invoke(asked("return 1"));
  const grow =
    "const kept = []; for (;;) { const b = new ArrayBuffer(0, { maxByteLength: 1e9 }); b.resize(2 ** 24); new Uint8Array(b).fill(1); kept.push(b); }";
  const greedy = door.invoke(asked(grow, { limits: { ...patient, cpuMs: 20_000 } }));
  const behind = door.invoke(asked("return 2"));
  const { outcome, detail } = await greedy;
  assert.deepEqual([outcome, detail], ["memory_exceeded", "limit 160 MB resident"]);
  assert.equal((await behind).outcome, "ok");
});
