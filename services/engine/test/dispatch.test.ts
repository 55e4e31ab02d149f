import assert from "node:assert/strict";
import { it } from "node:test";
import type { Invocation, ScriptOutcome } from "@woml/sandbox";
import { type Give, openDispatch, type Task } from "../perform/dispatch.ts";
import { nothingRan, sandboxDouble } from "./sandbox-double.ts";
import { Time } from "./simulation/time.ts";

const FRAME = {
  script: { digest: "d", text: "", file: "f", line: 1, column: 1 },
  context: "{}",
  attempt: "{}",
  limits: { cpuMs: 1, wallMs: 1, heapMb: 1, resultBytes: 1, consoleBytes: 1 },
  startedAt: 1,
  chance: { math: "0".repeat(64), crypto: "0".repeat(64) },
};

function given(bounds = { window: 4, tenantWindow: 2 }, play?: (frame: Invocation, time: Time) => Promise<ScriptOutcome>) {
  const time = new Time();
  const sent: string[] = [];
  const heard: string[] = [];
  let alive = true;
  let minted = 0;
  const sandbox = sandboxDouble(async (frame) => {
    sent.push(frame.attempt);
    if (play) return play(frame, time);
    await time.sleep(10);
    return nothingRan("ok");
  });
  const alarm = (delayMs: number, ring: () => void) => time.after(delayMs, ring);
  const dispatch = openDispatch({ sandbox, alarm, mint: () => `i${minted++}` }, () => alive, bounds);
  const task = (tenant: string, name: string, more: Partial<Task> = {}): Task => ({
    tenant,
    pauseMs: 0,
    frame: () => ({ ...FRAME, tenant, attempt: name }),
    heard: ({ outcome }) => heard.push(`${name} ${outcome}`),
    ...more,
  });
  return { time, sent, heard, dispatch, task, sandbox, expire: () => (alive = false), run: () => time.run(() => false, 1_000) };
}

it("sends no more than the window, no more than a tenant's part, and lets tenants take turns", async () => {
  const { dispatch, sent, heard, task, run } = given();
  for (const name of ["a1", "a2", "a3", "a4"]) dispatch.send(task("a", name));
  for (const name of ["b1", "b2", "b3"]) dispatch.send(task("b", name));
  assert.deepEqual(sent, ["a1", "a2", "b1", "b2"]);
  assert.equal(dispatch.inFlight, 4);
  await run();
  assert.deepEqual(sent.slice(4).toSorted(), ["a3", "a4", "b3"]);
  assert.equal(heard.length, 7);
  assert.equal(dispatch.inFlight, 0);
});

it("sends again what was refused for lack of room, and only that", async () => {
  let refusals = 2;
  const { dispatch, sent, heard, task, run } = given(undefined, async () =>
    refusals-- > 0 ? { ...nothingRan("overloaded"), retryAfterMs: 20 } : nothingRan("ok"),
  );
  dispatch.send(task("a", "a1"));
  await run();
  assert.deepEqual(sent, ["a1", "a1", "a1"]);
  assert.deepEqual(heard, ["a1 ok"]);
});

it("takes back what waits, what pauses and what flies, and hears nothing of it", async () => {
  const { dispatch, sent, heard, task, run, sandbox } = given({ window: 1, tenantWindow: 1 });
  const flies = dispatch.send(task("a", "flies"));
  const waits = dispatch.send(task("a", "waits"));
  const pauses = dispatch.send(task("a", "pauses", { pauseMs: 50 }));
  for (const takeBack of [waits, pauses, flies]) takeBack();
  await run();
  assert.deepEqual([sent, heard, sandbox.running, dispatch.inFlight], [["flies"], [], 0, 0]);
});

it("gives the room of a task that dealt with itself to the next", async () => {
  const { dispatch, sent, task, run } = given({ window: 1, tenantWindow: 1 });
  dispatch.send(task("a", "none", { frame: () => null }));
  dispatch.send(task("a", "next"));
  await run();
  assert.deepEqual(sent, ["next"]);
});

it("sends nothing once the lease has ended, or it was closed", async () => {
  const ended = given();
  ended.expire();
  ended.dispatch.send(ended.task("a", "late"));
  const closed = given();
  closed.dispatch.close();
  closed.dispatch.send(closed.task("a", "late"));
  await Promise.all([ended.run(), closed.run()]);
  assert.deepEqual([ended.sent, closed.sent], [[], []]);
});

it("keeps a turn for what it leads to, before what was never sent and within the tenant's part", async () => {
  const { dispatch, sent, task, run } = given({ window: 4, tenantWindow: 1 });
  const kept: Give[] = [];
  dispatch.send(task("a", "a1"));
  dispatch.send(task("a", "a2"));
  dispatch.turn({ tenant: "a", pauseMs: 0, taken: (give) => void kept.push(give) });
  const takeBack = dispatch.turn({ tenant: "a", pauseMs: 0, taken: () => assert.fail("it was taken back") });
  takeBack();
  assert.deepEqual([sent, kept.length], [["a1"], 0]);
  await run();
  assert.deepEqual([sent, kept.length], [["a1"], 1]);
  kept[0]?.(task("a", "lost"));
  assert.deepEqual(sent, ["a1", "lost"]);
  await run();
  assert.deepEqual(sent, ["a1", "lost", "a2"]);
  assert.equal(dispatch.inFlight, 0);
});

it("gives a turn on that leads to nothing, and has one that pauses wait before its turn, not in it", async () => {
  const { dispatch, sent, task, run } = given({ window: 1, tenantWindow: 1 });
  dispatch.turn({ tenant: "a", pauseMs: 0, taken: (give) => void give(null) });
  assert.equal(dispatch.inFlight, 0);
  dispatch.turn({ tenant: "a", pauseMs: 50, taken: (give) => void give(task("a", "later", { pauseMs: 50 })) });
  dispatch.turn({ tenant: "a", pauseMs: 50, taken: () => assert.fail("it was taken back") })();
  dispatch.send(task("a", "now"));
  assert.deepEqual(sent, ["now"]);
  await run();
  assert.deepEqual(sent, ["now", "later"]);
});

it("gives a held tenant no turn, and others theirs; what is in flight goes on, and what waits goes when it is held no more", async () => {
  const { dispatch, sent, heard, task, run } = given({ window: 4, tenantWindow: 2 });
  dispatch.send(task("a", "a1"));
  dispatch.hold(new Set(["a"]));
  dispatch.send(task("a", "a2"));
  let turns = 0;
  dispatch.turn({ tenant: "a", pauseMs: 0, taken: () => turns++ });
  dispatch.send(task("b", "b1"));
  await run();
  assert.deepEqual([sent, heard, turns], [["a1", "b1"], ["a1 ok", "b1 ok"], 0]);
  dispatch.hold(new Set(["b"]));
  await run();
  assert.deepEqual([sent, turns], [["a1", "b1", "a2"], 1]);
});
