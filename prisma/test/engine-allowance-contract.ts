// What every store of the engine's does with starts that a quota keeps back, and with what is written down of a signal.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { asRunId, type RunKey } from "@woml/run";
import type { ChildStart } from "../engine-store.ts";
import { AppendOutdated } from "../error.ts";
import type { NewDelivery } from "../trigger.ts";
import { newKey, startBody, wanted } from "./opened.ts";
import type { Case, Scene } from "./scene.ts";

const starts = (count: number): readonly ChildStart[] =>
  Array.from({ length: count }, () => {
    const run = asRunId(randomUUID());
    return { run, scope: "call:w", key: run, digest: "d", body: startBody() } as ChildStart;
  });
async function admitted({ store, engine }: Scene): Promise<RunKey> {
  const key = newKey();
  await store.append(wanted(key, engine));
  return key;
}

export function allowances(play: Case): void {
  play("an append that starts more than its tenant may is outdated, and nothing of it is written; others go on", async (scene) => {
    const { store, engine, opened } = scene;
    const [run, other] = [await admitted(scene), await admitted(scene)];
    await opened.setQuota(run.tenant, "starts_per_second", 1);
    const few = starts(1);
    const deliveries: readonly NewDelivery[] = [{ id: randomUUID(), workflow: "w", trigger: "t", kind: "signal", outcome: "accepted" }];
    await assert.rejects(store.append(wanted(run, engine, { expected: 2, own: { starts: starts(2), deliveries } })), AppendOutdated);
    assert.deepEqual([(await opened.row(run))?.head, await opened.delivered(run.tenant)], [2, []]);
    assert.equal((await store.append(wanted(other, engine, { expected: 2, own: { starts: starts(2) } })))?.head, 4);
    assert.equal((await store.append(wanted(run, engine, { expected: 2, own: { starts: few, deliveries } })))?.head, 4);
    assert.equal((await store.append(wanted(run, engine, { expected: 4 })))?.head, 6, "what starts nothing is kept back by nothing");
    const asked = (await store.inbox(engine, 9, true)).filter(({ tenant }) => tenant === run.tenant);
    assert.deepEqual([asked.map((one) => one.run), (await opened.delivered(run.tenant)).length], [[few[0]?.run], 1]);
  });
  play("what a tenant may start is told by its quota, and moves with the clock", async ({ store, opened }) => {
    const { tenant } = newKey();
    assert.equal((await store.allowance(tenant, ["w"])).starts, null);
    await opened.setQuota(tenant, "starts_per_second", 0);
    const { starts: none, sated, lined } = await store.allowance(tenant, ["w"]);
    assert.deepEqual([none?.limit, none?.left, Number(none?.resetsAt) % 1_000, sated, lined], [0, 0, 0, null, []]);
    await opened.setQuota(tenant, "starts_per_second", 7);
    assert.equal((await store.allowance(tenant, [])).starts?.left, 7);
    assert.equal((await store.allowance(newKey().tenant, [])).starts, null);
  });
  play("what became of a signal is stored with its events, by tenant, or not at all", async (scene) => {
    const { store, engine, opened } = scene;
    const run = await admitted(scene);
    const started = asRunId(randomUUID());
    const of = { trigger: "t", kind: "signal", source: "p" } as const;
    const ids = [randomUUID(), randomUUID()].toSorted();
    const deliveries: readonly NewDelivery[] = [
      { ...of, id: ids[0] ?? "", workflow: "a", outcome: "accepted", run: started },
      { ...of, id: ids[1] ?? "", workflow: "b", outcome: "rejected", code: "C", detail: { message: "é" }, payload: { z: 1, a: [] } },
    ];
    assert.equal(await store.append(wanted(run, engine, { expected: 3, own: { deliveries } })), null);
    assert.deepEqual(await opened.delivered(run.tenant), []);
    await store.append(wanted(run, engine, { expected: 2, own: { deliveries } }));
    assert.deepEqual(await opened.delivered(run.tenant), [
      ["a", "accepted", null, started, null],
      ["b", "rejected", "C", null, { z: 1, a: [] }],
    ]);
    assert.deepEqual(await opened.delivered(newKey().tenant), []);
  });
}
