// What is stored beside the logs is damaged as the superuser, and made anew from the logs (B1 … B4).
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { foldAll, genesis, type NewEvent, project, type RunKey, type RunState, stamp, timerChanges } from "@woml/run";
import { Client } from "pg";
import type { EngineStore } from "../engine-store.ts";
import { openEngineStore } from "../postgres-engine.ts";
import { type Besides, type RebuildOptions, type RebuiltRun, rebuild } from "../rebuild.ts";
import { type Database, openDatabase } from "./database.ts";
import { newKey } from "./opened.ts";

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());
beforeEach(() => database.empty());

const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no" };
const admitted = (labels: readonly string[] = []): NewEvent => ({
  type: "run_admitted",
  data: { workflow: "w", version: "v", trigger: { kind: "manual", id: "go" }, payload: {}, seed: "s", labels },
});
/** It waits for the second attempt of a step, and has a time-out: two timers. */
const waiting = (at: number): readonly NewEvent[] => [
  admitted(["l", 'a,"b"']),
  { type: "run_started", data: { deadlineAt: at + 1_000_000 } },
  { type: "step_started", data: { node: "a", attempt: 1 } },
  { type: "step_failed", data: { node: "a", attempt: 1, failure, cpuMs: 1 } },
  { type: "step_retry_scheduled", data: { node: "a", attempt: 2, dueAt: at + 500_000 } },
];
const ended: readonly NewEvent[] = [
  admitted(),
  { type: "outcome_decided", data: { status: "failed", failure } },
  { type: "run_failed", data: { failure } },
];

interface Engine {
  readonly store: EngineStore;
  readonly id: string;
}
async function engine(work: (engine: Engine) => Promise<void>): Promise<void> {
  const store = await openEngineStore(database.engine);
  const id = randomUUID();
  const { lease } = await store.openLease(id, 60_000);
  try {
    await work({ store, id });
  } finally {
    await lease.release();
    await store.close();
  }
}
/** As an engine would write it. */
async function write({ store, id }: Engine, key: RunKey, events: readonly NewEvent[], state: RunState = genesis): Promise<RunState> {
  const at = Math.max(Date.now(), state.at);
  const after = foldAll(stamp(events, state.head, at), state);
  const admission = state.head === 0 && after.admitted !== null ? { ...after.admitted } : null;
  const fence = { owner: id, epoch: state.head === 0 ? 0 : 0, expected: state.head, at };
  const moved = await store.append({
    ...{ ...key, ...fence, events, projection: project(after), ...timerChanges(state, after), requests: [], admission },
  });
  assert.equal(moved?.at, at);
  return after;
}
async function rebuilt(options: RebuildOptions = {}): Promise<Besides & { readonly runs: readonly RebuiltRun[] }> {
  const runs: RebuiltRun[] = [];
  const found = await rebuild(database.engine, options, (one) => runs.push(one));
  return { runs, ...found };
}
const said = async (options: RebuildOptions = {}) => Object.fromEntries((await rebuilt(options)).runs.map((one) => [one.run, one.outcome]));
/** All that is derived, as text. */
const stored = () =>
  database.ask(`SELECT r.*, r.waiting_for::text AS waiting_for,
    (SELECT json_agg(t ORDER BY t.kind, t.subject) FROM timer t WHERE t.tenant = r.tenant AND t.run = r.id) AS timers
    FROM run r ORDER BY r.tenant, r.id`);

test("rows and timers that were damaged, or are gone, are made anew, and then nothing differs", () =>
  engine(async (by) => {
    const [sound, damaged, gone, over] = [newKey(), newKey(), newKey(), newKey()];
    for (const key of [sound, damaged, gone]) await write(by, key, waiting(Date.now()));
    await write(by, over, ended);
    const before = await stored();
    await database.ask(
      `UPDATE run SET status = 'succeeded', waiting_for = NULL, next_due = NULL, at = 7, head = 2, workflow = 'x', version = 'y', labels = '{}'
      WHERE id = $1`,
      [damaged.run],
    );
    await database.ask("DELETE FROM timer WHERE run = $1 AND kind = 'retry'", [damaged.run]);
    await database.ask("UPDATE timer SET due_at = 1 WHERE run = $1", [damaged.run]);
    await database.ask("DELETE FROM run WHERE id = $1", [gone.run]);
    await database.ask("UPDATE run SET status = 'running', next_due = 1 WHERE id = $1", [over.run]);
    const { runs } = await rebuilt();
    const outcomes = Object.fromEntries(runs.map((one) => [one.run, one.outcome]));
    assert.deepEqual(outcomes, { [sound.run]: "same", [damaged.run]: "rebuilt", [gone.run]: "rebuilt", [over.run]: "rebuilt" });
    const names = runs.find(({ run }) => run === damaged.run)?.differences.map((text) => text.split(":")[0]);
    assert.deepEqual(names?.toSorted(), ["at", "head", "labels", "nextDue", "status", "timers", "version", "waitingFor", "workflow"]);
    const owned = (rows: readonly object[]): readonly object[] => rows.map((row) => ({ ...row, owner: null }));
    assert.deepEqual(owned(await stored()), owned(before));
    assert.deepEqual([...new Set(Object.values(await said()))], ["same"], "and again nothing is to be done");
  }));

