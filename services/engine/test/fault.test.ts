import assert from "node:assert/strict";
import { it } from "node:test";
import type { EngineStore } from "@woml/prisma";
import { type Engine, startEngine } from "../index.ts";
import { chain, ok, Stage, withCalls } from "./stage.ts";

it("an engine says why it cannot work: store, sandbox, plugin hosts, lease, its end", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  let isSilent = false;
  const quiet = <T>(work: () => Promise<T>): Promise<T> => (isSilent ? Promise.reject(new Error("connection lost")) : work());
  const store = withCalls(memory, {
    fence: (engine) => quiet(() => memory.fence(engine)),
    claim: (engine, limit) => quiet(() => memory.claim(engine, limit)),
    due: (engine, limit) => quiet(() => memory.due(engine, limit)),
  });
  const says: { sandbox: string | null; plugins: string | null; bell: string | null } = { sandbox: null, plugins: null, bell: null };
  const world = stage.world(store);
  const engine = await startEngine({
    ...world,
    sandbox: { ...world.sandbox, fault: () => says.sandbox },
    plugins: { ...world.plugins, fault: () => says.plugins },
    doorbell: { ...world.doorbell, fault: () => says.bell },
  });
  await stage.wait(3_000);
  assert.equal(engine.fault(), null);
  says.sandbox = "no sandbox is found by its name";
  says.plugins = "no plugin host is found by its name";
  assert.equal(engine.fault(), says.sandbox);
  says.sandbox = null;
  assert.equal(engine.fault(), says.plugins);
  says.plugins = null;
  isSilent = true;
  await stage.wait(4_000);
  assert.equal(engine.fault(), null, "a store may be silent for a moment");
  await stage.wait(3_000);
  assert.equal(engine.fault(), "the database does not answer");
  isSilent = false;
  await stage.wait(1_500);
  assert.equal(engine.fault(), null);
  stage.memory.breakLease(engine.id);
  await stage.settle();
  assert.equal(engine.fault(), "its lease is lost");
  void engine.stop();
  await stage.settle();
  assert.equal(engine.fault(), "it is stopping");
});

it("a doorbell that was never reached keeps it from being ready; one that falls silent later does not", async () => {
  const stage = new Stage();
  let silence: string | null = "Redis does not answer: ECONNREFUSED";
  const usual = stage.world();
  const world = { ...usual, doorbell: { ...usual.doorbell, fault: () => silence } };
  const engine = await startEngine(world);
  await stage.settle();
  assert.equal(engine.fault(), "the doorbell: Redis does not answer: ECONNREFUSED");
  silence = null;
  assert.equal(engine.fault(), null);
  silence = "Redis does not answer: the connection broke";
  assert.equal(engine.fault(), null);
  stage.memory.breakLease(engine.id);
  await stage.settle();
  const next = await startEngine(world);
  await stage.settle();
  assert.equal(next.fault(), null, "the engine that follows it in its process knows the place as well");
});

it("forgets the bell of who it fenced; one that stops hands back at once, and its own bell is forgotten", async () => {
  const stage = new Stage();
  const forgotten: string[] = [];
  const memory = stage.memory.open();
  // It is gone, and does not know it: it says nothing of its end.
  const openLease: typeof memory.openLease = async (engine, leaseMs) => {
    const { lease, at } = await memory.openLease(engine, leaseMs);
    const never = new Promise<never>(() => undefined);
    return { at, lease: { ...lease, lost: never, renew: () => never } };
  };
  const start = (store: EngineStore): Promise<Engine> => {
    const world = stage.world(store);
    return startEngine({ ...world, doorbell: { ...world.doorbell, forget: (queue) => void forgotten.push(queue) } });
  };
  const dead = await start(withCalls(memory, { openLease }));
  const [second, third, fourth] = [await start(stage.memory.open()), await start(stage.memory.open()), await start(stage.memory.open())];
  await stage.wait(100);
  stage.memory.breakLease(dead.id);
  await stage.wait(1_100);
  assert.deepEqual(forgotten, [dead.id]);
  void second.stop();
  await stage.wait(100);
  assert.deepEqual(forgotten, [dead.id, second.id]);
  stage.memory.breakLease(third.id);
  await stage.wait(100);
  assert.deepEqual(forgotten, [dead.id, second.id, third.id]);
  assert.equal(fourth.fault(), null);
});

it("what an engine hands back another takes up at once, not at its next sweep", async () => {
  const stage = new Stage();
  const first = await stage.start({ graceMs: 0 });
  const key = stage.ask(stage.publish(chain("a", "b")));
  stage.scripts = (node) => ({ after: stage.frames.length === 1 ? 60_000 : 1, outcome: ok(node) });
  await stage.start();
  await stage.wait(5_500);
  void first.stop();
  await stage.wait(50);
  assert.equal(stage.run(key).status, "succeeded");
});
