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
  ...{ held: null, heldAt: null, waitingFor: null, nextDue: 10 },
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
  const asking = { who: { scope: "tenant", tenant: TENANT }, store } as unknown as Asking;
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

test("a run that was admitted and has no row does not seem to wait for an engine", () => {
  const body = { kind: "start", workflow: "w", version: `sha256:${"0".repeat(64)}`, payload: {}, labels: [] };
  const start = { id: "q", run: idOf(1), digest: "d", kind: "start", body, createdAt: 1, answer: null };
  assert.equal(runOfStart({ ...start, consumedAt: null }).status, "queued");
  const { status, waiting } = runOfStart({ ...start, consumedAt: 5 });
  assert.deepEqual([status, waiting?.cause, waiting?.reason], ["waiting", "held", "store_changed: the run's row is missing"]);
});
