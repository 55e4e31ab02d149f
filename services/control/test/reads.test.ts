import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRow, TenantScope } from "@woml/prisma";
import { asTenantId, type RunEvent, type RunId } from "@woml/run";
import { mintRunId } from "../ids.ts";
import { lengthOf } from "../length.ts";
import { openReads } from "../reads.ts";
import { ask, stubControl, stubStore } from "./stub.ts";

/** A store of `count` runs that have ended; it counts what it is asked. */
function counting(count: number) {
  const counts: Record<string, number> = {};
  const did = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const rows = Array.from({ length: count }, (): RunRow => {
    const plain = { workflow: "w", version: `sha256:${"0".repeat(64)}`, labels: [], head: 2, at: 5, held: null, heldAt: null };
    return { ...plain, id: mintRunId(), status: "succeeded", waitingFor: null, nextDue: null, owner: null };
  });
  const trigger = { kind: "manual", id: "go" };
  const admitted = { workflow: "w", version: "v", trigger, payload: { a: 1 }, seed: "s", labels: [] };
  const log: readonly RunEvent[] = [
    { seq: 1, at: 1, type: "run_admitted", data: admitted },
    { seq: 2, at: 5, type: "run_succeeded", data: { result: 2 } },
  ];
  const scope: Partial<TenantScope> = {
    unadmitted: async () => {
      did("unadmitted");
      return { items: [], hasNext: false };
    },
    runs: async () => {
      did("runs");
      return { items: rows, hasNext: false };
    },
    ends: async (runs: readonly RunId[]) => {
      did("ends");
      return new Map(runs.map((run) => [run, log]));
    },
    events: async (asks) => {
      did("events");
      return asks.map(() => log);
    },
  };
  const store = stubStore({
    withTenant: (_, work) => {
      did("transactions");
      return work(scope as TenantScope);
    },
  });
  return { store, counts };
}

test("PC-21: a list of rows reads rows and nothing else", async (t) => {
  const { store, counts } = counting(100);
  const { url } = await stubControl(t, store);
  const { codes } = await ask(
    url,
    "{ runs(first: 100) { edges { node { id status workflow version labels createdAt endedAt waiting } } } }",
  );
  assert.deepEqual([codes, counts], [[], { unadmitted: 1, runs: 1, transactions: 1 }]);
});

test("payloads, results, failures and events of a page are one question each", async (t) => {
  const { store, counts } = counting(20);
  const { url } = await stubControl(t, store);
  const { codes, data } = await ask(url, "{ runs { edges { node { payload result failure events { edges { node { type } } } } } } }");
  assert.deepEqual([codes, counts], [[], { unadmitted: 1, runs: 1, ends: 1, events: 1, transactions: 3 }]);
  const { runs } = data as unknown as { runs: { edges: readonly { node: { payload: unknown; result: unknown } }[] } };
  assert.ok(runs.edges.length === 20 && runs.edges.every(({ node }) => node.result === 2));
});

test("a part of a log that is cut for its size is refused; one that only is large is not", async () => {
  const big = { type: "step_succeeded" as const, at: 5, data: { node: "s", attempt: 1, output: "x".repeat(1_000_000), cpuMs: 1 } };
  const stored = Array.from({ length: 12 }, (_, at): RunEvent => ({ ...big, seq: at + 1 }));
  const reading = (page: number) => {
    const events: TenantScope["events"] = async (asks) =>
      asks.map(({ after, limit }) => stored.filter(({ seq }) => seq > after).slice(0, Math.min(limit, page)));
    const store = stubStore({ withTenant: (_, work) => work({ events } as TenantScope) });
    return openReads({ who: { scope: "tenant", key: "k", tenant: asTenantId("00000000-0000-7000-8000-00000000000a") }, store });
  };
  const ask = { run: mintRunId(), after: 0, only: { types: ["step_succeeded"] } } as const;
  assert.equal((await reading(99).some({ ...ask, limit: null })).length, 12);
  assert.equal((await reading(10).some({ ...ask, limit: 10 })).length, 10);
  await assert.rejects(reading(10).some({ ...ask, limit: null }), { code: "WOML_ANSWER_TOO_LARGE" });
});

test("what aliases repeat is counted: an answer past its length is refused, and not written", async (t) => {
  const { store, counts } = counting(20);
  const text = "x".repeat(400_000);
  const admitted = { workflow: "w", version: "v", trigger: { kind: "manual", id: "go" }, payload: { text }, seed: "s", labels: [] };
  const ends = async (runs: readonly RunId[]) =>
    new Map(runs.map((run): [RunId, RunEvent[]] => [run, [{ seq: 1, at: 1, type: "run_admitted", data: admitted }]]));
  const large = stubStore({ withTenant: (tenant, work) => store.withTenant(tenant, (scope) => work({ ...scope, ends })) });
  const { url } = await stubControl(t, large);
  const runs = (count: number): string =>
    `{ runs { edges { node { ${Array.from({ length: count }, (_, at) => `a${at}: payload`).join(" ")} } } } }`;
  assert.deepEqual((await ask(url, runs(4))).codes, []);
  const { status, codes, data } = await ask(url, runs(5));
  assert.deepEqual([status, codes, data], [200, ["WOML_ANSWER_TOO_LARGE"], null]);
  assert.equal(counts["runs"], 2);
});

test("a version's source counts as its definition does", async (t) => {
  const hash = `sha256:${"0".repeat(64)}`;
  const source = [{ path: "w.woml", text: "x".repeat(1_000_000) }];
  const version = { hash, workflow: "w", definition: "{}", source, sourceMap: null, createdAt: 1 };
  const heads = Array.from({ length: 20 }, (_, at) => ({ ...version, hash: `sha256:${String(at).padStart(64, "0")}` }));
  let most = 0;
  const scope: Partial<TenantScope> = {
    workflow: async () => ({ id: "w", active: null }),
    versions: async () => ({ items: heads, hasNext: false }),
    versionsByHash: async (hashes) => {
      most = Math.max(most, hashes.length);
      return new Map(hashes.map((one) => [one, { ...version, hash: one }]));
    },
  };
  const { url } = await stubControl(t, stubStore({ withTenant: (_, work) => work(scope as TenantScope) }));
  const query = '{ workflow(id: "w") { versions { edges { node { source } } } } }';
  assert.deepEqual(new Set((await ask(url, query)).codes), new Set(["WOML_ANSWER_TOO_LARGE"]));
  assert.equal(most, 8);
});

test("the length of a value is about that of its JSON text, and is not counted past what is asked", () => {
  for (const value of [null, 1, "text", [], {}, [[1, 2], { a: [true, "b"], c: { d: null } }]]) {
    assert.ok(Math.abs(lengthOf(value, 1_000) - JSON.stringify(value).length) < 20);
  }
  const forbidden = new Proxy([], { get: () => assert.fail("it went on") });
  assert.ok(lengthOf(["x".repeat(100), forbidden], 50) > 50);
});
