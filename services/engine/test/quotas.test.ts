import assert from "node:assert/strict";
import { it } from "node:test";
import { startEngine } from "../loop.ts";
import { chain, EPOCH, ok, Stage, TENANT } from "./stage.ts";

const MINUTE_MS = 60_000;
const LEFT_MS = MINUTE_MS - (EPOCH % MINUTE_MS);
const costly = { ...ok(1), cpuMs: 10 };

it("what has used up the CPU of a minute begins no script and no run until it is over, and then goes on", async () => {
  const stage = new Stage();
  stage.memory.setQuota(TENANT, "cpu_ms_per_minute", 15);
  stage.scripts = () => ({ after: 600, outcome: costly });
  await stage.start();
  const key = stage.ask(stage.publish(chain("a", "b", "c", "d", "e")));
  await stage.wait(5_000);
  const sent = stage.frames.length;
  assert.ok(sent >= 2 && sent <= 4, `${sent} scripts until it was counted`);
  const next = stage.ask(stage.publish(chain("x")));
  await stage.wait(LEFT_MS - 5_000 - 100);
  assert.deepEqual([stage.frames.length, stage.run(key).status, stage.memory.run(next)], [sent, "running", null]);
  await stage.wait(2_500);
  assert.ok(stage.frames.length > sent);
  await stage.wait(3 * MINUTE_MS);
  assert.deepEqual([stage.run(key).status, stage.run(next).status], ["succeeded", "succeeded"]);
});

it("what waits for the minute to end can be cancelled", async () => {
  const stage = new Stage();
  stage.memory.setQuota(TENANT, "cpu_ms_per_minute", 0);
  await stage.start();
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(3_000);
  assert.equal(stage.memory.run(key), null);
  stage.cancel(key);
  await stage.wait(1_000);
  assert.deepEqual([stage.run(key).status, stage.frames], ["cancelled", []]);
});

it("that a quota is used up is announced once an hour, and again when it could not be", async () => {
  const stage = new Stage();
  stage.memory.setQuota(TENANT, "cpu_ms_per_minute", 0);
  const told: string[] = [];
  let isBroken = true;
  const announce = async (tenant: string, { name, key, payload }: { name: string; key: string; payload: unknown }): Promise<void> => {
    told.push(`${tenant} ${name} ${key} ${JSON.stringify(payload)}`);
    const was = isBroken;
    isBroken = false;
    if (was) throw new Error("no database");
  };
  await startEngine({ ...stage.world(), triggers: { announce, due: async () => ({ now: 0, next: null, due: [] }) } as never });
  await stage.wait(30_000);
  const resetsAt = new Date(EPOCH + LEFT_MS).toISOString();
  const one = `${TENANT} woml.quota-reached cpu-ms-per-minute ${Math.floor(EPOCH / 3_600_000)} ${JSON.stringify({ quota: "cpu-ms-per-minute", limit: 0, resetsAt })}`;
  assert.deepEqual(told.slice(0, 2), [one, one]);
  assert.ok(told.length <= 3, "a minute later it is kept in mind");
});
