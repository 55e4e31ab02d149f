import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@woml/model";
import type { Invocation, Sandbox, ScriptCall } from "@woml/sandbox";
import { call, Shop, step } from "./shop.ts";
import type { Talk } from "./talk-double.ts";

const retry = { maxAttempts: 2, backoff: { kind: "fixed" as const, delayMs: 100 } };

it("V3, V4: a replay gives what was told in the recorded order, though the answers came in another, and goes on from there", async () => {
  const shop = new Shop();
  const inputs: string[] = [];
  shop.plugins.act = async (dispatch) => {
    inputs.push(dispatch.input);
    const { n }: { n: number } = JSON.parse(dispatch.input);
    await shop.time.sleep(n);
    return { status: "succeeded", result: dispatch.input, evidence: "e" };
  };
  // What it calls next hangs on the order in which it was told.
  shop.play("a", async (talk) => {
    const order: Json[] = [];
    const one = async (n: number): Promise<void> => void order.push(await call(talk, "refund", { n }));
    await Promise.all([one(30), one(10), talk.timer(20).then(() => void order.push("timer"))]);
    await call(talk, "charge", { n: order.length });
    await one(20_000);
    return order;
  });
  const first = await shop.mortal();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(3_000);
  const before = shop.log(key);
  await shop.replace(first);
  await shop.wait(40_000);
  const last = shop.run(key).events.at(-1);
  assert.ok(last?.type === "run_succeeded");
  assert.deepEqual(last.data.result, [{ n: 10 }, "timer", { n: 30 }, { n: 20_000 }]);
  assert.deepEqual(inputs, ['{"n":30}', '{"n":10}', '{"n":3}', '{"n":20000}']);
  assert.equal(before.filter((line) => line.startsWith("operation_started")).length, 4);
  assert.deepEqual(shop.operation(key, "a", 1, 3)?.seen, [{ answer: 2 }, { timer: 1 }, { answer: 1 }]);
});

const departures: readonly (readonly [string, (talk: Talk) => Promise<Json>])[] = [
  ["calls something else", (talk) => call(talk, "charge", { n: 1 })],
  ["calls with another input", (talk) => call(talk, "refund", { n: 2 })],
  ["gives the call another name", (talk) => call(talk, "refund", { n: 1 }, "other")],
  ["calls at another point", (talk) => talk.timer(1).then(() => call(talk, "refund", { n: 1 }))],
  ["ends without the call", async () => "nothing"],
];
for (const [what, second] of departures)
  it(`V3: a replay that ${what} has diverged: nothing is sent, and a person says how the attempt ended`, async () => {
    const shop = new Shop();
    shop.answerMs = 8_000;
    let executions = 0;
    shop.play("a", async (talk) => {
      executions += 1;
      return executions === 1 ? call(talk, "refund", { n: 1 }) : second(talk);
    });
    const first = await shop.mortal();
    const key = shop.ask(shop.sell("a"));
    await shop.wait(1_000);
    await shop.replace(first);
    await shop.wait(60_000);
    assert.deepEqual([shop.run(key).status, shop.plugins.taken.length, executions], ["needs_resolution", 1, 2]);
    const diverged = shop.run(key).events.find(({ type }) => type === "attempt_diverged");
    assert.ok(diverged?.type === "attempt_diverged" && diverged.data.detail.length > 10);
    assert.ok(shop.log(key).includes("operation_settled a#1.1 succeeded"), "what it had begun still settles");
    shop.resolve(key, { node: "a", attempt: 1, call: null, expectedHead: shop.run(key).head, verdict: { status: "succeeded", result: 5 } });
    await shop.wait(1_000);
    assert.equal(shop.run(key).status, "succeeded");
  });

it("a retry is answered from the log for what an earlier attempt achieved, and performs what is pure again", async () => {
  const shop = new Shop();
  let executions = 0;
  shop.play("a", async (talk) => {
    const results = [await call(talk, "refund"), await call(talk, "quote"), await call(talk, "charge", { n: 2 }, "main")];
    if (executions++ === 0) throw new Error("after all that");
    return results;
  });
  await shop.start();
  const key = shop.ask(shop.sell(step("a", { retry })));
  await shop.wait(3_000);
  assert.equal(shop.run(key).status, "succeeded");
  assert.deepEqual(
    shop.plugins.taken.map(({ operation }) => operation),
    ["refund", "quote", "charge", "quote"],
  );
  assert.deepEqual([shop.operation(key, "a", 2, 1)?.reused, shop.operation(key, "a", 2, 3)?.reused, shop.provider.doubled], [1, 1, []]);
});

it("a retry that asks for something else under the same name can only fail, and is not retried", async () => {
  const shop = new Shop();
  let executions = 0;
  shop.play("a", async (talk) => {
    executions += 1;
    await call(talk, "charge", { n: executions }, "main");
    throw new Error("again");
  });
  await shop.start();
  const key = shop.ask(shop.sell(step("a", { retry: { ...retry, maxAttempts: 5 } })));
  await shop.wait(3_000);
  assert.deepEqual([shop.code(key), executions, shop.plugins.taken.length], ["WOML_OPERATION_CONFLICT", 2, 1]);
});

