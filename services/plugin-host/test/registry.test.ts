import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dispatch, Performed } from "../door.ts";
import { Fences, refused } from "../fence.ts";
import { Registry, type Running } from "../registry.ts";
import { asked } from "./place.ts";

const OK: Performed = { status: "succeeded", result: "1", evidence: "" };
const RELEASE = `sha256:${"0".repeat(64)}`;
const source = async () => null;

function opened(keptMs = 60_000) {
  const performed: { readonly running: Running; readonly end: (outcome: Performed) => void }[] = [];
  const registry = new Registry({
    fences: new Fences(),
    keptMs,
    perform: (running) => {
      const { promise, resolve } = Promise.withResolvers<Performed>();
      performed.push({ running, end: resolve });
      return promise;
    },
  });
  return { registry, performed };
}

test("1: whoever names a dispatch again joins it while it runs, and is told what it came to afterwards", async () => {
  const { registry, performed } = opened();
  const dispatch = asked(RELEASE);
  const all = [registry.perform(dispatch, source), registry.perform(dispatch, source), registry.attach(dispatch)];
  assert.equal(performed.length, 1);
  performed[0]?.end(OK);
  assert.deepEqual(await Promise.all(all), [OK, OK, OK]);
  assert.deepEqual(await registry.perform({ ...dispatch, epoch: 2 }, source), OK);
  assert.deepEqual(await registry.attach({ ...dispatch, epoch: 2 }), OK);
  assert.equal(performed.length, 1);
});

test("1: every part of the name makes another dispatch", async () => {
  const { registry, performed } = opened();
  const dispatch = asked(RELEASE);
  const others: readonly Partial<Dispatch>[] = [{}, { tenant: "b" }, { run: "r2" }, { attempt: 2 }, { key: "k2" }, { try: 2 }];
  for (const other of others) void registry.perform({ ...dispatch, ...other }, source);
  assert.equal(performed.length, others.length);
});

test("1: one name for two things is neither performed nor answered from the other", async () => {
  const { registry, performed } = opened();
  const dispatch = asked(RELEASE);
  void registry.perform(dispatch, source);
  for (const other of [{ input: "[]" }, { operation: "other" }, { effect: "keyed" as const }, { release: RELEASE.replace("0", "1") }]) {
    const answer = await registry.perform({ ...dispatch, ...other }, source);
    assert.ok(answer.status === "ambiguous" && answer.code === "WOML_PLUGIN_DISPATCH_DIFFERS");
  }
  assert.equal(performed.length, 1);
});

test("3: what was answered unknown is never performed", async () => {
  const { registry, performed } = opened();
  const dispatch = asked(RELEASE);
  assert.equal(await registry.attach(dispatch), null);
  const answer = await registry.perform(dispatch, source);
  assert.deepEqual([answer.status, performed.length], ["refused", 0]);
  assert.equal(await registry.attach(dispatch), null);
});

test("4: what was refused is not kept, and may be performed; pure results are not kept", async () => {
  const { registry, performed } = opened();
  const dispatch = asked(RELEASE);
  const first = registry.perform(dispatch, source);
  performed[0]?.end(refused("overloaded", ""));
  assert.equal((await first).status, "refused");
  const second = registry.perform(dispatch, source);
  performed[1]?.end(OK);
  assert.deepEqual(await second, OK);
  const pure = asked(RELEASE, { effect: "pure" });
  for (const index of [2, 3]) {
    const answer = registry.perform(pure, source);
    performed[index]?.end(OK);
    assert.deepEqual(await answer, OK);
  }
  assert.equal(await registry.attach(pure), null);
});

test("results are kept as long as they are to be, and no longer; cancel reaches what runs", async () => {
  const { registry, performed } = opened(50);
  const dispatch = asked(RELEASE);
  const answer = registry.perform(dispatch, source);
  let cancelled = 0;
  const [first] = performed;
  assert.ok(first !== undefined);
  first.running.cancel = () => {
    cancelled += 1;
  };
  registry.cancel(dispatch);
  registry.cancel({ ...dispatch, try: 2 });
  first.end(OK);
  await answer;
  registry.cancel(dispatch);
  assert.equal(cancelled, 1);
  assert.deepEqual(await registry.attach(dispatch), OK);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(await registry.attach(dispatch), null);
});

test("a tenant that asks for too much is refused at once, another is not; a mistake of ours is ambiguous; an end takes nothing new", async () => {
  const { registry, performed } = opened();
  const many = Array.from({ length: 300 }, () => registry.perform(asked(RELEASE), source));
  const last = await many.at(-1);
  assert.deepEqual([last?.status === "refused" && last.reason, performed.length], ["overloaded", 256]);
  void registry.perform(asked(RELEASE, { tenant: "b" }), source);
  assert.equal(performed.length, 257);
  for (const { end } of performed) end(OK);
  await Promise.all(many);
  const broken = new Registry({ fences: new Fences(), keptMs: 1_000, perform: () => Promise.reject(new TypeError("ours")) });
  const answer = await broken.perform(asked(RELEASE), source);
  assert.ok(answer.status === "ambiguous" && answer.code === "WOML_PLUGIN_HOST_FAULT");
  await registry.close();
  assert.equal((await registry.perform(asked(RELEASE), source)).status, "refused");
});
