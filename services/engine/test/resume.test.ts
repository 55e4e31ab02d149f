import assert from "node:assert/strict";
import { it } from "node:test";
import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import type { Performed } from "@woml/plugin-host";
import { asRunId, foldAll, type RunKey } from "@woml/run";
import { KEY_SHARE } from "../bounds.ts";
import { call, MANIFEST, Shop, step } from "./shop.ts";
import { chain, TENANT, uuid, withCalls } from "./stage.ts";

/** A start that resumes a run, as control stores it. */
function resume(shop: Shop, key: RunKey, from: string, { payload = {} as Json, run = key.run as string } = {}): RunKey {
  const resumed = { run, from };
  const { version } = foldAll(shop.run(key).events).admitted ?? assert.fail();
  const next = { tenant: TENANT, run: asRunId(uuid()) };
  const trigger = { kind: "manual", id: "go" };
  shop.memory.request({ ...next, id: uuid(), body: { kind: "start", workflow: "w", version, trigger, payload, labels: [], resumed } });
  shop.bell.ring(SHARED);
  return next;
}
/** A run of three steps whose second one charges and whose third one has failed. `mended`: it fails no more. */
async function failed(): Promise<{ readonly shop: Shop; readonly key: RunKey; readonly mend: () => void }> {
  const shop = new Shop();
  let isBroken = true;
  shop.play("b", async (talk) => call(talk, "refund", { n: 5 }));
  shop.play("c", async (talk) => {
    const receipt = await call(talk, "refund", { n: 7 });
    if (isBroken) throw new Error("no");
    return receipt;
  });
  await shop.start();
  const key = shop.ask(shop.sell("a", "b", "c"));
  await shop.wait(1_000);
  assert.equal(shop.code(key), "WOML_SCRIPT_THROWN");
  const mend = (): void => {
    isBroken = false;
  };
  return { shop, key, mend };
}

it("a run that is resumed at the step that failed goes on from there, and its effects are had once", async () => {
  const { shop, key, mend } = await failed();
  const before = shop.plugins.taken.length;
  mend();
  const next = resume(shop, key, "c");
  await shop.wait(1_000);
  assert.deepEqual(shop.log(next).slice(0, 6), [
    ...["run_admitted", "output_inherited a", "output_inherited b", "effect_inherited b succeeded", "effect_inherited c succeeded"],
    "run_started",
  ]);
  assert.equal(shop.code(next), "run_succeeded");
  assert.equal(shop.plugins.taken.length, before, "nothing was dispatched");
  assert.deepEqual(shop.contexts.get("c"), { payload: {}, trigger: {}, steps: { a: "a", b: { done: { n: 5 }, time: 1 } } });
  assert.deepEqual(shop.provider.doubled, []);
});

it("O5: under a key of the run that it resumes nothing is sent when that key's provider may have forgotten it", async () => {
  const { charge } = MANIFEST.operations;
  const widened = { ...charge, timeoutMs: 600_000, idempotency: { header: "K", windowHours: 0.01 } };
  const shop = new Shop({ ...MANIFEST, operations: { ...MANIFEST.operations, charge: widened } });
  let answer: Performed = { status: "failed", code: "CARD_DECLINED", message: "no", retryable: false, evidence: "it said so" };
  shop.plugins.act = async () => answer;
  shop.play("a", (talk) => call(talk, "charge"));
  await shop.start({ leaseMs: 60_000 });
  const key = shop.ask(shop.sell("a"));
  await shop.wait(20_000);
  const firstAt = shop.operation(key, "a")?.firstAt ?? 0;
  answer = { status: "ambiguous", code: "LOST", message: "no answer" };
  const next = resume(shop, key, "a");
  await shop.wait(100);
  assert.deepEqual(shop.log(next).slice(0, 3), ["run_admitted", "key_inherited a", "run_started"]);
  const [, first, second] = shop.plugins.taken;
  assert.equal(first?.key, shop.operation(key, "a")?.key);
  assert.ok(first !== undefined && first.notAfter > firstAt + 36_000, "nothing was done yet, whatever becomes of the key");
  assert.equal(second?.notAfter, firstAt + 36_000 * KEY_SHARE);
  await shop.wait(60_000);
  assert.deepEqual([shop.operation(next, "a")?.status, shop.run(next).status], ["unknown", "needs_resolution"]);
});

