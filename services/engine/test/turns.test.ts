import assert from "node:assert/strict";
import { it } from "node:test";
import { asRunId } from "@woml/run";
import fc from "fast-check";
import type { Start } from "../arrival.ts";
import { STEAL_MS } from "../bounds.ts";
import { Turns } from "../turns.ts";
import { chain, Stage, TENANT, uuid, withCalls } from "./stage.ts";

const NOW = 1_000_000;
const hex = fc.nat({ max: 0xffffffff }).map((n) => n.toString(16).padStart(8, "0"));
const starts = fc.uniqueArray(hex, { minLength: 1, maxLength: 50 }).map((tails) => tails.map((tail) => startOf(tail, NOW)));

function startOf(tail: string, createdAt: number): Start {
  const body = { kind: "start", workflow: "w", version: "v", trigger: { kind: "manual", id: "go" }, payload: {}, labels: [] } as const;
  return { tenant: TENANT, run: asRunId(`019a0000-0000-7000-8000-0000${tail}`), id: tail, createdAt, status: null, body };
}
function turnsOf(engine: string, peers: readonly string[]): { readonly turns: Turns; readonly rung: string[] } {
  const stage = new Stage();
  const rung: string[] = [];
  const bell = { ...stage.bell, ring: (queue: string) => void rung.push(queue) };
  const turns = new Turns({ ...stage.world(), doorbell: bell }, engine);
  turns.know(peers);
  return { turns, rung };
}

it("each start is the turn of exactly one of the engines that know of each other", () => {
  fc.assert(
    fc.property(starts, fc.integer({ min: 1, max: 5 }), (asked, count) => {
      const peers = Array.from({ length: count }, (_, at) => `engine-${at}`);
      const taken = peers.flatMap((engine) =>
        turnsOf(engine, peers)
          .turns.split(asked, NOW)
          .mine.map(({ id }) => id),
      );
      assert.deepEqual(taken.toSorted(), asked.map(({ id }) => id).toSorted());
    }),
  );
});

it("an engine that knows of no other, or is not among them, takes everything", () => {
  const asked = ["00000000", "00000001", "00000002"].map((tail) => startOf(tail, NOW));
  for (const peers of [[], ["me"], ["somebody", "else"]]) assert.equal(turnsOf("me", peers).turns.split(asked, NOW).mine.length, 3);
});

it("what others left lying is taken by who has nothing of its own, and not before its time", () => {
  const { turns } = turnsOf("a", ["a", "b"]);
  const [own, old, young] = [startOf("00000000", NOW), startOf("00000001", NOW - STEAL_MS), startOf("00000003", NOW - STEAL_MS + 1)];
  assert.deepEqual(turns.split([own, old, young], NOW), { mine: [own], left: [old, young] });
  assert.deepEqual(turns.split([old, young], NOW), { mine: [old], left: [young] });
});

it("those whose turn it is are rung, each once in a while", () => {
  const { turns, rung } = turnsOf("a", ["a", "b", "c"]);
  const left = ["00000001", "00000002", "00000004"].map((tail) => startOf(tail, NOW));
  turns.tell(left);
  turns.tell(left);
  assert.deepEqual(rung, ["b", "c"]);
});

it("three engines at one inbox: nobody tries what another admits, and each has its share", async () => {
  const stage = new Stage();
  const counts = [0, 0, 0];
  let refused = 0;
  for (const slot of counts.keys()) {
    const memory = stage.memory.open();
    const append: typeof memory.append = async (wanted) => {
      await stage.time.sleep(5);
      const moved = await memory.append(wanted);
      if (moved === null) refused += 1;
      else if (wanted.expected === 0) counts[slot] = (counts[slot] ?? 0) + 1;
      return moved;
    };
    await stage.start({}, withCalls(memory, { append }));
  }
  await stage.wait(1_000);
  const version = stage.publish(chain("a"));
  const keys = Array.from({ length: 90 }, () => stage.ask(version));
  await stage.wait(200);
  assert.ok(keys.every((key) => stage.run(key).status === "succeeded"));
  assert.equal(refused, 0);
  assert.deepEqual(counts, [30, 30, 30]);
});

it("one that stands still keeps nobody waiting for longer than a sweep", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const stuck = withCalls(memory, { inbox: () => new Promise(() => undefined) });
  await stage.start({}, stuck);
  await stage.start();
  await stage.wait(1_000);
  const version = stage.publish(chain("a"));
  const keys = Array.from({ length: 10 }, (_, at) => {
    if (at % 2 === 0) uuid();
    return stage.ask(version);
  });
  await stage.wait(100);
  const own = keys.filter((key) => stage.memory.run(key) !== null).length;
  assert.ok(own > 0 && own < keys.length, "its own at once");
  await stage.wait(STEAL_MS);
  assert.ok(keys.every((key) => stage.run(key).status === "succeeded"));
});

it("a cancel that comes before its start is decided by whoever admits the start", async () => {
  const stage = new Stage();
  await stage.start();
  await stage.start();
  await stage.wait(1_000);
  const version = stage.publish(chain("a"));
  const asked = Array.from({ length: 10 }, () => {
    const run = asRunId(uuid());
    const key = { tenant: TENANT, run };
    const body = { kind: "start", workflow: "w", version, trigger: { kind: "manual", id: "go" }, payload: {}, labels: [] } as const;
    stage.memory.request({ ...key, id: uuid(), body });
    return { key, cancel: stage.cancel(key) };
  });
  await stage.wait(2_000);
  for (const { key, cancel } of asked) {
    assert.equal(stage.run(key).status, "cancelled");
    assert.equal(stage.request(cancel)?.answer, null);
  }
});
