// INVARIANTS
// B1 Only what is derived is written: the row of a run, its timers, what lanes count, and what tenants use; never an event. Owner and epoch stay, so whoever drives the run
//    goes on.
// B2 A run is compared and written under its row's lock, at the head that was folded: an append is before it or after it, never beside it.
// B3 What was written is read again in the same transaction and compared; what still differs is not kept.
// B4 A log that does not fold stops nothing but its own run: that is held, as an engine would hold it.
import { asRunId, asTenantId, BrokenLog, fold, genesis, project, type RunEvent, type RunKey, type RunState, timers } from "@woml/run";
import { Client } from "pg";
import { differences, placeOf, type StoredRun } from "./derived.ts";
import { recount } from "./line.ts";
import { assertService } from "./role.ts";
import { engineSession, MS, placed, type SessionOptions } from "./session.ts";
import { recountUsage } from "./usage.ts";

export interface RebuildOptions extends SessionOptions {
  /** Absent: of every tenant; every run. */
  readonly tenant?: string | undefined;
  readonly run?: string | undefined;
  /** Compares, and writes nothing. */
  readonly dryRun?: boolean;
  /** Held runs whose log folds are let go of, so that engines take them up again. */
  readonly free?: boolean;
}
/**
 * What became of one run. `differences` are in words. `rebuilt` has none left; `differs` has them still: by a dry run, or because they cannot be mended.
 * `broken`: the log does not fold, and the run is held (`reason`) unless it has ended.
 */
export interface RebuiltRun extends RunKey {
  readonly outcome: "same" | "rebuilt" | "differs" | "broken";
  readonly differences: readonly string[];
  readonly isFreed: boolean;
  readonly reason: string | null;
}

/** How many timers there were that belong to no run, lanes that did not count who holds a place there, and counts of what tenants use that the logs do not say. */
export interface Besides {
  readonly stray: number;
  readonly lanes: number;
  readonly usage: number;
}

const PAGE = 256;
const EVENTS = 1_000;
/** A person waits: longer than an append may be under way, and than a page of long events takes. */
const LIMITS = { lock_timeout: 10_000, statement_timeout: 60_000, query_timeout: 65_000, idle_in_transaction_session_timeout: 120_000 };
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const FIRST = "00000000-0000-0000-0000-000000000000";

/** Runs with a row, and logs without one, by tenant and id. $1, $2: after which, $3: to which tenant, $4: that run alone, $5: how many. */
const KEYS = `SELECT tenant, run FROM (
  (SELECT tenant, id AS run FROM run WHERE (tenant, id) > ($1::uuid, $2::uuid) AND tenant <= $3::uuid AND id = coalesce($4::uuid, id)
    ORDER BY tenant, id LIMIT $5)
  UNION (SELECT e.tenant, e.run FROM run_event e WHERE e.seq = 1 AND (e.tenant, e.run) > ($1::uuid, $2::uuid)
    AND e.tenant <= $3::uuid AND e.run = coalesce($4::uuid, e.run) AND NOT EXISTS (SELECT FROM run r WHERE r.tenant = e.tenant AND r.id = e.run)
    ORDER BY e.tenant, e.run LIMIT $5)
) k ORDER BY tenant, run LIMIT $5`;
const EVENTS_AFTER = `SELECT seq, at, type, data::text AS data FROM run_event
  WHERE tenant = $1 AND run = $2 AND seq > $3 ORDER BY seq LIMIT ${EVENTS}`;
const ROW = `SELECT workflow, version, labels, status, head, at, waiting_for AS "waitingFor", next_due AS "nextDue", held, holds FROM run
  WHERE tenant = $1 AND id = $2 FOR NO KEY UPDATE`;
const TIMERS = 'SELECT subject, kind, due_at AS "dueAt" FROM timer WHERE tenant = $1 AND run = $2';
const WRITE = `INSERT INTO run (tenant, id, workflow, version, labels, status, head, at, waiting_for, next_due, holds)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10, $11)
  ON CONFLICT (tenant, id) DO UPDATE SET workflow = $3, version = $4, labels = $5, status = $6, head = $7, at = $8, waiting_for = $9::json, next_due = $10,
    holds = $11`;
const CLEAR = "DELETE FROM timer WHERE tenant = $1 AND run = $2";
const SET = `INSERT INTO timer (tenant, run, subject, kind, due_at)
  SELECT $1, $2, t.* FROM unnest($3::text[], $4::text[], $5::bigint[]) AS t(subject, kind, due_at)`;
const FREE = "UPDATE run SET held = NULL, held_at = NULL, claims = 0 WHERE tenant = $1 AND id = $2 AND held IS NOT NULL";
const HOLD = `UPDATE run SET held = $3, held_at = ${MS}, owner = NULL, epoch = epoch + 1, holds = false, lined_at = NULL
  WHERE tenant = $1 AND id = $2 AND held IS NULL AND status NOT IN ('succeeded', 'failed', 'cancelled')`;
/** Timers of what is no run: no log says that they are to be. */
const STRAY = `DELETE FROM timer t WHERE t.tenant = coalesce($1::uuid, t.tenant) AND t.run = coalesce($2::uuid, t.run)
  AND NOT EXISTS (SELECT FROM run_event e WHERE e.tenant = t.tenant AND e.run = t.run AND e.seq = 1)`;