it("an engine that dies while it admits one leaves one run, which has every effect once", async () => {
  const { shop, key, mend } = await failed();
  const before = shop.plugins.taken.length;
  mend();
  const next = resume(shop, key, "b");
  const first = await shop.mortal();
  await shop.replace(first);
  await shop.wait(60_000);
  assert.equal(shop.code(next), "run_succeeded");
  assert.equal(shop.plugins.taken.length, before);
});

it("with another payload it has keys of its own, and its effects are its own", async () => {
  const { shop, key, mend } = await failed();
  const before = shop.plugins.taken.length;
  mend();
  const next = resume(shop, key, "c", { payload: { other: true } });
  await shop.wait(1_000);
  assert.equal(shop.code(next), "run_succeeded");
  assert.equal(shop.plugins.taken.length, before + 1);
  const { admitted } = foldAll(shop.run(next).events);
  assert.deepEqual([admitted?.resumed, admitted?.origin], [{ run: key.run, from: "c" }, undefined]);
  assert.notEqual(shop.operation(next, "c")?.key, shop.operation(key, "c")?.key);
});

it("what observes is of its own run: a hook of the resumed one calls with keys of its own", async () => {
  const shop = new Shop();
  const calling = { source: "", calls: ["shop.refund"] };
  const uses = [{ alias: "shop", capability: "test.shop", range: "^1", bound: { version: "1.0.0", release: shop.release } }];
  const lifecycle = [{ on: "run_failure" as const, actions: [{ kind: "script" as const, script: calling }] }];
  const definition = { ...chain(step("a", { script: calling })), uses, lifecycle };
  shop.play("a", async (talk) => {
    await call(talk, "refund", { n: 1 });
    throw new Error("no");
  });
  shop.play("hook:run_failure:1", (talk) => call(talk, "refund", { n: 2 }));
  await shop.start();
  const key = shop.ask(shop.publish(definition));
  await shop.wait(1_000);
  resume(shop, key, "a");
  await shop.wait(1_000);
  const inputs = shop.plugins.taken.map(({ input }) => JSON.parse(input));
  assert.deepEqual(inputs, [{ n: 1 }, { n: 2 }, { n: 2 }]);
});

it("chance is that of the run it resumes, so that a script draws the same identifiers for what it had asked for", async () => {
  const shop = new Shop();
  const seeds = ["first", "second"];
  const chances: Json[] = [];
  const world = { ...shop.world(), seed: () => seeds.shift() ?? "more" };
  shop.talks.set("a", async (_, frame) => {
    chances.push(frame.chance as unknown as Json);
    return { outcome: "script_threw", failure: { name: "Error", message: "no", stack: "" }, cpuMs: 1, ms: 1 };
  });
  shop.world = () => world;
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(1_000);
  resume(shop, key, "a");
  await shop.wait(1_000);
  resume(shop, key, "a", { payload: { other: 1 } });
  await shop.wait(1_000);
  assert.equal(chances.length, 3);
  assert.deepEqual(chances[1], chances[0]);
  assert.notDeepEqual(chances[2], chances[0]);
});

it("what control should have refused is admitted and fails: it has not ended, is not there, or was not so far", async () => {
  const { shop, key } = await failed();
  const cases: readonly (readonly [RunKey, string])[] = [
    [resume(shop, key, "nowhere"), "WOML_RESUME_FROM_INVALID"],
    [resume(shop, key, "c", { run: uuid() }), "WOML_RUN_NOT_FOUND"],
  ];
  await shop.wait(1_000);
  for (const [next, code] of cases) {
    assert.equal(shop.code(next), code);
    assert.deepEqual(shop.log(next), ["run_admitted", "outcome_decided", "run_failed"]);
  }
});

it("a store that does not answer for a while loses no start", async () => {
  const { shop, key, mend } = await failed();
  mend();
  const memory = shop.memory.open();
  let fails = 2;
  const load: typeof memory.load = async (asked) => {
    if (fails-- > 0) throw new Error("gone");
    return memory.load(asked);
  };
  const engine = await shop.start({}, withCalls(memory, { load }));
  const next = resume(shop, key, "c");
  await shop.wait(10_000);
  assert.equal(shop.code(next), "run_succeeded");
  await engine.stop();
});
