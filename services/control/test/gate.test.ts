import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../errors.ts";
import { openGate } from "../gate.ts";

const BOUNDS = { inside: 2, line: 3, lineBytes: 100, share: 1, patienceMs: 60_000 };
const isOverloaded = (error: unknown): boolean => error instanceof ApiError && error.code === "WOML_OVERLOADED";

const asker = (bytes: number, who = "a") => ({ who, bytes });

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
    gate.run(asker(0), () => {
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
  const inside = [gate.run(asker(0), () => promise), gate.run(asker(0), () => promise)];
  const heavy = gate.run(asker(100), async () => "heavy");
  await assert.rejects(
    gate.run(asker(1), async () => "light"),
    isOverloaded,
  );
  const light = [gate.run(asker(0), async () => 1), gate.run(asker(0), async () => 2)];
  await assert.rejects(
    gate.run(asker(0), async () => 3),
    isOverloaded,
  );
  end();
  assert.deepEqual(await Promise.all([heavy, ...light]), ["heavy", 1, 2]);
  await Promise.all(inside);
  assert.equal(await gate.run(asker(100), async () => "free again"), "free again");
});

test("whoever waits too long is refused, and takes no place from the next", async () => {
  const gate = openGate({ ...BOUNDS, inside: 1, patienceMs: 20 });
  const { promise, end } = work();
  const first = gate.run(asker(0), () => promise);
  await assert.rejects(
    gate.run(asker(5), async () => "late"),
    isOverloaded,
  );
  const next = gate.run(asker(100), async () => "next");
  end();
  await first;
  assert.equal(await next, "next");
});

test("askers take turns, however many requests one has in line; those of one are served in their order", async () => {
  const gate = openGate({ ...BOUNDS, inside: 1, line: 20 });
  const { promise, end } = work();
  const began: string[] = [];
  const first = gate.run(asker(0), () => promise);
  const rest = ["a", "a", "a", "a", "b", "b", "c"].map((who, at) =>
    gate.run(asker(0, who), async () => {
      began.push(`${who}${at}`);
    }),
  );
  end();
  await Promise.all([first, ...rest]);
  assert.deepEqual(began, ["a0", "b4", "c6", "a1", "b5", "a2", "a3"]);
});

test("one asker has only its share of the places, of the line and of the bytes in it", async () => {
  const gate = openGate({ inside: 4, line: 4, lineBytes: 100, share: 0.5, patienceMs: 60_000 });
  const { promise, end } = work();
  const began: string[] = [];
  const run = (who: string, bytes: number): Promise<void> =>
    gate.run(asker(bytes, who), () => {
      began.push(who);
      return promise;
    });
  const all = [run("a", 0), run("a", 0), run("a", 0), run("b", 0)];
  await sleep(1);
  assert.deepEqual(began, ["a", "a", "b"]);
  await assert.rejects(run("a", 51), isOverloaded);
  all.push(run("a", 0));
  await assert.rejects(run("a", 0), isOverloaded);
  all.push(run("b", 0), run("b", 50), run("c", 50));
  await assert.rejects(run("c", 1), isOverloaded);
  end();
  await Promise.all(all);
  assert.deepEqual(began, ["a", "a", "b", "b", "a", "c", "b", "a"]);
});

test("whoever was refused, was late or has ended leaves nothing behind", async () => {
  const gate = openGate({ ...BOUNDS, inside: 1, line: 1, patienceMs: 5 });
  const { promise, end } = work();
  const first = gate.run(asker(0, "a"), () => promise);
  const late = gate.run(asker(60, "b"), async () => {});
  await assert.rejects(
    gate.run(asker(0, "c"), async () => {}),
    isOverloaded,
  );
  await assert.rejects(late, isOverloaded);
  end();
  await first;
  for (const who of ["c", "b", "a"]) assert.equal(await gate.run(asker(100, who), async () => who), who);
});