test("who holds a place is what the log says, and a lane counts those; a dry run only says so", () =>
  engine(async (by) => {
    const [runs, waits] = [newKey(), newKey()];
    await write(by, runs, [
      admitted(),
      { type: "run_started", data: { deadlineAt: null } },
      { type: "step_started", data: { node: "a", attempt: 1 } },
    ]);
    await write(by, waits, waiting(Date.now()));
    const lane = async (): Promise<unknown> => (await database.ask("SELECT active FROM lane"))[0];
    await database.ask("UPDATE run SET holds = NOT holds");
    await database.ask("INSERT INTO lane (tenant, kind, name, active, counted) VALUES ($1, 'workflow', 'w', 7, true)", [runs.tenant]);
    assert.deepEqual([(await rebuilt({ dryRun: true })).lanes, await lane()], [1, { active: 7 }]);
    const done = await rebuilt();
    assert.deepEqual(new Set(done.runs.map(({ outcome }) => outcome)), new Set(["rebuilt"]));
    assert.deepEqual([done.lanes, await lane(), (await rebuilt()).lanes], [1, { active: 1 }, 0]);
  }));

test("a dry run says the same and writes nothing", () =>
  engine(async (by) => {
    const key = newKey();
    await write(by, key, waiting(Date.now()));
    await database.ask("UPDATE run SET status = 'failed'");
    await database.ask("INSERT INTO timer (tenant, run, subject, kind, due_at) VALUES ($1, $1, 'a', 'retry', 1)", [key.tenant]);
    const before = await stored();
    const { runs, stray } = await rebuilt({ dryRun: true });
    assert.deepEqual(runs, [
      {
        ...{ ...key, outcome: "differs", isFreed: false, reason: null },
        differences: ['status: stored "failed", the log says "waiting"'],
      },
    ]);
    assert.deepEqual([stray, await stored()], [1, before]);
    assert.equal((await database.ask("SELECT FROM timer")).length, 3);
  }));

test("timers of no run are cleared away, and only those", () =>
  engine(async (by) => {
    const [key, other] = [newKey(), newKey()];
    await write(by, key, waiting(Date.now()));
    for (const { tenant, run } of [{ ...key, run: other.run }, other])
      await database.ask("INSERT INTO timer (tenant, run, subject, kind, due_at) VALUES ($1, $2, 'a', 'retry', 1)", [tenant, run]);
    assert.equal((await rebuilt({ tenant: key.tenant })).stray, 1);
    assert.equal((await rebuilt()).stray, 1);
    assert.deepEqual(
      (await database.ask<{ run: string }>("SELECT run FROM timer")).map(({ run }) => run),
      [key.run, key.run],
    );
  }));

test("B4: a log that does not fold is reported and its run held; the others are made anew", () =>
  engine(async (by) => {
    const [broken, other, over] = [newKey(), newKey(), newKey()];
    await write(by, broken, waiting(Date.now()));
    await write(by, other, waiting(Date.now()));
    await write(by, over, ended);
    for (const { tenant, run } of [broken, over])
      await database.ask(
        `INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data) VALUES ($1, $2, 6, 'run_started', 1, 9999999999999, gen_random_uuid(), '{"deadlineAt":null}')`,
        [tenant, run],
      );
    await database.ask("UPDATE run SET status = 'cancelling' WHERE id = $1", [other.run]);
    const { runs } = await rebuilt();
    const of = ({ run }: RunKey) => runs.find((one) => one.run === run);
    assert.deepEqual([of(broken)?.outcome, of(broken)?.reason], ["broken", "WOML_LOG_START at event 6"]);
    assert.deepEqual([of(over)?.outcome, of(other)?.outcome], ["broken", "rebuilt"]);
    const rows = await database.ask<{ id: string; held: string | null; owner: string | null; epoch: number }>(
      "SELECT id, held, owner, epoch FROM run",
    );
    const row = ({ run }: RunKey) => rows.find(({ id }) => id === run);
    assert.deepEqual([row(broken)?.held, row(broken)?.owner, row(broken)?.epoch], ["WOML_LOG_START at event 6", null, 1]);
    assert.deepEqual([row(over)?.held, row(other)?.held], [null, null], "what has ended needs no holding");
  }));

