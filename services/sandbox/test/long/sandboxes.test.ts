import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sandboxes } from "../../sandboxes.ts";
import { openTwo, type Remote, ranOn, SECRET, spread, startRemote, tenantOf } from "../network.ts";
import { alive, asked, echo, loseBehindOne, played, until } from "../place.ts";

const FOREVER = "console.log('on'); await new Promise(() => {})";
const limits = { ...asked("").limits, wallMs: 30_000 };
const OTHER = "o".repeat(32);

test("a tenant stays where its workers are, tenants are spread, and calls are answered where they were made", async (t) => {
  const { remotes, door } = await openTwo(t);
  assert.ok(door.layers.includes("jitless"));
  const tenants = Array.from({ length: 8 }, (_, n) => `t${n}`);
  const rounds = await Promise.all(
    tenants.map(async (tenant) => {
      const pids: number[] = [];
      for (let n = 0; n < 3; n++) {
        const one = asked("return await host('echo', context.payload)", { tenant, operations: ["echo"] });
        const { result, workerPid = 0 } = await played(door, one, echo);
        assert.equal(result, '{"n":1}');
        pids.push(remotes.findIndex((remote) => alive(workerPid) && ranOn(remote, workerPid)));
      }
      return pids;
    }),
  );
  const seen = new Set(rounds.flat().filter((at) => at >= 0));
  assert.deepEqual([...seen].sort(), [0, 1]);
});

test("one tenant alone uses both when its own is much busier than the other", async (t) => {
  const { remotes, door } = await openTwo(t);
  const [own] = remotes;
  assert.ok(own !== undefined);
  const tenant = await tenantOf(door, own);
  const all = Array.from({ length: 40 }, () =>
    door.invoke(asked("await new Promise((done) => setTimeout(done, 150))\nreturn 1", { tenant, limits })),
  );
  const outcomes = await Promise.all(all);
  const here = outcomes.filter(({ workerPid }) => ranOn(own, workerPid)).length;
  assert.ok(outcomes.every(({ outcome }) => outcome === "ok"));
  assert.ok(here >= 20 && here <= 35, String(here));
});

test("kill -9 of one in mid-script: its own are lost, the other's go on, and its tenants go to the other", async (t) => {
  const { remotes, door } = await openTwo(t);
  const [dying, staying] = remotes;
  assert.ok(dying !== undefined && staying !== undefined);
  const [lost, kept] = [await tenantOf(door, dying), await tenantOf(door, staying)];
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const gone = door.invoke(asked(FOREVER, { tenant: lost, limits }), { line: () => begun[0].resolve() });
  const other = asked(`${FOREVER.split(";")[0]}; return await host('echo', 7)`, { tenant: kept, operations: ["echo"], limits });
  const goes = door.invoke(other, { line: () => begun[1].resolve() });
  await Promise.all(begun.map(({ promise }) => promise));
  dying.signal("SIGKILL");
  assert.equal((await gone).outcome, "host_unavailable");
  const { workerPid } = await door.invoke(asked("return 1", { tenant: lost }));
  assert.ok(ranOn(staying, workerPid));
  door.answer(other.invocation, { call: 1, text: '{"ok":true,"value":7}', at: 1 });
  assert.equal((await goes).result, "7");
  assert.equal(door.fault(), null);
  const next = await startRemote(t, { port: dying.port });
  assert.ok(await isBack(door, next, lost));
});

test("kill -9 of one: what waited there is sent again at once, and the other runs it", async (t) => {
  const { remotes, door } = await openTwo(t, { pool: { workersPerTenant: 1, pipeline: 4 } });
  const [dying, staying] = remotes;
  assert.ok(dying !== undefined && staying !== undefined);
  const tenant = await tenantOf(door, dying);
  const busy = await tenantOf(door, staying);
  // With these the other is not so much less busy that the tenant moves on to it.
  const held = Array.from({ length: 4 }, () => asked(FOREVER, { tenant: busy, limits }));
  const kept = held.map((one) => door.invoke(one));
  await loseBehindOne(door, tenant, () => dying.signal("SIGKILL"));
  const { outcome, workerPid } = await door.invoke(asked("return 1", { tenant }));
  assert.ok(outcome === "ok" && ranOn(staying, workerPid));
  for (const one of held) door.cancel(one.invocation);
  for (const one of kept) assert.equal((await one).outcome, "cancelled");
});

