import assert from "node:assert/strict";
import { test } from "node:test";
import { Course, type Told } from "../course.ts";
import type { JournalEntry } from "../frames.ts";

const told = (call: number, at = 0): Told => ({ call, at, text: "{}" });
const course = (journal: readonly JournalEntry[] = []): Course => new Course({ journal, startedAt: 1_000 });

test("rule 3: answers in the order they came, timers when they are due, what came first first", () => {
  const one = course();
  for (let n = 1; n <= 3; n++) assert.deepEqual(one.call(), []);
  one.set(1, 500, 0);
  assert.deepEqual(one.next(0), { dueMs: 500 });
  one.set(2, 10, 0);
  one.set(3, 20, 0);
  one.clear(2);
  assert.deepEqual(one.next(0), { dueMs: 20 });
  one.came(told(2), 10);
  one.came(told(1), 30);
  assert.deepEqual(one.next(60), { give: "answer", answer: told(2) });
  assert.deepEqual(one.next(60), { give: "timer", timer: 3 });
  assert.deepEqual(one.next(60), { give: "answer", answer: told(1) });
  assert.deepEqual(one.open, [3]);
  assert.deepEqual([one.onlyWaits, one.next(60)], [false, { dueMs: 500 }]);
  one.clear(1);
  assert.ok(one.onlyWaits);
  assert.deepEqual(one.call(), [{ answer: 2 }, { timer: 3 }, { answer: 1 }]);
});

test("rule 2: while the journal lasts only its next entry is given, and a call elsewhere is a divergence", () => {
  const journal = [{ call: 1 }, { call: 2 }, { answer: 2 }, { timer: 1 }, { call: 3 }];
  const one = course(journal);
  one.set(1, 500, 0);
  assert.deepEqual([one.call(), one.call()], [[], []]);
  one.came(told(1), 0);
  assert.deepEqual(one.next(1_000), { dueMs: undefined }, "answer 1 came, but answer 2 is next; the timer does not run");
  assert.equal(one.onlyWaits, false);
  one.came(told(2, 1_300), 0);
  assert.deepEqual(one.next(1_000), { give: "answer", answer: told(2, 1_300) });
  assert.deepEqual(one.next(1_000), { give: "timer", timer: 1 });
  assert.equal(one.missed, "it ended before call 3");
  assert.deepEqual(one.call(), [{ answer: 2 }, { timer: 1 }]);
  assert.equal(one.missed, undefined);
  assert.deepEqual(one.next(1_000), { give: "answer", answer: told(1) });
});

test("each way to leave the journal is told apart", () => {
  const early = course([{ call: 1 }, { answer: 1 }, { call: 2 }]);
  early.call();
  assert.deepEqual(early.call(), { diverged: "call 2 came before the answer to call 1" });
  assert.deepEqual(course([{ call: 1 }]).next(0), { diverged: "call 1 did not come" });
  assert.deepEqual(course([{ timer: 2 }, { call: 1 }]).next(0), { diverged: "there is no timer 2" });
  assert.deepEqual(course([{ answer: 1 }, { call: 1 }]).next(0), { diverged: "there is no call for the answer to call 1" });
  const twice = course([{ call: 1 }, { answer: 1 }, { answer: 1 }]);
  twice.call();
  twice.came(told(1), 0);
  twice.next(0);
  twice.came(told(1), 0);
  assert.deepEqual(twice.next(0), { diverged: "there is no call for the answer to call 1" });
});

test("rule 4: an answer ahead of its call is kept, a second one is none", () => {
  const one = course();
  one.came(told(1, 5), 0);
  assert.deepEqual(one.next(0), { dueMs: undefined });
  one.call();
  one.came({ ...told(1, 9), text: "other" }, 0);
  assert.deepEqual(one.next(0), { give: "answer", answer: told(1, 5) });
  one.came(told(1), 0);
  assert.deepEqual(one.next(0), { dueMs: undefined });
});

test("after the journal a timer has before it what its delay has left by the script's own time", () => {
  const one = course([{ call: 1 }, { answer: 1 }, { call: 2 }]);
  one.set(1, 500, 0);
  one.set(2, 100, 0);
  one.call();
  one.came(told(1, 1_300), 0);
  one.next(0);
  one.call();
  assert.deepEqual(one.next(7_000), { give: "timer", timer: 2 });
  assert.deepEqual(one.next(7_000), { dueMs: 7_200 });
});
