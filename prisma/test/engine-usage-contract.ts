import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { NewEvent, RunKey } from "@woml/run";
import { newKey, startBody, wanted } from "./opened.ts";
import { type Case, type Scene, successor } from "./scene.ts";

const MINUTE_MS = 60_000;
/** Of a minute so much is left that no test runs out of it. */
const ENOUGH_MS = 5_000;
const called = { capability: "c", operation: "o", release: "r", input: {} };
const operation = (call: number): NewEvent =>
  ({ type: "operation_started", data: { node: "a", attempt: 1, call, called, reused: null } }) as unknown as NewEvent;

/** PostgreSQL's time, early enough in its minute. */
async function early({ at, lease }: Scene): Promise<number> {
  const left = MINUTE_MS - (at % MINUTE_MS);
  if (left > ENOUGH_MS) return at;
  await sleep(left);
  return (await lease.renew()) ?? at;
}
const offered = async ({ store, engine }: Scene) => (await store.inbox(engine, 99, true)).map(({ run, body }) => `${run} ${body.kind}`);

export function usage(play: Case): void {
  play("what scripts take of a minute is counted, and who has used it up is offered no start until it is over", async (scene) => {
    const { opened, store, engine } = scene;
    const at = await early(scene);
    const [a, other] = [newKey(), newKey()];
    const [b, c]: RunKey[] = [newKey(), newKey()].map(({ run }) => ({ tenant: a.tenant, run })) as [RunKey, RunKey];
    await opened.setQuota(a.tenant, "cpu_ms_per_minute", 4);
    for (const key of [b, c, other]) await opened.ask({ ...(key as RunKey), id: randomUUID(), body: startBody() });
    await store.append(wanted(a, engine, { at }));
    assert.deepEqual([await store.meter(), (await offered(scene)).length], [[], 3], "2 ms of 4");
    await store.append(wanted(a, engine, { at, expected: 2 }));
    const resetsAt = at - (at % MINUTE_MS) + MINUTE_MS;
    const spent = [{ tenant: a.tenant, quota: "cpu_ms_per_minute", limit: 4, resetsAt }];
    assert.deepEqual([await store.meter(), await store.meter()], [spent, spent]);
    assert.deepEqual(await offered(scene), [`${other.run} start`]);
    await opened.ask({ ...(c as RunKey), id: randomUUID(), body: { kind: "cancel" } });
    const led = [`${c?.run} start`, `${c?.run} cancel`, `${other.run} start`].toSorted();
    assert.deepEqual((await offered(scene)).toSorted(), led, "what ends at once waits for nothing");
    await opened.elapse(MINUTE_MS);
    assert.deepEqual([await store.meter(), (await offered(scene)).length], [[], 4]);
  });
  play("operations that begin are counted, by every engine its own, and where nobody limits them nobody is stopped", async (scene) => {
    const { opened, store, engine } = scene;
    const at = await early(scene);
    const next = await successor(scene);
    const [a, free] = [newKey(), newKey()];
    const b = { tenant: a.tenant, run: newKey().run };
    await opened.setQuota(a.tenant, "operations_per_minute", 3);
    await store.append(wanted(a, engine, { at, events: [operation(1), operation(2)] }));
    await store.append(wanted(free, engine, { at, events: [operation(1), operation(2), operation(3), operation(4)] }));
    assert.deepEqual(await store.meter(), []);
    await next.store.append(wanted(b, next.engine, { at, events: [operation(1)] }));
    assert.deepEqual(
      (await next.store.meter()).map(({ tenant, quota }) => [tenant, quota]),
      [[a.tenant, "operations_per_minute"]],
    );
    assert.equal((await store.meter()).length, 1, "of the other it hears what that has counted");
    await opened.setQuota(a.tenant, "operations_per_minute", null);
    assert.deepEqual(await store.meter(), []);
  });
  play("what was not written is not counted", async (scene) => {
    const { opened, store, engine } = scene;
    const at = await early(scene);
    const a = newKey();
    await opened.setQuota(a.tenant, "cpu_ms_per_minute", 3);
    await store.append(wanted(a, engine, { at }));
    assert.equal(await store.append(wanted(a, engine, { at, expected: 1 })), null);
    assert.deepEqual(await store.meter(), []);
  });
}
