import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition } from "@woml/model";
import { Stage, step } from "./stage.ts";

/** `paid` after an approval, and `refused` after a rejection; its result is the decision. */
function asking(more: object = {}): Definition {
  return {
    ...{ schemaVersion: 1, workflow: { id: "w" }, triggers: [{ id: "go", kind: "manual" }], result: "ask" },
    nodes: [
      { kind: "approval", id: "ask", choice: "ask:end", ...more },
      ...[step("paid"), step("refused")],
      { kind: "choice", id: "ask:end" },
    ],
    edges: [
      { from: "ask", to: "paid", arm: "approved" },
      { from: "ask", to: "refused", arm: "rejected" },
      ...["paid", "refused"].map((from) => ({ from, to: "ask:end" })),
    ],
  } as unknown as Definition;
}
const decided = (stage: Stage, key: ReturnType<Stage["ask"]>) => stage.log(key).filter((entry) => entry.startsWith("approval_"));

test("a decision out of the inbox moves a run that nobody drives, and the second one finds it decided", async () => {
  const stage = new Stage();
  await stage.start();
  const key = stage.ask(stage.publish(asking()));
  await stage.wait(60_000);
  assert.equal(stage.run(key).status, "waiting");
  stage.decide(key, "ask", "approved");
  const late = stage.decide(key, "ask", "rejected");
  await stage.wait(5_000);
  assert.deepEqual(decided(stage, key), ["approval_requested ask", "approval_resolved ask"]);
  assert.ok(stage.log(key).includes("step_started paid#1") && !stage.log(key).includes("step_started refused#1"));
  assert.equal(stage.run(key).status, "succeeded");
  assert.match(String(stage.request(late)?.answer), /^(APPROVAL_NOT_WAITING|RUN_ALREADY_TERMINAL)$/);
});

test("a decision that was stored before the time was over counts, whoever reads it when", async () => {
  const stage = new Stage();
  const engine = await stage.start();
  const key = stage.ask(stage.publish(asking({ timeoutMs: 60_000, onTimeout: "reject" })));
  await stage.wait(59_000);
  stage.memory.breakLease(engine.id);
  stage.decide(key, "ask", "approved");
  await stage.wait(10_000);
  await stage.start();
  await stage.wait(30_000);
  assert.equal(stage.run(key).status, "succeeded");
  assert.deepEqual(decided(stage, key), ["approval_requested ask", "approval_resolved ask"]);
  assert.ok(stage.log(key).includes("step_started paid#1"), stage.log(key).join(", "));
});

test("one for an approval that is not there is answered, and moves nothing", async () => {
  const stage = new Stage();
  await stage.start();
  const key = stage.ask(stage.publish(asking()));
  await stage.wait(1_000);
  const { head } = stage.run(key);
  const id = stage.decide(key, "other", "approved");
  await stage.wait(5_000);
  assert.equal(stage.request(id)?.answer, "APPROVAL_NOT_WAITING");
  assert.equal(stage.run(key).head, head);
});