test("one that is stopped is noticed within seven seconds; it ends what it had when it goes on, and is found again", async (t) => {
  const { remotes, door } = await openTwo(t);
  const [stopped, staying] = remotes;
  assert.ok(stopped !== undefined && staying !== undefined);
  const tenant = await tenantOf(door, stopped);
  const begun = Promise.withResolvers<void>();
  const { workerPid = 0 } = await door.invoke(asked("return 1", { tenant }));
  const live = door.invoke(asked(FOREVER, { tenant, limits }), { line: () => begun.resolve() });
  await begun.promise;
  const began = performance.now();
  stopped.signal("SIGSTOP");
  const unheard = door.invoke(asked("return 1", { tenant }));
  assert.deepEqual([(await live).outcome, (await unheard).outcome], ["host_unavailable", "overloaded"]);
  const tookMs = performance.now() - began;
  assert.ok(tookMs > 3_000 && tookMs < 7_500, String(tookMs));
  assert.ok(ranOn(staying, (await door.invoke(asked("return 1", { tenant }))).workerPid));
  stopped.signal("SIGCONT");
  assert.ok(await until(() => !alive(workerPid), 10_000), "a script goes on that nobody waits for");
  assert.ok(await isBack(door, stopped, tenant));
});

test("an engine may start before any sandbox: until one is there nothing runs, and it says why", async (t) => {
  const first = await startRemote(t);
  first.signal("SIGKILL");
  await first.exited;
  const door = spread(t, [first.port]);
  assert.match(door.fault() ?? "", /^no sandbox answers: the sandbox at 127\.0\.0\.1:\d+ (has not answered|cannot be reached)/);
  const { outcome, retryAfterMs, detail } = await door.invoke(asked("return 1"));
  assert.deepEqual([outcome, retryAfterMs, detail], ["overloaded", 250, "no sandbox is there"]);
  await startRemote(t, { port: first.port });
  assert.ok(await until(() => door.fault() === null));
  assert.equal((await door.invoke(asked("return 1"))).outcome, "ok");
});

test("secrets: another one opens nothing, and one is replaced by another without a pause", async (t) => {
  const remote = await startRemote(t, { secrets: [SECRET, OTHER] });
  const [wrong, old, next] = [["w".repeat(32)], [SECRET], [OTHER]].map((secrets) => spread(t, [remote.port], { secrets }));
  assert.ok(await until(() => old?.fault() === null && next?.fault() === null));
  assert.ok(await until(() => wrong?.fault()?.includes("secret") ?? false), String(wrong?.fault()));
  assert.equal((await wrong?.invoke(asked("return 1")))?.outcome, "overloaded");
  for (const door of [old, next]) assert.equal((await door?.invoke(asked("return 1")))?.outcome, "ok");
});

test("a name that stands for other addresses later: the old one keeps what it has, the new one gets what is new", async (t) => {
  const first = await startRemote(t);
  const second = await startRemote(t, { host: "127.0.0.2", port: first.port });
  let found: readonly string[] = ["127.0.0.1"];
  const addresses = [{ host: "sandbox.test", port: first.port }];
  const door = spread(t, [], { addresses, lookup: async () => found });
  assert.equal(door.fault(), "no sandbox is found by its name");
  assert.ok(await until(() => door.fault() === null));
  const kept = asked("console.log('on'); return await host('echo', 1)", { operations: ["echo"], limits });
  const begun = Promise.withResolvers<void>();
  const live = door.invoke(kept, { line: () => begun.resolve() });
  await begun.promise;
  found = ["127.0.0.2"];
  first.signal("SIGTERM");
  await until(() => door.fault() !== null);
  assert.ok(await until(() => door.fault() === null, 5_000));
  assert.ok(ranOn(second, (await door.invoke(asked("return 1"))).workerPid));
  door.answer(kept.invocation, { call: 1, text: '{"ok":true,"value":1}', at: 1 });
  assert.equal((await live).outcome, "ok");
  assert.equal(await first.exited, "exit 0");
});

test("an invocation under way is not begun again, wherever", async (t) => {
  const { door } = await openTwo(t);
  const one = asked(FOREVER, { limits });
  const live = door.invoke(one);
  const { outcome, detail } = await door.invoke(one);
  assert.deepEqual([outcome, detail], ["protocol_violation", "is already under way"]);
  door.cancel(one.invocation);
  assert.equal((await live).outcome, "cancelled");
});

/** Scripts of that tenant go to that sandbox again. */
async function isBack(door: Sandboxes, remote: Remote, tenant: string): Promise<boolean> {
  for (let n = 0; n < 100; n++) {
    const { workerPid } = await door.invoke(asked("return 1", { tenant }));
    if (workerPid !== undefined && ranOn(remote, workerPid)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
