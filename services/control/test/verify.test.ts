import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRow, TenantScope } from "@woml/prisma";
import { asRunId, asTenantId, genesis, type RunId } from "@woml/run";
import type { Asking } from "../asking.ts";
import { differences } from "../compare.ts";
import { runOfStart } from "../run-source.ts";
import { verify } from "../verify.ts";

const TENANT = asTenantId("00000000-0000-7000-8000-00000000000a");
const DAY_MS = 86_400_000;
const idOf = (n: number): RunId => asRunId(`00000000-0000-7000-8000-${String(n).padStart(12, "0")}`);
const rowOf = (n: number): RunRow => ({
  ...{ id: idOf(n), workflow: "w", version: "v", labels: [], status: "running", head: 3, at: 10 },
  ...{ held: null, heldAt: null, waitingFor: null, nextDue: 10, owner: null },
});
const short = (differences: readonly string[]): readonly string[] => differences.map((text) => text.split(":")[0] ?? "");

test("a definition that is not its hash's, and a log from another time, are named beside what the log says", () => {
  const row = rowOf(1);
  const seen = { row, now: row, alarms: [], log: "log: WOML_LOG_DATA at seq 2", isIntact: true };
  assert.deepEqual(differences(seen), ["log: WOML_LOG_DATA at seq 2"]);
  assert.deepEqual(short(differences({ ...seen, isIntact: false }) ?? []), ["definition", "log"]);
  const ahead = { ...row, at: Date.now() + DAY_MS + 60_000 };
  assert.deepEqual(short(differences({ ...seen, row: ahead, now: ahead }) ?? []), ["at", "log"]);
  const behind = { ...row, at: Date.now() + DAY_MS - 60_000 };
  assert.deepEqual(short(differences({ ...seen, row: behind, now: behind }) ?? []), ["log"]);
  assert.ok(short(differences({ ...seen, log: genesis, isIntact: false }) ?? []).includes("definition"));
});

test("verify pages over logs without a row as if they had one", async () => {
  const rows = [8, 6, 4];
  const rowless = [9, 7, 5, 3];
  const before = (after: string | null) => (n: number) => after === null || idOf(n) < after;
  const scope = {
    tenant: TENANT,
    runs: async (_: unknown, { first, after }: { first: number; after: string | null }) => {
      const found = rows.filter(before(after));
      return { items: found.slice(0, first).map(rowOf), hasNext: found.length > first };
    },
    rowless: async ({ first, after, until }: { first: number; after: string | null; until: RunId | null }) => {
      const found = rowless.filter(before(after)).filter((n) => until === null || idOf(n) >= until);
      return found.slice(0, first).map(idOf);
    },
    timers: async () => new Map(),
    intact: async () => new Set(["v"]),
    events: async (asks: readonly unknown[]) => asks.map(() => []),
  } as unknown as TenantScope;
  const store = { withTenant: (_: unknown, work: (scope: TenantScope) => unknown) => work(scope) };
  const asking = { who: { scope: "tenant", key: "k", tenant: TENANT }, store } as unknown as Asking;
  for (const first of [1, 2, 3, 100]) {
    const seen: (readonly [string, readonly string[]])[] = [];
    for (let after: string | null = null, hasNext = true; hasNext; ) {
      const page = await verify(asking, { first, after });
      assert.ok(page.items.length <= first);
      seen.push(...page.items.map(({ run, differences: found }): [string, readonly string[]] => [run, short(found)]));
      after = `${TENANT}/${page.items.at(-1)?.run}`;
      hasNext = page.hasNext;
    }
    assert.deepEqual(
      seen,
      [9, 8, 7, 6, 5, 4, 3].map((n) => [idOf(n), [rows.includes(n) ? "head" : "run"]]),
    );
  }
});

test("no transaction lasts longer than one question, no more logs are kept than a few, long ones are folded one by one, and a page that takes long ends early", async (t) => {
  const rows = Array.from({ length: 30 }, (_, at) => 30 - at);
  let now = 0;
  let kept = 0;
  t.mock.method(performance, "now", () => now);
  const scope = {
    tenant: TENANT,
    runs: async (_: unknown, { first, after }: { first: number; after: string | null }) => {
      const found = rows.filter((n) => after === null || idOf(n) < after);
      return { items: found.slice(0, first).map(rowOf), hasNext: found.length > first };
    },
    rowless: async () => [],
    timers: async () => new Map(),
    intact: async () => new Set(["v"]),
    events: async (asks: readonly unknown[]) => {
      kept = Math.max(kept, asks.length);
      now += 50 * asks.length;
      return asks.map(() => []);
    },
  };
  let questions = 0;
  const withTenant = async (_: unknown, work: (scope: unknown) => Promise<unknown>): Promise<unknown> => {
    let asked = 0;
    const counted = Object.fromEntries(
      Object.entries(scope).map(([name, question]) => [
        name,
        typeof question === "function"
          ? (...given: never[]) => {
              asked += 1;
              return (question as (...given: never[]) => unknown)(...given);
            }
          : question,
      ]),
    );
    const answer = await work(counted);
    assert.equal(asked, 1);
    questions += 1;
    return answer;
  };
  const asking = { who: { scope: "tenant", key: "k", tenant: TENANT }, store: { withTenant } } as unknown as Asking;
  const all = await verify(asking, { first: 100, after: null });
  assert.deepEqual([all.items.length, all.hasNext, kept], [30, false, 8]);
  assert.ok(questions > 4);
  kept = 0;
  scope.events = async (asks) => {
    kept = Math.max(kept, asks.length);
    now += 3_000 * asks.length;
    return asks.map(() => []);
  };
  const early = await verify(asking, { first: 100, after: null });
  assert.deepEqual([early.items.length, early.hasNext, kept], [2, true, 1]);
  now = 0;
  scope.events = async (asks) => asks.map(() => []);
  const rest = await verify(asking, { first: 100, after: `${TENANT}/${early.items.at(-1)?.run}` });
  assert.deepEqual([rest.items.length, rest.hasNext], [28, false]);
});

test("a run that was admitted and has no row does not seem to wait for an engine", () => {
  const body = { kind: "start", workflow: "w", version: `sha256:${"0".repeat(64)}`, payload: {}, labels: [] };
  const start = { id: "q", run: idOf(1), digest: "d", kind: "start", body, createdAt: 1, answer: null };
  assert.equal(runOfStart({ ...start, consumedAt: null, dueAt: null }).status, "queued");
  const { status, waiting } = runOfStart({ ...start, consumedAt: 5, dueAt: null });
  assert.deepEqual([status, waiting?.cause, waiting?.reason], ["waiting", "held", "store_changed: the run's row is missing"]);
});
