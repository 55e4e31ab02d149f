// What whoever fires slots may rely on, of PostgreSQL and of its double.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { Json } from "@woml/model";
import { asRunId, asTenantId, type TenantId } from "@woml/run";
import type { DueTrigger, Firing, NewTrigger, Occurrence, TriggerStore } from "../trigger.ts";

interface Of {
  readonly tenant: TenantId;
  readonly workflow: string;
  readonly trigger: string;
}
export interface OpenedTriggers {
  readonly store: Pick<TriggerStore, "due" | "fire">;
  tenant(onAmbiguous?: "fail"): Promise<TenantId>;
  bind(tenant: TenantId, workflow: string, version: string, trigger: NewTrigger): Promise<void>;
  unbind(of: Of): Promise<void>;
  /** Starts a second. */
  setStarts(tenant: TenantId, limit: number | null): Promise<void>;
  set(of: Of, setting: Json): Promise<void>;
  nextAt(of: Of): Promise<number | null>;
  starts(tenant: TenantId): Promise<readonly Pick<Occurrence, "run" | "scope" | "key" | "digest" | "body">[]>;
  missed(tenant: TenantId): Promise<readonly (readonly [source: string | undefined, count: number | undefined, detail: Json])[]>;
  close(): Promise<void>;
}

const spec = (id: string): Json => ({ id, kind: "schedule", cron: "* * * * *", timezone: "UTC", onMissed: "skip" });
const trigger = (id: string, nextAt: number | null): NewTrigger => ({
  ...{ trigger: id, kind: "schedule", route: null, spec: spec(id), secrets: [], nextAt },
});
const start = ({ workflow, version, trigger: id }: Omit<Of, "tenant"> & { version: string }, key: string): Occurrence => ({
  ...{ run: asRunId(randomUUID()), scope: `trigger:${workflow}:${id}`, key, digest: `of ${key}` },
  body: { kind: "start", workflow, version, trigger: { kind: "schedule", id }, payload: { scheduledAt: key }, labels: [] },
});
const firing = (due: DueTrigger, next: number | null, ...keys: readonly string[]): Firing => ({
  ...{ due, next, deliveries: [] },
  occurrences: keys.map((key) => start(due, key)),
});

