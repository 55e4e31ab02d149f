import assert from "node:assert/strict";
import { it } from "node:test";
import { group } from "./play.ts";
import { call, Shop, step } from "./shop.ts";

import { chain, TENANT, threw } from "./stage.ts";

const CLASSES = [
  ["quote", "pure"],
  ["charge", "keyed"],
  ["transfer", "reattachable"],
  ["refund", "unsafe"],
] as const;

it("performs an operation of each class once: started before it is sent, settled before the script is told", async () => {
  for (const [operation, kind] of CLASSES) {
    const shop = new Shop();
    let told = -1;
    let sent = -1;
    shop.plugins.act = async (dispatch) => {
      sent = shop.run(key).head;
      return { status: "succeeded", result: JSON.stringify({ was: dispatch.input }), evidence: "e" };
    };
    shop.play("a", async (talk) => {
      const result = await call(talk, operation, { n: 7 });
      told = shop.run(key).head;
      return result;
    });
    await shop.start();
    const key = shop.ask(shop.sell("a"));
    await shop.wait(1_000);
    assert.deepEqual(shop.log(key).slice(2, -2), [
      ...["step_started a#1", "operation_started a#1.1", "operation_settled a#1.1 succeeded", "step_succeeded a#1"],
    ]);
    assert.deepEqual([sent, told], [4, 5], operation);
    const [dispatch] = shop.plugins.taken;
    const { owner, epoch } = shop.run(key);
    assert.deepEqual(
      [dispatch?.effect, dispatch?.try, dispatch?.engine, dispatch?.epoch, dispatch?.tenant],
      [kind, 1, owner, epoch, TENANT],
    );
    assert.match(dispatch?.key ?? "", /^[0-9a-f]{64}$/);
    assert.ok((dispatch?.notAfter ?? 0) > (dispatch?.now ?? 0) && (dispatch?.notAfter ?? 0) <= (dispatch?.now ?? 0) + 15_000);
  }
});

it("a result that cannot be kept: of what only reads a failure, asked for once; of anything else an unknown outcome", async () => {
  for (const [operation, kind] of CLASSES) {
    if (kind === "reattachable") continue;
    const shop = new Shop();
    shop.plugins.act = async () => ({ status: "succeeded", result: '{"data":"a\\u0000"}', evidence: "e" });
    shop.play("a", (talk) => call(talk, operation, { n: 7 }));
    await shop.start();
    const key = shop.ask(shop.sell("a"));
    await shop.wait(5_000);
    const [settled] = shop.log(key).filter((line) => line.startsWith("operation_settled"));
    const unknown = "operation_settled a#1.1 unknown";
    assert.equal(settled, kind === "pure" ? "operation_settled a#1.1 failed" : unknown, kind);
    if (kind === "pure") assert.equal(shop.plugins.taken.length, 1);
    if (kind === "pure") assert.equal(shop.code(key), "WOML_PLUGIN_RESULT_INVALID");
  }
});

it("many calls at once, each answered with its own result, in appends of many", async () => {
  const shop = new Shop();
  shop.play("a", async (talk) => Promise.all(Array.from({ length: 20 }, (_, n) => call(talk, "charge", { n }))));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(1_000);
  const output = shop.run(key).events.find(({ type }) => type === "run_succeeded");
  assert.ok(output?.type === "run_succeeded");
  assert.deepEqual(
    output.data.result,
    Array.from({ length: 20 }, (_, n) => ({ done: { n }, time: 1 })),
  );
  assert.deepEqual(shop.provider.doubled, []);
});

it("L8: what the script came to waits until what it left open has settled", async () => {
  const shop = new Shop();
  shop.answerMs = 3_000;
  shop.play("a", async (talk) => {
    void call(talk, "refund");
    return "did not wait";
  });
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(2_900);
  assert.deepEqual(shop.log(key).slice(2), ["step_started a#1", "operation_started a#1.1"]);
  await shop.wait(200);
  assert.deepEqual(shop.log(key).slice(4), ["operation_settled a#1.1 succeeded", "step_succeeded a#1", "outcome_decided", "run_succeeded"]);
});

