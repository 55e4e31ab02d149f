import assert from "node:assert/strict";
import { test } from "node:test";
import { alive, asked, openPlace, processesOf, until } from "../place.ts";

test("a worker is one tenant's for its whole life: two tenants, 300 invocations each, one of ten fatal", async (t) => {
  const { door } = await openPlace(t, { workers: 4, spares: 1 });
  const pids: Record<string, Set<number>> = { a: new Set(), b: new Set() };
  const limits = { ...asked("").limits, cpuMs: 30, wallMs: 20_000 };
  let fatal = 0;
  const one = async (tenant: string, n: number): Promise<void> => {
    const kills = n % 30 === 7;
    const { outcome, workerPid = 0 } = await door.invoke(asked(kills ? "for (;;);" : "return 1", { tenant, limits }));
    if (kills) fatal += 1;
    assert.equal(outcome, kills ? "cpu_exceeded" : "ok");
    pids[tenant]?.add(workerPid);
  };
  const lane = async (tenant: string, lane: number): Promise<void> => {
    for (let n = 0; n < 75; n++) await one(tenant, lane * 75 + n);
  };
  await Promise.all(["a", "b"].flatMap((tenant) => [0, 1, 2, 3].map((n) => lane(tenant, n))));
  const { a = new Set(), b = new Set() } = pids;
  assert.deepEqual([...a.intersection(b)], []);
  assert.equal(fatal, 20);
  assert.ok(a.size >= 10 && b.size >= 10, "every fatal one cost a worker");
});

test("tenants beyond the workers there are take turns, none waits for ever and none shares", async (t) => {
  const { door } = await openPlace(t, { workers: 2, spares: 1 });
  const owner = new Map<number, string>();
  const ask = async (tenant: string): Promise<void> => {
    const { outcome, workerPid = 0 } = await door.invoke(asked("return 1", { tenant }));
    assert.equal(outcome, "ok");
    assert.equal(owner.get(workerPid) ?? tenant, tenant);
    owner.set(workerPid, tenant);
  };
  let busy = true;
  const hog = async (): Promise<void> => {
    while (busy) await ask("hog");
  };
  const hogs = Promise.all([hog(), hog(), hog(), hog()]);
  for (const tenant of ["a", "b", "c", "d", "e"]) await ask(tenant);
  busy = false;
  await hogs;
});

test("a slow script does not hold up those given to the same worker", async (t) => {
  const { door } = await openPlace(t);
  const limits = { ...asked("").limits, wallMs: 15_000 };
  const ended: string[] = [];
  const slow = door.invoke(asked("await new Promise(() => {})", { limits })).finally(() => ended.push("slow"));
  const quick = await Promise.all(Array.from({ length: 20 }, () => door.invoke(asked("return 1"))));
  assert.ok(quick.every(({ outcome }) => outcome === "ok"));
  assert.deepEqual(ended, []);
  assert.equal((await slow).outcome, "wall_exceeded");
});

test("what stood behind a slow script and went back keeps its order", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1, pipeline: 4 });
  await door.invoke(asked("return 1"));
  const slow = door.invoke(asked("await new Promise((resolve) => setTimeout(resolve, 300)); return 0"));
  const ended: number[] = [];
  const behind = [1, 2, 3].map(async (n) => {
    await door.invoke(asked(`return ${n}`));
    ended.push(n);
  });
  await Promise.all([slow, ...behind]);
  assert.deepEqual(ended, [1, 2, 3]);
});

test("past the bounds of the queue the answer is overloaded, at once and with a time", async (t) => {
  const { door } = await openPlace(t, { queuePerTenant: 3, workersPerTenant: 1, pipeline: 1 });
  await door.invoke(asked("return 1"));
  const first = door.invoke(asked("await new Promise(() => {})"));
  const others = Array.from({ length: 8 }, () => door.invoke(asked("return 1")));
  const outcomes = await Promise.all(others);
  const refused = outcomes.filter(({ outcome }) => outcome === "overloaded");
  assert.equal(refused.length, 5);
  assert.ok(refused.every(({ retryAfterMs = 0, workerPid }) => retryAfterMs >= 50 && workerPid === undefined));
  assert.ok(refused.every(({ ms }) => ms < 100));
  const elsewhere = await door.invoke(asked("return 1", { tenant: "b" }));
  assert.equal(elsewhere.outcome, "ok");
  assert.equal((await first).outcome, "wall_exceeded");
});

test("a worker without work ends, and a used up one too", async (t) => {
  const { door, socket, supervisor } = await openPlace(t, { idleMs: 300, spares: 1 });
  const { workerPid = 0 } = await door.invoke(asked("return 1"));
  assert.ok(await until(() => !alive(workerPid)));
  assert.ok(await until(() => processesOf(socket).length === 2));
  await supervisor.stop();
  assert.deepEqual(processesOf(socket), []);
});
