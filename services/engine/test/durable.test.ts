import assert from "node:assert/strict";
import { it } from "node:test";
import { answered } from "./provider-double.ts";
import { call, Shop, step } from "./shop.ts";
import { ok } from "./stage.ts";

it("O1: an operation is dispatched after its start is stored, and told after its outcome is, however long the store takes", async () => {
  const shop = new Shop();
  const memory = shop.memory.open();
  const slow = {
    ...memory,
    append: async (wanted: Parameters<typeof memory.append>[0]) => {
      await shop.time.sleep(500);
      return memory.append(wanted);
    },
  };
  const seen: (string | undefined)[] = [];
  shop.plugins.act = async ({ input }) => {
    seen.push(shop.log(key).at(-1));
    return { status: "succeeded", result: input, evidence: "e" };
  };
  shop.play("a", async (talk) => {
    for (const operation of ["charge", "refund"]) {
      await call(talk, operation);
      seen.push(shop.log(key).at(-1));
    }
    return "done";
  });
  await shop.start({}, slow);
  const key = shop.ask(shop.sell("a"));
  await shop.wait(10_000);
  assert.deepEqual(seen, [
    ...["operation_started a#1.1", "operation_settled a#1.1 succeeded"],
    ...["operation_started a#1.2", "operation_settled a#1.2 succeeded"],
  ]);
  assert.equal(shop.run(key).status, "succeeded");
});

it("O2: each dispatch has a start of its own, and no other try than that", async () => {
  const shop = new Shop();
  const seen: string[] = [];
  shop.plugins.act = async (dispatch) => {
    const { events } = shop.run(key);
    const starts = events.flatMap(({ data, type }) => (type === "operation_started" && "try" in data ? data.try : []));
    seen.push(`try ${dispatch.try} of starts ${starts.join()}`);
    const result = shop.provider.land(dispatch);
    return seen.length < 3 ? { status: "ambiguous", code: "LOST", message: "no answer" } : answered(result);
  };
  shop.play("a", (talk) => call(talk, "charge"));
  await shop.start();
  const key = shop.ask(shop.sell("a"));
  await shop.wait(10_000);
  assert.deepEqual(seen, ["try 1 of starts 1", "try 2 of starts 1,2", "try 3 of starts 1,2,3"]);
  assert.deepEqual([shop.run(key).status, shop.provider.doubled], ["succeeded", []]);
});

it("a run that only waits for its retry is due then, whoever drives it", async () => {
  const shop = new Shop();
  const attempts: number[] = [];
  shop.talks.set("a", async (_, frame) => {
    const { number }: { number: number } = JSON.parse(frame.attempt);
    attempts.push(number);
    return number < 2 ? { outcome: "script_threw", failure: { name: "E", message: "no", stack: "" }, cpuMs: 1, ms: 1 } : ok(1);
  });
  const first = await shop.mortal();
  const retry = { maxAttempts: 2, backoff: { kind: "fixed", delayMs: 30_000 } } as const;
  const key = shop.ask(shop.sell(step("a", { retry })));
  await shop.wait(1_000);
  await shop.replace(first);
  await shop.wait(28_000);
  assert.deepEqual([attempts, shop.run(key).status], [[1], "waiting"]);
  await shop.wait(4_000);
  assert.deepEqual([attempts, shop.run(key).status], [[1, 2], "succeeded"]);
});
