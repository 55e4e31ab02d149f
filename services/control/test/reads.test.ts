import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRow, TenantScope } from "@woml/prisma";
import { asTenantId, type RunEvent, type RunId } from "@woml/run";
import { mintRunId } from "../ids.ts";
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
    return { ...plain, id: mintRunId(), status: "succeeded", waitingFor: null, nextDue: null };
  });
  const trigger = { kind: "manual", id: "go" };
  const admitted = { workflow: "w", version: "v", trigger, payload: { a: 1 }, seed: "s", labels: [] };
  const log: readonly RunEvent[] = [
    { seq: 1, at: 1, type: "run_admitted", data: admitted },
    { seq: 2, at: 5, type: "run_succeeded", data: { result: 2 } },
  ];
  const scope: Partial<TenantScope> = {
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

test("a list of rows reads rows and nothing else", async (t) => {
  const { store, counts } = counting(100);
  const { url } = await stubControl(t, store);
  const { codes } = await ask(
    url,
    "{ runs(first: 100) { edges { node { id status workflow version labels createdAt endedAt waiting } } } }",
  );
  assert.deepEqual([codes, counts], [[], { runs: 1, transactions: 1 }]);
});

test("payloads, results, failures and events of a page are one question each", async (t) => {
  const { store, counts } = counting(20);
  const { url } = await stubControl(t, store);
  const { codes, data } = await ask(url, "{ runs { edges { node { payload result failure events { edges { node { type } } } } } } }");
  assert.deepEqual([codes, counts], [[], { runs: 1, ends: 1, events: 1, transactions: 3 }]);
  const { runs } = data as unknown as { runs: { edges: readonly { node: { payload: unknown; result: unknown } }[] } };
  assert.ok(runs.edges.length === 20 && runs.edges.every(({ node }) => node.result === 2));
});

test("a log that is shorter than its row says is shown as far as it goes; one that is cut for its size is refused", async () => {
  const end = { type: "run_succeeded" as const, at: 5, data: { result: 2 } };
  const reading = (stored: readonly RunEvent[], page: number) => {
    const events: TenantScope["events"] = async (asks) =>
      asks.map(({ after, limit }) => stored.filter(({ seq }) => seq > after).slice(0, Math.min(limit, page)));
    const store = stubStore({ withTenant: (_, work) => work({ events } as TenantScope) });
    return openReads({ who: { scope: "tenant", tenant: asTenantId("00000000-0000-7000-8000-00000000000a") }, store });
  };
  const stored = [1, 2, 4].map((seq) => ({ ...end, seq }));
  const found = await reading(stored, 9).log(mintRunId(), 4);
  assert.deepEqual(
    found.map(({ seq }) => seq),
    [1, 2, 4],
  );
  await assert.rejects(reading(stored, 2).log(mintRunId(), 4), { code: "WOML_ANSWER_TOO_LARGE" });
});
