import assert from "node:assert/strict";
import { it } from "node:test";
import type { Definition, Hook, Notice, Script } from "@woml/model";
import type { RunKey } from "@woml/run";
import { call, Shop } from "./shop.ts";
import { chain, ok, threw } from "./stage.ts";

const calling: Script = { source: "", calls: ["shop.charge", "shop.refund"] };
const act = (script: Script = calling): Hook["actions"][number] => ({ kind: "script", script });

/** A run of one step that is observed by these. */
function observed(shop: Shop, ...lifecycle: Hook[]): RunKey {
  const uses = [{ alias: "shop", capability: "test.shop", range: "^1", bound: { version: "1.0.0", release: shop.release } }];
  const definition: Definition = { ...chain("a"), uses, lifecycle };
  return shop.ask(shop.publish(definition));
}
const told = (shop: Shop, key: RunKey): readonly string[] => shop.log(key).filter((line) => /^(hook|action|run)_/.test(line));

it("an action that was lost with its engine is replayed: what it called happens once, and what it holds back begins after it", async () => {
  const shop = new Shop();
  shop.answerMs = 5_000;
  shop.play("hook:run_start:1", (talk) => call(talk, "charge"));
  const first = await shop.mortal();
  const key = observed(shop, { on: "run_start", actions: [act()] });
  await shop.wait(1_000);
  assert.deepEqual(shop.frames, ["hook:run_start:1#1"]);
  await shop.replace(first);
  await shop.wait(30_000);
  assert.equal(shop.run(key).status, "succeeded");
  assert.deepEqual(shop.provider.doubled, []);
  assert.deepEqual(shop.frames, ["hook:run_start:1#1", "hook:run_start:1#1", "a#1"]);
  assert.ok(shop.log(key).includes("attempt_resumed @run_start/1#1 engine"));
});

it("behind the outcome too: an engine that takes the run over ends it, and its status is what was decided", async () => {
  const shop = new Shop();
  shop.scripts = (node) => (node.startsWith("hook:") ? { after: 20_000, outcome: ok(null) } : ok(1));
  const first = await shop.mortal();
  const key = observed(shop, { on: "run_success", actions: [act()] }, { on: "run_complete", actions: [act()] });
  await shop.wait(1_000);
  assert.equal(shop.log(key).at(-1), "action_started @run_success/1#1");
  await shop.replace(first);
  await shop.wait(60_000);
  assert.deepEqual(told(shop, key).slice(-6), [
    ...["action_settled @run_success/1#1", "hook_settled", "action_started @run_complete/1#1"],
    ...["action_settled @run_complete/1#1", "hook_settled", "run_succeeded"],
  ]);
  assert.equal(shop.run(key).status, "succeeded");
});

it("nobody is asked what an action did: it is told that nobody knows, and the run ends", async () => {
  const shop = new Shop();
  shop.plugins.act = async () => ({ status: "ambiguous", code: "LOST", message: "no answer" });
  shop.play("hook:step_success:1", (talk) => call(talk, "refund", {}));
  await shop.start();
  const key = observed(shop, { on: "step_success", actions: [act()] });
  await shop.wait(10_000);
  assert.equal(shop.run(key).status, "succeeded");
  assert.ok(shop.log(key).includes("operation_settled @step_success/a/1#1.1 unknown"));
  const { events } = shop.run(key);
  const settled = events.find(({ type }) => type === "action_settled");
  assert.deepEqual(settled?.type === "action_settled" && settled.data.status, "failed");
});

it("a cancel waits for what an action has begun, tells that the run was cancelled, and then it is", async () => {
  const shop = new Shop();
  shop.answerMs = 5_000;
  shop.play("hook:run_start:1", (talk) => call(talk, "charge"));
  await shop.start();
  const key = observed(shop, { on: "run_start", actions: [act(), act()] }, { on: "run_cancel", actions: [act()] });
  await shop.wait(1_000);
  shop.cancel(key);
  await shop.wait(20_000);
  assert.deepEqual(shop.frames, ["hook:run_start:1#1", "hook:run_cancel:1#1"]);
  assert.equal(shop.run(key).status, "cancelled");
  assert.equal(shop.provider.doubled.length, 0);
});

it("a notice is tried again when it is due, whoever drives the run then", async () => {
  const shop = new Shop();
  const pager: Notice = {
    ...{ provider: "custom", script: calling, reusable: { props: [] } },
    message: [{ kind: "text", text: "x" }],
  };
  let tries = 0;
  shop.scripts = (node) => {
    if (!node.includes("notify")) return ok(1);
    tries += 1;
    return tries < 3 ? threw : ok({ messageId: "m" });
  };
  const first = await shop.mortal();
  const key = observed(shop, { on: "run_complete", actions: [{ kind: "notify", notices: [pager] }] });
  await shop.wait(3_000);
  assert.equal(tries, 2);
  await shop.replace(first);
  await shop.wait(1_000);
  assert.deepEqual([tries, shop.run(key).status], [2, "waiting"]);
  await shop.wait(10_000);
  assert.deepEqual([tries, shop.run(key).status], [3, "succeeded"]);
});
