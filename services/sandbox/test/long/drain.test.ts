import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLog } from "@woml/boot";
import { openDoor } from "../../door.ts";
import type { Outcome } from "../../frames.ts";
import { poolOptions } from "../../options.ts";
import { openSupervisor } from "../../supervisor.ts";
import { openTwo, ranOn, spread, startRemote, tenantOf } from "../network.ts";
import { asked, processesOf, until } from "../place.ts";

const limits = { ...asked("").limits, wallMs: 30_000 };
const operations = ["echo"];
const wanted = "console.log('on'); return await host('echo', 1)";
const named = (outcomes: readonly Outcome[]): readonly string[] => outcomes.map(({ outcome }) => outcome);

test("what runs is answered and ends; what has not begun is handed back, and nothing of it is heard", async (t) => {
  const remote = await startRemote(t, { pool: { workersPerTenant: 1, pipeline: 3 } });
  const door = spread(t, [remote.port]);
  const tenant = await tenantOf(door, remote);
  const heard: string[] = [];
  const begun = Promise.withResolvers<void>();
  const all = Array.from({ length: 8 }, () => asked(wanted, { tenant, operations, limits }));
  const [live, ...others] = all.map((one) => door.invoke(one, { line: () => begun.resolve(), call: () => heard.push(one.invocation) }));
  await begun.promise;
  assert.ok(await until(() => heard.length === 1));
  remote.signal("SIGTERM");
  const back = await Promise.all(others);
  assert.deepEqual(new Set(named(back)), new Set(["overloaded"]));
  assert.ok(
    back.every(
      ({ workerPid, retryAfterMs = 0, detail }) => workerPid === undefined && retryAfterMs > 0 && /about to end/.test(detail ?? ""),
    ),
  );
  assert.equal((await door.invoke(asked("return 2"))).outcome, "overloaded");
  assert.match(door.fault() ?? "", /no sandbox answers: those that are there are about to end/);
  await sleep(500);
  door.answer(all[0]?.invocation ?? "", { call: 1, text: '{"ok":true,"value":"late"}', at: 1 });
  const { outcome, result } = (await live) ?? {};
  assert.deepEqual([outcome, result, heard], ["ok", '"late"', [all[0]?.invocation]]);
  assert.equal(await remote.exited, "exit 0");
  assert.ok(await until(() => processesOf(remote.folder).length === 0));
  assert.deepEqual(readdirSync(remote.folder), [], "it leaves something in its folder");
});

test("no finished outcome is lost: of a thousand scripts each ends or is handed back", async (t) => {
  const remote = await startRemote(t);
  const door = spread(t, [remote.port]);
  await tenantOf(door, remote);
  let ended = 0;
  const all = Array.from({ length: 1_000 }, (_, n) => {
    const text = `return { n: ${n}, text: 'x'.repeat(20000) }`;
    return door.invoke(asked(text, { tenant: `t${n % 3}`, limits })).finally(() => {
      ended += 1;
    });
  });
  assert.ok(await until(() => ended > 100));
  remote.signal("SIGTERM");
  const outcomes = await Promise.all(all);
  assert.equal(await remote.exited, "exit 0");
  assert.deepEqual([...new Set(named(outcomes))].sort(), ["ok", "overloaded"]);
  for (const [n, { outcome, result }] of outcomes.entries()) if (outcome === "ok") assert.ok(result?.startsWith(`{"n":${n},`));
});

test("what runs longer than the grace is lost with its host, and the host ends in time", async (t) => {
  const remote = await startRemote(t, { graceMs: 500 });
  const door = spread(t, [remote.port]);
  const tenant = await tenantOf(door, remote);
  const begun = Promise.withResolvers<void>();
  const forever = door.invoke(asked("console.log('on'); await new Promise(() => {})", { tenant, limits }), { line: () => begun.resolve() });
  await begun.promise;
  const began = performance.now();
  remote.signal("SIGTERM");
  assert.equal((await forever).outcome, "host_unavailable");
  assert.equal(await remote.exited, "exit 0");
  const tookMs = performance.now() - began;
  assert.ok(tookMs >= 450 && tookMs < 4_000, String(tookMs));
});

test("one of two drains: whoever asks again is served by the other, and nothing fails", async (t) => {
  const { remotes, door } = await openTwo(t);
  const [leaving, staying] = remotes;
  assert.ok(leaving !== undefined && staying !== undefined);
  const insist = async (text: string, tenant: string): Promise<Outcome> => {
    for (;;) {
      const outcome = await door.invoke(asked(text, { tenant, limits }));
      if (outcome.outcome !== "overloaded") return outcome;
      await sleep(outcome.retryAfterMs ?? 50);
    }
  };
  const all = Array.from({ length: 300 }, (_, n) => insist(`return ${n}`, `t${n % 4}`));
  leaving.signal("SIGTERM");
  const outcomes = await Promise.all(all);
  assert.deepEqual(new Set(named(outcomes)), new Set(["ok"]));
  assert.equal(await leaving.exited, "exit 0");
  const { workerPid } = await insist("return 1", "t0");
  assert.ok(ranOn(staying, workerPid));
  assert.equal(door.fault(), null);
});

test("on a Unix socket, in whatever process it was opened, it ends in order just the same", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "woml-drain-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, "s");
  const supervisor = await openSupervisor({
    ...{ place: { socket }, pool: poolOptions("{}"), log: openLog("sandbox", "silent") },
    hopeless: (why) => assert.fail(why),
  });
  const door = await openDoor(socket);
  t.after(() => door.close());
  const one = asked(wanted, { operations, limits });
  const called = Promise.withResolvers<void>();
  const live = door.invoke(one, { call: () => called.resolve() });
  await called.promise;
  assert.deepEqual([supervisor.at, supervisor.queued(), supervisor.fault(), supervisor.workers().length > 0], [socket, 0, null, true]);
  const drained = supervisor.drain(20_000);
  assert.equal(supervisor.fault(), "it is about to end");
  assert.equal((await door.invoke(asked("return 1"))).outcome, "overloaded");
  door.answer(one.invocation, { call: 1, text: '{"ok":true,"value":1}', at: 1 });
  assert.equal((await live).outcome, "ok");
  await drained;
  assert.deepEqual([supervisor.workers(), readdirSync(folder)], [[], []]);
});
