import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../errors.ts";
import { openGate } from "../gate.ts";

const BOUNDS = { inside: 2, line: 3, lineBytes: 100, patienceMs: 60_000 };
const isOverloaded = (error: unknown): boolean => error instanceof ApiError && error.code === "WOML_OVERLOADED";

/** Work that ends when it is told. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, end: resolve };
}

test("so many work at once, the rest in their order, and a failure gives its place on", async () => {
  const gate = openGate(BOUNDS);
  const [a, b] = [work(), work()];
  const began: string[] = [];
  const run = (name: string, until: Promise<void>): Promise<void> =>
    gate.run(0, () => {
      began.push(name);
      return until;
    });
  const all = [
    run(
      "a",
      a.promise.then(() => Promise.reject(new Error("a"))),
    ),
    run("b", b.promise),
  ];
  const later = ["c", "d", "e"].map((name) => run(name, Promise.resolve()));
  await sleep(1);
  assert.deepEqual(began, ["a", "b"]);
  a.end();
  await Promise.allSettled([all[0], ...later]);
  assert.deepEqual(began, ["a", "b", "c", "d", "e"]);
  b.end();
  await all[1];
});

test("a line that is full, in number or in bytes, refuses at once", async () => {
  const gate = openGate(BOUNDS);
  const { promise, end } = work();
  const inside = [gate.run(0, () => promise), gate.run(0, () => promise)];
  const heavy = gate.run(100, async () => "heavy");
  await assert.rejects(
    gate.run(1, async () => "light"),
    isOverloaded,
  );
  const light = [gate.run(0, async () => 1), gate.run(0, async () => 2)];
  await assert.rejects(
    gate.run(0, async () => 3),
    isOverloaded,
  );
  end();
  assert.deepEqual(await Promise.all([heavy, ...light]), ["heavy", 1, 2]);
  await Promise.all(inside);
  assert.equal(await gate.run(100, async () => "free again"), "free again");
});

test("whoever waits too long is refused, and takes no place from the next", async () => {
  const gate = openGate({ ...BOUNDS, inside: 1, patienceMs: 20 });
  const { promise, end } = work();
  const first = gate.run(0, () => promise);
  await assert.rejects(
    gate.run(5, async () => "late"),
    isOverloaded,
  );
  const next = gate.run(100, async () => "next");
  end();
  await first;
  assert.equal(await next, "next");
});
