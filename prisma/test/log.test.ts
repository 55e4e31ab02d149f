import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { asRunId, asTenantId } from "@woml/run";
import type { ControlStore } from "../control-store.ts";
import type { EventFilter } from "../event-ask.ts";
import { openControlStore } from "../postgres-control.ts";
import { type Database, openDatabase } from "./database.ts";

let database: Database;
let store: ControlStore;
const tenant = asTenantId(randomUUID());
const run = asRunId(randomUUID());
/** By seq, from 1: what stands in the log that is read. */
const LOG: readonly (readonly [type: string, data: object])[] = [
  ["run_admitted", {}],
  ["step_started", { node: "a", attempt: 1 }],
  ["operation_started", { node: "a", attempt: 1, call: 1, try: 1, called: { input: 1 } }],
  ["operation_started", { node: "a", attempt: 1, call: 1, try: 2, called: null }],
  ["operation_settled", { node: "a", attempt: 1, call: 1, try: 2 }],
  ["outcome_resolved", { node: "a", attempt: 1, call: null }],
  ["step_started", { node: "a", attempt: 2 }],
  ["loop_opened", { node: "each" }],
  ["step_started", { node: "work#0", attempt: 1 }],
  ["step_started", { node: "work#1", attempt: 1 }],
  ["step_succeeded", { node: "work#0", attempt: 1, output: "long" }],
  ["hook_requested", { hook: "@run_start" }],
  ["action_settled", { node: "@run_start/1", attempt: 1, status: "failed", dueAt: 5 }],
  ["action_settled", { node: "@run_start/1", attempt: 2, status: "failed", dueAt: null }],
  ["action_settled", { node: "@run_start/2", attempt: 1, status: "succeeded", dueAt: null }],
  ["outcome_decided", { status: "succeeded" }],
  ["operation_settled", { node: "a", attempt: 2, call: 1, try: 1, outcome: { status: "unknown" } }],
  ["operation_settled", { node: "a", attempt: 2, call: 2, try: 1, outcome: { status: "failed" } }],
];

before(async () => {
  database = await openDatabase();
  store = await openControlStore(database.control);
  await store.createTenant({ id: tenant, name: "t" }, { id: randomUUID(), digest: new Uint8Array(32), scopes: ["tenant"] });
  for (const [at, [type, data]] of LOG.entries())
    await database.ask("INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data) VALUES ($1, $2, $3, $4, 1, 1, $1, $5)", [
      tenant,
      run,
      at + 1,
      type,
      JSON.stringify(data),
    ]);
});
after(async () => {
  await store.close();
  await database.close();
});

const read = (only: EventFilter, more: object = {}) =>
  store.withTenant(tenant, async (scope) => (await scope.events([{ run, after: 0, limit: 99, maxBytes: 1e6, only, ...more }]))[0] ?? []);
const seqs = async (only: EventFilter, more: object = {}): Promise<readonly number[]> => (await read(only, more)).map(({ seq }) => seq);

test("of some types, from some place on, no more than asked for", async () => {
  const only: EventFilter = { types: ["step_started", "step_succeeded"] };
  assert.deepEqual(await seqs(only), [2, 7, 9, 10, 11]);
  assert.deepEqual(await seqs(only, { after: 2, limit: 2 }), [7, 9]);
  assert.deepEqual(await seqs(only, { maxBytes: 1 }), [2]);
  assert.deepEqual(await seqs({ types: [] }), []);
});

test("what begins something, what failed for good, and what nobody knows", async () => {
  assert.deepEqual(await seqs({ types: ["step_started", "operation_started", "action_settled"], isFirst: true }), [2, 3, 9, 10, 14]);
  assert.deepEqual(await seqs({ types: ["operation_settled"], isFirst: true }), [17]);
});

test("at some nodes in whatever iteration, about some sites, hooks and calls", async () => {
  assert.deepEqual(await seqs({ types: ["step_started"], nodes: ["work"] }), [9, 10]);
  assert.deepEqual(await seqs({ types: ["step_started", "step_succeeded", "outcome_decided"], about: ["work#0", "a"] }), [2, 7, 9, 11, 16]);
  assert.deepEqual(await seqs({ types: ["operation_started", "operation_settled", "outcome_resolved"], about: ["a:1:1"] }), [3, 4, 5]);
  assert.deepEqual(await seqs({ types: ["outcome_resolved"], about: ["a:1"] }), [6]);
  assert.deepEqual(await seqs({ types: ["hook_requested", "action_settled"], about: ["@run_start", "@run_start/2"] }), [12, 15]);
});

test("without what may be large", async () => {
  const [found] = await read({ types: ["step_succeeded"], without: ["output", "other"] });
  assert.deepEqual(found?.data, { node: "work#0", attempt: 1 });
});

test("several pages in one question, each with a wish of its own, or none", async () => {
  const page = { run, after: 0, limit: 99, maxBytes: 1e6 };
  const pages = await store.withTenant(tenant, (scope) =>
    scope.events([
      { ...page, only: { types: ["loop_opened"] } },
      { ...page, limit: 2 },
      { ...page, only: { types: ["run_admitted"] } },
    ]),
  );
  assert.deepEqual(
    pages.map((events) => events.map(({ seq }) => seq)),
    [[8], [1, 2], [1]],
  );
});