test("a held run is freed where that is asked and its log folds", () =>
  engine(async (by) => {
    const [key, broken] = [newKey(), newKey()];
    await write(by, key, waiting(Date.now()));
    await write(by, broken, waiting(Date.now()));
    await database.ask("UPDATE run SET held = 'store_changed: head', held_at = 1, claims = 6");
    await database.ask(
      `INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data) VALUES ($1, $2, 6, 'nonsense', 1, 9999999999999, gen_random_uuid(), '{}')`,
      [broken.tenant, broken.run],
    );
    await rebuilt();
    const held = async () =>
      (await database.ask<{ id: string }>("SELECT id FROM run WHERE held IS NOT NULL")).map(({ id }) => id).toSorted();
    assert.deepEqual(await held(), [key.run, broken.run].toSorted());
    const { runs } = await rebuilt({ free: true });
    assert.deepEqual(
      runs.filter(({ isFreed }) => isFreed).map(({ run }) => run),
      [key.run],
    );
    assert.deepEqual(await held(), [broken.run]);
  }));

test("one run, or one tenant, and the others stay as they are", () =>
  engine(async (by) => {
    const [one, two] = [newKey(), newKey()];
    const beside = { tenant: one.tenant, run: newKey().run };
    for (const key of [one, two, beside]) await write(by, key, ended);
    await database.ask("UPDATE run SET status = 'waiting'");
    assert.deepEqual(await said({ run: two.run }), { [two.run]: "rebuilt" });
    assert.deepEqual(await said({ tenant: one.tenant, run: one.run }), { [one.run]: "rebuilt" });
    assert.deepEqual(await said({ tenant: one.tenant }), { [one.run]: "same", [beside.run]: "rebuilt" });
    assert.deepEqual(await said({ tenant: randomUUID() }), {});
  }));

test("B2: runs that move meanwhile are left as their engine writes them", () =>
  engine(async (by) => {
    const keys = Array.from({ length: 20 }, newKey);
    const states = new Map<RunKey, RunState>();
    for (const key of keys) states.set(key, await write(by, key, [admitted(), { type: "run_started", data: { deadlineAt: null } }]));
    let isOn = true;
    const moving = keys.map(async (key) => {
      for (let n = 1; isOn; n++) {
        const node = `s${n}`;
        const start: NewEvent = { type: "step_started", data: { node, attempt: 1 } };
        const end: NewEvent = { type: "step_succeeded", data: { node, attempt: 1, output: n, cpuMs: 1 } };
        for (const events of [[start], [end]]) states.set(key, await again(() => write(by, key, events, states.get(key))));
      }
    });
    const seen: string[] = [];
    for (let round = 0; round < 10; round++) seen.push(...Object.values(await said()));
    isOn = false;
    await Promise.all(moving);
    assert.deepEqual([...new Set(seen)], ["same"]);
    assert.deepEqual([...new Set(Object.values(await said()))], ["same"]);
    const heads = [...states.values()].map(({ head }) => head);
    assert.ok(Math.min(...heads) > 10, `${heads}`);
  }));

/** An append that met the lock of a rebuild answers null: its engine loads the run, which has not moved, and asks again. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

test("a run that an engine drives, and whose row is damaged meanwhile, is mended under its lock and goes on", () =>
  engine(async (by) => {
    const key = newKey();
    const state = await write(by, key, waiting(Date.now()));
    await database.ask("UPDATE run SET status = 'failed', next_due = NULL, waiting_for = NULL");
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("SELECT FROM run FOR UPDATE");
    const rebuilding = said();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await locker.query("ROLLBACK");
    await locker.end();
    assert.deepEqual(await rebuilding, { [key.run]: "rebuilt" });
    const after = await write(by, key, [{ type: "cancel_requested", data: { request: "r" } }], state);
    assert.equal(after.head, state.head + 1);
  }));

test("a role that is neither the engine's nor may take it is refused", async () => {
  await assert.rejects(
    rebuild(database.control, {}, () => undefined),
    { code: "WOML_DATABASE_RIGHTS_MISSING" },
  );
  await assert.rejects(
    rebuild(database.url, {}, () => undefined),
    { code: "WOML_DATABASE_ROLE_TOO_POWERFUL" },
  );
  await rebuild(database.url, { setRole: true }, () => undefined);
});
