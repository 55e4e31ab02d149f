import assert from "node:assert/strict";
import { it } from "node:test";
import type { ScriptOutcome } from "@woml/sandbox";
import { chain, ok, Stage, step, threw } from "./stage.ts";

const one = { window: 1, tenantWindow: 1 };
const lost: ScriptOutcome = { outcome: "worker_crashed", cpuMs: 0, ms: 1 };

it("PC-40: a step that waits for its next attempt holds no place", async () => {
  const stage = new Stage();
  await stage.start(one);
  const retry = { maxAttempts: 3, backoff: { kind: "fixed" as const, delayMs: 3_600_000 } };
  const patient = stage.publish(chain(step("patient", { retry })));
  const quick = stage.publish(chain("quick"));
  stage.scripts = (node) => (node === "patient" ? threw : ok(node));
  const waiting = Array.from({ length: 5 }, () => stage.ask(patient));
  await stage.wait(500);
  assert.deepEqual([...new Set(waiting.map((key) => stage.run(key).waitingFor?.cause))], ["backoff"]);
  const key = stage.ask(quick);
  await stage.wait(100);
  assert.equal(stage.run(key).status, "succeeded");
});

it("PC-38: the places of what was lost with its worker, its host or its engine are free again, every one of them", async () => {
  for (const outcome of ["worker_crashed", "host_unavailable"] as const) {
    const stage = new Stage();
    await stage.start({ window: 2, tenantWindow: 2 });
    const version = stage.publish(chain("a"));
    let left = 12;
    stage.scripts = () => (left-- > 0 ? { after: 20, outcome: { ...lost, outcome } } : ok(1));
    const keys = Array.from({ length: 6 }, () => stage.ask(version));
    await stage.wait(120_000);
    assert.deepEqual([...new Set(keys.map((key) => stage.run(key).status))], ["succeeded"], outcome);
    const next = Array.from({ length: 6 }, () => stage.ask(version));
    await stage.wait(1_000);
    assert.deepEqual([...new Set(next.map((key) => stage.run(key).status))], ["succeeded"], `${outcome}: nothing drained away`);
  }
  const stage = new Stage();
  const version = stage.publish(chain("a"));
  stage.scripts = () => ({ after: 10_000_000, outcome: ok(1) });
  const first = await stage.start(one);
  const held = stage.ask(version);
  await stage.wait(100);
  stage.memory.breakLease(first.id);
  await stage.settle();
  stage.scripts = () => ok(1);
  await stage.start(one);
  const key = stage.ask(version);
  await stage.wait(30_000);
  assert.deepEqual([stage.run(held).status, stage.run(key).status], ["succeeded", "succeeded"]);
});