it("parks a script that only waits, and runs it again against its journal when it is answered", async () => {
  const shop = new Shop();
  shop.answerMs = 8_000;
  shop.play("a", async (talk) => [await call(talk, "charge", { n: 1 }), await call(talk, "charge", { n: 2 })]);
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(6_000);
  assert.deepEqual([shop.sandbox.running, shop.log(key).at(-1)], [0, "attempt_parked a#1"]);
  await shop.wait(30_000);
  assert.deepEqual(shop.log(key).slice(2, -2), [
    ...["step_started a#1", "operation_started a#1.1", "attempt_parked a#1", "operation_settled a#1.1 succeeded", "attempt_resumed a#1"],
    ...["operation_started a#1.2", "attempt_parked a#1", "operation_settled a#1.2 succeeded", "attempt_resumed a#1", "step_succeeded a#1"],
  ]);
  assert.deepEqual([shop.plugins.taken.length, shop.provider.doubled], [2, []]);
});

it("tells a script of a known failure, which fails the step with the plugin's code and is retried only if that may help", async () => {
  for (const retryable of [true, false]) {
    const shop = new Shop();
    shop.plugins.act = async () => ({ status: "failed", code: "DECLINED", message: "no", retryable, evidence: "e" });
    shop.play("a", (talk) => call(talk, "charge"));
    await shop.start();
    const retry = { maxAttempts: 2, backoff: { kind: "fixed" as const, delayMs: 100 } };
    const key = shop.ask(shop.sell(step("a", { retry })));
    await shop.wait(3_000);
    assert.equal(shop.plugins.taken.length, retryable ? 2 : 1);
    assert.equal(shop.code(key), retryable ? "WOML_STEP_RETRIES_EXHAUSTED" : "DECLINED");
  }
});

it("O2: waits for a host that takes nothing, with the same try, and gives up with a known failure when its time is over", async () => {
  for (const reason of ["overloaded", "unavailable", "late"] as const) {
    const shop = new Shop();
    shop.plugins.refuses = reason;
    shop.play("a", (talk) => call(talk, "refund"));
    await shop.start();
    const [first, second] = [shop.ask(shop.sell("a")), shop.ask(shop.sell("a"))];
    await shop.wait(9_000);
    assert.deepEqual(shop.log(first).slice(3, 4), ["operation_started a#1.1"]);
    assert.equal(
      shop.log(first).some((line) => line.startsWith("operation_settled")),
      false,
    );
    await shop.wait(3_000);
    assert.deepEqual([shop.code(first), shop.code(second)], ["WOML_OPERATION_UNAVAILABLE", "WOML_OPERATION_UNAVAILABLE"]);
    shop.plugins.refuses = null;
    const third = shop.ask(shop.sell("a"));
    await shop.wait(1_000);
    assert.equal(shop.run(third).status, "succeeded");
    assert.deepEqual([shop.plugins.taken.length, shop.plugins.taken[0]?.try], [1, 1]);
  }
});

it("O2: a start whose append was answered by nobody is dispatched once all the same", async () => {
  const shop = new Shop();
  const memory = shop.memory.open();
  let losses = 0;
  const lossy = {
    ...memory,
    append: async (wanted: Parameters<typeof memory.append>[0]) => {
      const moved = await memory.append(wanted);
      const isStart = wanted.events.some(({ type }) => type === "operation_started" || type === "operation_settled");
      return isStart && losses++ < 4 ? null : moved;
    },
  };
  shop.play("a", (talk) => call(talk, "refund"));
  await shop.start({}, lossy);
  const key = shop.ask(shop.sell("a"));
  await shop.wait(5_000);
  assert.deepEqual([shop.run(key).status, shop.plugins.taken.length, losses > 1], ["succeeded", 1, true]);
  assert.deepEqual(shop.log(key).slice(2, -2), [
    ...["step_started a#1", "operation_started a#1.1", "operation_settled a#1.1 succeeded", "step_succeeded a#1"],
  ]);
});

it("O3: joins what the host still runs when its engine is gone, of every class", async () => {
  for (const [operation] of CLASSES) {
    const shop = new Shop();
    shop.answerMs = 5_000;
    shop.play("a", (talk) => call(talk, operation));
    const first = await shop.mortal();
    const key = shop.ask(shop.sell("a"));
    await shop.wait(1_000);
    await shop.replace(first);
    await shop.wait(10_000);
    assert.deepEqual([shop.run(key).status, shop.plugins.taken.length, shop.provider.doubled], ["succeeded", 1, []], operation);
    assert.deepEqual(shop.log(key).slice(3, -3), [
      ...["operation_started a#1.1", "attempt_resumed a#1 engine", "operation_settled a#1.1 succeeded"],
    ]);
  }
});