it("onAmbiguous: fail tells the script, which may go on; an attempt that throws on it is not retried", async () => {
  for (const goesOn of [true, false]) {
    const shop = new Shop();
    shop.plugins.act = async () => ({ status: "ambiguous", code: "LOST", message: "no answer" });
    let told: unknown;
    shop.play("a", async (talk) => {
      told = await talk.call("shop.refund", { n: 1 });
      if (!goesOn) throw new Error("wrapped");
      return "went on";
    });
    await shop.start();
    const version = shop.sell(step("a", { retry }));
    const key = shop.ask(version);
    await shop.wait(3_000);
    assert.equal(shop.run(key).status, "needs_resolution");
    const failing = shop.ask(version, {}, "fail");
    await shop.wait(3_000);
    assert.deepEqual(told, { ok: false, code: "LOST", message: "no answer", retryable: false, ambiguous: true });
    assert.deepEqual([shop.run(failing).status, shop.plugins.taken.length], [goesOn ? "succeeded" : "failed", 2]);
  }
});

it("a run that waits for a person can be cancelled, and what it left unknown blocks nothing", async () => {
  const shop = new Shop();
  shop.plugins.act = async () => ({ status: "ambiguous", code: "LOST", message: "no answer" });
  shop.play("a", (talk) => call(talk, "refund"));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(3_000);
  assert.equal(shop.run(key).status, "needs_resolution");
  shop.cancel(key);
  await shop.wait(100);
  assert.equal(shop.run(key).status, "cancelled");
});

it("a script that has ended waits parked while its provider is only asked from time to time", async () => {
  const shop = new Shop();
  let asked = 0;
  shop.plugins.act = async () => ({ status: "ambiguous", code: "LOST", message: "no answer" });
  shop.plugins.find = async () => {
    asked += 1;
    return asked < 3 ? { status: "pending", askAgainMs: 20_000 } : { status: "succeeded", result: "1" };
  };
  shop.play("a", async (talk) => {
    void call(talk, "transfer");
    return "ended at once";
  });
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(10_000);
  assert.deepEqual([shop.run(key).status, shop.log(key).at(-1)], ["waiting", "attempt_parked a#1"]);
  await shop.wait(60_000);
  assert.deepEqual([shop.run(key).status, shop.frames.length, asked], ["succeeded", 2, 3]);
});

const lies: readonly (readonly [string, Partial<ScriptCall>])[] = [
  ["a call out of turn", { call: 2 }],
  ["a call of what was not offered", { operation: "shop.\u0000" }],
  ["an answer that nobody gave", { seen: [{ answer: 1 }] }],
  ["a timer twice", { seen: [{ timer: 1 }, { timer: 1 }] }],
];
for (const [what, lie] of lies)
  it(`V1, V2: a worker that says ${what} ends the attempt, and nothing of it is sent`, async () => {
    const shop = new Shop();
    shop.play("a", (talk) => call(talk, "charge"));
    const { invoke } = shop.sandbox;
    const lying: Sandbox["invoke"] = (frame, listener) => invoke(frame, { call: (said) => listener?.call?.({ ...said, ...lie }) });
    Object.assign(shop.sandbox, { invoke: lying });
    await shop.start();
    const key = shop.ask(shop.sell("a"));
    await shop.wait(1_000);
    assert.deepEqual([shop.code(key), shop.plugins.taken.length, shop.sandbox.running], ["WOML_SCRIPT_PROTOCOL_VIOLATION", 0, 0]);
  });

it("V1: at most 32 calls are open, whatever a worker says", async () => {
  const shop = new Shop();
  shop.answerMs = 1_000;
  shop.play("a", (talk) => Promise.all(Array.from({ length: 33 }, (_, n) => call(talk, "charge", { n }))));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(5_000);
  assert.deepEqual([shop.code(key), shop.provider.doubled], ["WOML_SCRIPT_PROTOCOL_VIOLATION", []]);
  assert.ok(shop.plugins.taken.length <= 32);
});

it("V1: an attempt has at most 1,000 calls, whatever a sandbox says", async () => {
  const shop = new Shop();
  shop.play("a", async (talk) => {
    for (let n = 0; n < 1_001; n++) await call(talk, "quote", { n });
    return null;
  });
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(60_000);
  assert.deepEqual([shop.code(key), shop.plugins.taken.length], ["WOML_SCRIPT_PROTOCOL_VIOLATION", 1_000]);
});

it("chance, time and handles are the same in every replay, and of the right attempt", async () => {
  const shop = new Shop();
  shop.answerMs = 7_000;
  const seen: (Pick<Invocation, "chance" | "startedAt"> & { attempt: number; secrets: Invocation["secrets"] })[] = [];
  shop.talks.set("a", async (talk, frame) => {
    const { number }: { number: number } = JSON.parse(frame.attempt);
    seen.push({ attempt: number, chance: frame.chance, secrets: frame.secrets, startedAt: frame.startedAt });
    await talk.call("shop.charge", { n: number });
    return { outcome: "script_threw", failure: { name: "E", message: "no", stack: "" }, cpuMs: 1, ms: 1 };
  });
  await shop.start();
  const withSecret = step("a", { retry, script: { source: "", secrets: ["API_KEY"] } });
  const key = shop.ask(shop.sell(withSecret));
  await shop.wait(60_000);
  assert.deepEqual(
    seen.map(({ attempt }) => attempt),
    [1, 1, 2],
  );
  const [live, replayed, second] = seen;
  assert.deepEqual(live, replayed);
  const starts = shop
    .run(key)
    .events.filter(({ type }) => type === "step_started")
    .map(({ at }) => at);
  assert.deepEqual([live?.startedAt, second?.startedAt], starts);
  assert.ok(live && second);
  const { math, crypto } = live.chance;
  const other = second.chance;
  assert.deepEqual([math === other.math, crypto === other.crypto, math.length, crypto.length], [false, true, 64, 64]);
  assert.match(JSON.stringify(live?.secrets), /^\{"API_KEY":"woml_secret\.[0-9a-f]{32}\.n\.API_KEY\."\}$/);
  assert.notDeepEqual(live?.secrets, second?.secrets);
});