/**
 * Makes what is stored beside the logs anew from the logs, while engines go on. `url` is that of the engine's role, or of a user that may take it.
 * `told` of each run as it is done. Answers what there was besides.
 */
export async function rebuild(url: string, options: RebuildOptions, told: (one: RebuiltRun) => void): Promise<Besides> {
  const client = new Client({ ...engineSession(placed(url, "engine", options)), ...LIMITS, application_name: "woml-rebuild" });
  // A session that breaks fails the next question too.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await assertService(async (sql) => (await client.query(sql)).rows, url, "engine");
    for await (const key of keysOf(client, options)) told(await rebuildRun(client, key, options));
    const query = (text: string, values?: unknown[]) => client.query(text, values);
    const [lanes, usage] = [await recount(query, options), await recountUsage(query, options)];
    return { stray: await clearStray(client, options), lanes, usage };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function* keysOf(client: Client, { tenant, run }: RebuildOptions): AsyncGenerator<RunKey> {
  for (let after = [tenant ?? FIRST, FIRST]; ; ) {
    const { rows } = await client.query<{ tenant: string; run: string }>(KEYS, [...after, tenant ?? LAST, run ?? null, PAGE]);
    for (const row of rows) yield { tenant: asTenantId(row.tenant), run: asRunId(row.run) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = [last.tenant, last.run];
  }
}

async function clearStray(client: Client, { tenant, run, dryRun }: RebuildOptions): Promise<number> {
  await client.query("BEGIN");
  const { rowCount } = await client.query(STRAY, [tenant ?? null, run ?? null]);
  await client.query(dryRun ? "ROLLBACK" : "COMMIT");
  return rowCount ?? 0;
}

async function rebuildRun(client: Client, key: RunKey, options: RebuildOptions): Promise<RebuiltRun> {
  // Long logs are folded before the row is locked; what came meanwhile, after.
  const early = await foldFrom(client, key, genesis);
  await client.query("BEGIN");
  try {
    const row = await readRow(client, key);
    const state = typeof early === "string" ? early : await foldFrom(client, key, early);
    const done = typeof state === "string" ? await hold(client, key, state) : await mend(client, { key, row, state }, options);
    const isKept = !options.dryRun && done.outcome !== "differs";
    await client.query(isKept ? "COMMIT" : "ROLLBACK");
    return done;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** The state at the end of the log, or why there is none. */
async function foldFrom(client: Client, { tenant, run }: RunKey, from: RunState): Promise<RunState | string> {
  for (let state = from; ; ) {
    const { rows } = await client.query<{ seq: number; at: number; type: string; data: string }>(EVENTS_AFTER, [tenant, run, state.head]);
    try {
      for (const { data, ...event } of rows) state = fold(state, { ...event, data: JSON.parse(data) } as RunEvent);
    } catch (error) {
      return error instanceof BrokenLog ? `${error.code} at event ${error.seq}` : String(error);
    }
    if (rows.length < EVENTS) return state.head === 0 ? "there is a row, and no log" : state;
  }
}

async function readRow(client: Client, { tenant, run }: RunKey): Promise<StoredRun | null> {
  const [row] = (await client.query<Omit<StoredRun, "timers">>(ROW, [tenant, run])).rows;
  if (row === undefined) return null;
  return { ...row, timers: (await client.query<StoredRun["timers"][number]>(TIMERS, [tenant, run])).rows };
}

async function hold(client: Client, key: RunKey, reason: string): Promise<RebuiltRun> {
  await client.query(HOLD, [key.tenant, key.run, reason]);
  return { ...key, outcome: "broken", differences: [], isFreed: false, reason };
}

interface Found {
  readonly key: RunKey;
  readonly row: StoredRun | null;
  readonly state: RunState;
}

async function mend(client: Client, { key, row, state }: Found, { dryRun = false, free = false }: RebuildOptions): Promise<RebuiltRun> {
  const found = differences(row, state);
  const isFreed = free && row !== null && row.held !== null;
  if (!dryRun) {
    if (found.length > 0) await write(client, key, { state, held: row?.held ?? null });
    if (isFreed) await client.query(FREE, [key.tenant, key.run]);
  }
  const left = dryRun || found.length === 0 ? found : differences(await readRow(client, key), state);
  const outcome = left.length > 0 ? "differs" : found.length > 0 ? "rebuilt" : "same";
  return { ...key, outcome, differences: found, isFreed: isFreed && !dryRun && outcome !== "differs", reason: null };
}

async function write(
  client: Client,
  { tenant, run }: RunKey,
  { state, held }: { readonly state: RunState; readonly held: string | null },
): Promise<void> {
  const { admitted, head, at } = state;
  const { status, waitingFor, nextDue } = project(state);
  const waiting = waitingFor === null ? null : JSON.stringify(waitingFor);
  const columns = [admitted?.workflow, admitted?.version, admitted?.labels, status, head, at, waiting, nextDue, placeOf(held, state)];
  await client.query(WRITE, [tenant, run, ...columns]);
  const alarms = timers(state);
  await client.query(CLEAR, [tenant, run]);
  await client.query(SET, [tenant, run, alarms.map((t) => t.subject), alarms.map((t) => t.kind), alarms.map((t) => t.dueAt)]);
}