it("O3: what no host knows is lost only when the lease of the engine that may have sent it is over", async () => {
  const shop = new Shop();
  shop.answerMs = 60_000;
  shop.play("a", (talk) => call(talk, "charge"));
  const first = await shop.mortal();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(1_000);
  shop.answerMs = 1;
  await shop.replace(first, () => shop.plugins.restart());
  await shop.wait(13_000);
  assert.equal(shop.plugins.taken.length, 1, "the old lease still runs");
  await shop.wait(3_000);
  assert.deepEqual([shop.run(key).status, shop.plugins.taken.map(({ try: one }) => one), shop.provider.doubled], ["succeeded", [1, 2], []]);
});

it("O3: of an unsafe one that no host knows nothing can be said: a person is asked, and says it", async () => {
  const shop = new Shop();
  shop.answerMs = 60_000;
  shop.play("a", async (talk) => ({ paid: await call(talk, "refund") }));
  const first = await shop.mortal();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(1_000);
  await shop.replace(first, () => shop.plugins.restart());
  await shop.wait(20_000);
  assert.equal(shop.run(key).status, "needs_resolution");
  assert.equal(shop.operation(key, "a")?.status, "unknown");
  const said = { node: "a", attempt: 1, call: 1, verdict: { status: "succeeded", result: { by: "hand" } } } as const;
  const stale = shop.resolve(key, { ...said, expectedHead: 1 });
  await shop.wait(100);
  assert.equal(shop.request(stale)?.answer, "RESOLUTION_STALE");
  shop.resolve(key, { ...said, expectedHead: shop.operation(key, "a")?.head ?? 0 });
  await shop.wait(1_000);
  const last = shop.run(key).events.at(-1);
  assert.ok(last?.type === "run_succeeded");
  assert.deepEqual([last.data.result, shop.plugins.taken.length], [{ paid: { by: "hand" } }, 1]);
});

it("asks the provider about a reattachable one whose answer was lost, from time to time while it is pending, and lets go of the run", async () => {
  const shop = new Shop();
  const finds = ["pending", "pending", "succeeded"] as const;
  let asked = 0;
  shop.plugins.act = async (dispatch) => {
    shop.provider.land(dispatch);
    return { status: "ambiguous", code: "LOST", message: "no answer" };
  };
  shop.plugins.find = async (dispatch) => {
    const found = finds[asked++];
    return found === "pending" ? { status: "pending", askAgainMs: 10_000 } : shop.provider.find(dispatch);
  };
  shop.play("a", (talk) => call(talk, "transfer"));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(9_000);
  assert.deepEqual([asked, shop.run(key).status, shop.sandbox.running], [1, "waiting", 0]);
  await shop.wait(15_000);
  assert.deepEqual([asked, shop.run(key).status, shop.plugins.taken.length, shop.provider.doubled], [3, "succeeded", 1, []]);
});

it("a cancel tells the plugin, waits for what it says, and begins nothing any more", async () => {
  const shop = new Shop();
  shop.answerMs = 3_000;
  shop.play("a", async (talk) => [await call(talk, "charge"), await call(talk, "refund")]);
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(1_000);
  shop.cancel(key);
  await shop.wait(100);
  assert.deepEqual([shop.run(key).status, shop.plugins.cancelled.length, shop.sandbox.running], ["cancelling", 1, 0]);
  await shop.wait(3_000);
  assert.deepEqual([shop.run(key).status, shop.plugins.taken.length], ["cancelled", 1]);
  assert.ok(shop.log(key).includes("operation_settled a#1.1 succeeded"));
});

it("so does the failure of a group: of what its other steps have begun the plugin is told, and nothing is begun for them any more", async () => {
  const shop = new Shop();
  shop.answerMs = 3_000;
  shop.play("a", async (talk) => [await call(talk, "charge"), await call(talk, "refund")]);
  shop.scripts = () => ({ after: 1_000, outcome: threw });
  await shop.start();
  const edges = ["a", "b"].flatMap((id) => [
    { from: "g:open", to: id },
    { from: id, to: "g" },
  ]);
  const nodes = [...group("g"), step("a"), step("b"), step("z")];
  const key = shop.ask(shop.sellAll({ ...chain("z"), nodes, edges: [...edges, { from: "g", to: "z" }] }));
  await shop.wait(2_000);
  assert.deepEqual([shop.plugins.cancelled.length, shop.sandbox.running], [1, 0]);
  await shop.wait(3_000);
  assert.deepEqual([shop.run(key).status, shop.plugins.taken.length], ["failed", 1]);
  assert.ok(shop.log(key).includes("operation_settled a#1.1 succeeded"));
});