export function triggerStoreContract(name: string, open: () => Promise<OpenedTriggers>): void {
  describe(name, () => {
    let opened: OpenedTriggers;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());
    const dueOf = async (tenant: TenantId): Promise<readonly DueTrigger[]> =>
      (await opened.store.due(1_000)).due.filter((one) => one.tenant === tenant);
    const one = async (tenant: TenantId): Promise<DueTrigger> => {
      const [due] = await dueOf(tenant);
      assert.ok(due);
      return due;
    };

    test("what is due is told with all that a start needs; what comes later is told by when the first comes", async () => {
      const tenant = await opened.tenant("fail");
      const { now } = await opened.store.due(1);
      await opened.bind(tenant, "flow", "v1", trigger("past", now - 5_000));
      await opened.bind(tenant, "flow", "v1", trigger("soon", now + 600_000));
      await opened.bind(tenant, "flow", "v1", trigger("never", null));
      await opened.set({ tenant, workflow: "flow", trigger: "past" }, { catchUp: 3 });
      const due = await one(tenant);
      const { since, ...told } = due;
      assert.deepEqual(told, {
        ...{ tenant, workflow: "flow", trigger: "past", kind: "schedule", version: "v1", route: null, secrets: [] },
        ...{ spec: spec("past"), setting: { catchUp: 3 }, nextAt: now - 5_000, onAmbiguous: "fail", room: null },
      });
      assert.ok(since >= now);
      assert.equal((await dueOf(tenant)).length, 1);
      assert.equal((await opened.store.due(1)).next, now + 600_000);
      await opened.unbind({ tenant, workflow: "flow", trigger: "soon" });
      assert.equal(await opened.store.fire(firing(due, null)), true);
      assert.equal((await opened.store.due(1)).next, null);
    });

    test("of two who fire the same slot one does, and its start is there once", async () => {
      const tenant = await opened.tenant();
      await opened.bind(tenant, "flow", "v1", trigger("t", 60_000));
      const due = await one(tenant);
      const fired = await Promise.all([opened.store.fire(firing(due, 120_000, "one")), opened.store.fire(firing(due, 120_000, "one"))]);
      assert.deepEqual(fired.toSorted(), [false, true]);
      const [only, ...others] = await opened.starts(tenant);
      assert.deepEqual([only?.key, only?.scope, only?.digest, others], ["one", "trigger:flow:t", "of one", []]);
      assert.deepEqual(only?.body, start(due, "one").body);
      assert.equal(await opened.nextAt(due), 120_000);
    });

    test("a slot that comes again, however that may be, asks for nothing new", async () => {
      const tenant = await opened.tenant();
      await opened.bind(tenant, "flow", "v1", trigger("t", 60_000));
      const first = await one(tenant);
      assert.equal(await opened.store.fire(firing(first, null, "one", "two")), true);
      const before = await opened.starts(tenant);
      await opened.unbind(first);
      await opened.bind(tenant, "flow", "v2", trigger("t", 60_000));
      assert.equal(await opened.store.fire(firing(await one(tenant), null, "two", "three")), true);
      const starts = await opened.starts(tenant);
      assert.deepEqual(starts.map(({ key }) => key).toSorted(), ["one", "three", "two"]);
      for (const { key, run } of before) assert.equal(starts.find((other) => other.key === key)?.run, run);
    });

    test("nothing is fired for a version, a setting or a slot that is not the trigger's any more", async () => {
      const tenant = await opened.tenant();
      await opened.bind(tenant, "flow", "v1", trigger("t", 60_000));
      const due = await one(tenant);
      assert.equal(await opened.store.fire({ ...firing(due, null, "x"), due: { ...due, version: "v0" } }), false);
      assert.equal(await opened.store.fire({ ...firing(due, null, "x"), due: { ...due, nextAt: 0 } }), false);
      await opened.set(due, { repeatedHour: "once" });
      assert.equal(await opened.store.fire(firing(due, null, "x")), false);
      const changed = await one(tenant);
      await opened.unbind(due);
      assert.equal(await opened.store.fire(firing(changed, null, "x")), false);
      assert.deepEqual([await opened.starts(tenant), await opened.missed(tenant)], [[], []]);
    });

    test("what was missed is written down with what is started, or neither is", async () => {
      const tenant = await opened.tenant();
      await opened.bind(tenant, "flow", "v1", trigger("t", 60_000));
      const due = await one(tenant);
      const told = { workflow: "flow", trigger: "t", kind: "schedule", outcome: "missed", code: "C", count: 179 } as const;
      const deliveries = [{ ...told, id: randomUUID(), source: "last", detail: { first: "a", last: "b" } }];
      assert.equal(await opened.store.fire({ ...firing(due, null, "x"), deliveries, due: { ...due, version: "v0" } }), false);
      assert.deepEqual(await opened.missed(tenant), []);
      assert.equal(await opened.store.fire({ ...firing(due, null, "x"), deliveries }), true);
      assert.deepEqual(await opened.missed(tenant), [["last", 179, { first: "a", last: "b" }]]);
      assert.equal((await opened.starts(tenant)).length, 1);
    });

    test("a slot that asks for more starts than are left stays due, with what was missed; one that asks for none, or few enough, does not", async () => {
      const tenant = await opened.tenant();
      await opened.setStarts(tenant, 2);
      await opened.bind(tenant, "flow", "v1", trigger("t", 60_000));
      const due = await one(tenant);
      assert.equal(due.room, 2);
      const told = { workflow: "flow", trigger: "t", kind: "schedule", outcome: "missed", code: "C", count: 1 } as const;
      const deliveries = [{ ...told, id: randomUUID(), source: "s", detail: {} }];
      assert.equal(await opened.store.fire({ ...firing(due, 120_000, "a", "b", "c"), deliveries }), false);
      assert.deepEqual([await opened.starts(tenant), await opened.missed(tenant), await opened.nextAt(due)], [[], [], 60_000]);
      assert.equal(await opened.store.fire(firing(due, 120_000, "a", "b")), true);
      await opened.setStarts(tenant, 0);
      assert.deepEqual([await dueOf(tenant), await opened.nextAt(due)], [[], 120_000], "nobody waits for one that may start nothing");
      const next = { ...due, nextAt: 120_000 };
      assert.equal(await opened.store.fire(firing(next, 180_000, "c")), false);
      assert.equal(await opened.store.fire({ ...firing(next, null), deliveries }), true);
      assert.deepEqual([(await opened.starts(tenant)).length, (await opened.missed(tenant)).length], [2, 1]);
    });

    test("tenants take turns: one of whom much is due does not keep the others", async () => {
      const [busy, quiet] = [await opened.tenant(), await opened.tenant()];
      for (let n = 0; n < 5; n++) await opened.bind(busy, `flow-${n}`, "v1", trigger("t", 1_000 + n));
      await opened.bind(quiet, "flow", "v1", trigger("t", 50_000));
      const { due } = await opened.store.due(2);
      assert.deepEqual(due.map(({ tenant }) => tenant).toSorted(), [busy, quiet].toSorted());
      const all = (await dueOf(busy)).map(({ nextAt }) => nextAt);
      assert.deepEqual(all, [1_000, 1_001, 1_002, 1_003, 1_004]);
      for (const due of [...(await dueOf(busy)), ...(await dueOf(quiet))]) await opened.store.fire(firing(due, null));
    });
  });
}

export const newTenant = (): TenantId => asTenantId(randomUUID());
