import { asRunId, asTenantId, type RunKey } from "@woml/run";
import { DatabaseError, Pool } from "pg";
import { keyOf, write } from "./append.ts";
import { Appender } from "./appender.ts";
import { ANSWER, AWAIT_DECISIONS, CLAIM, CLAIM_HELD, DECISIONS_OF, HOLD, OWN_DUE, VOUCH } from "./claim.ts";
import { draws } from "./draw.ts";
import type { EngineStore, InboxRequest } from "./engine-store.ts";
import { type InboxRow, readRequest } from "./inbox.ts";
import { FENCE, openLease, PEERS } from "./lease.ts";
import { countLanes, INBOX, OPENS } from "./line.ts";
import { Link } from "./link.ts";
import { type Ask, loadDefinitions, loadRun, type Row, withEvents } from "./load.ts";
import { DECISIONS } from "./lock.ts";
import { pendingOf } from "./pending.ts";
import { permits } from "./permit.ts";
import { assertService } from "./role.ts";
import { APPENDS, engineSession, placed, type SessionOptions } from "./session.ts";
import { STUCK } from "./stuck.ts";
import { metering, Usage } from "./usage.ts";

/** The part of a log that the store writes to. */
export interface StoreLog {
  warn(fields: object, message: string): void;
}
export interface EngineStoreOptions extends SessionOptions {
  /** Told of each append statement that returned: how many runs were in it, and how long it took. */
  readonly appended?: ((runs: number, ms: number) => void) | undefined;
}
const CONNECTIONS = 4;

/**
 * The engine's store on PostgreSQL. Appends have a session of their own, so that nothing stands before them. Rejects with
 * WOML_DATABASE_ROLE_TOO_POWERFUL for a role that row-level security does not bind.
 */
export async function openEngineStore(url: string, log?: StoreLog, options: EngineStoreOptions = {}): Promise<EngineStore> {
  const place = (settings?: string): string => placed(url, "engine", options, settings);
  const pool = new Pool({ ...engineSession(place()), max: CONNECTIONS });
  // Once it is closing, PostgreSQL may be stopping before it has heard that.
  pool.on("error", (error) => (pool.ending ? undefined : log?.warn({ reason: error.message }, "a session of the database broke")));
  try {
    await assertService(async (sql) => (await pool.query(sql)).rows, url, "engine");
  } catch (error) {
    await pool.end();
    throw error;
  }
  return engineStore(place, pool, { log, appended: options.appended });
}

type Told = { readonly log: StoreLog | undefined } & Pick<EngineStoreOptions, "appended">;

function engineStore(place: (settings?: string) => string, pool: Pool, { log, appended }: Told): EngineStore {
  let commits = 0;
  const wrote = (): void => {
    commits += 1;
  };
  const ask: Ask = (statement) => pool.query(statement);
  /** Counts only what wrote something: asking in vain costs no commit. */
  const change = async (text: string, values: unknown[]): Promise<number> => {
    const changed = (await pool.query(text, values)).rowCount ?? 0;
    if (changed > 0) wrote();
    return changed;
  };
  const usage = new Usage();
  const link = new Link(engineSession(place(APPENDS)));
  const appender = new Appender(async (batch, careful) => {
    wrote();
    const sentAt = performance.now();
    try {
      const moved = await write((statement) => link.ask(statement), batch, careful);
      appended?.(batch.length, performance.now() - sentAt);
      usage.note(batch, ({ append }) => moved.get(keyOf(append)));
      return moved;
    } catch (error) {
      log?.warn({ reason: reasonOf(error), runs: batch.length, careful }, "an append failed");
      throw error;
    }
  });
  const answer: EngineStore["answer"] = async (requests) => {
    const sorted = requests.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    await change(ANSWER, [sorted.map((r) => r.tenant), sorted.map((r) => r.id), sorted.map((r) => r.answer)]);
  };
  return {
    openLease: (engine, leaseMs) => openLease(place(), { engine, leaseMs }, wrote),
    fence: async (engine) => {
      const { rows } = await pool.query<{ id: string }>(FENCE, [engine]);
      if (rows.length > 0) wrote();
      return rows.map(({ id }) => id);
    },
    ...looks(ask),
    ...{ countLanes: () => count(pool, wrote), meter: metering(usage, ask, change) },
    pendingMigrations: () => pendingOf(async (text) => (await pool.query(text)).rows),
    claim: async (engine, limit) => {
      const { rows } = await ask<Row>({ name: "claim", text: CLAIM, values: [engine, limit] });
      if (rows.length > 0) wrote();
      return withEvents(ask, rows);
    },
    vouch: (engine, runs) => vouch(ask, engine, runs).then(wrote),
    claimHeld: async (engine, key) => {
      const { rows } = await ask<Row>({ name: "claim_held", text: CLAIM_HELD, values: [engine, key.tenant, key.run] });
      if (rows.length > 0) wrote();
      return (await withEvents(ask, rows))[0] ?? null;
    },
    inbox: async (engine, limit, starts) => {
      const { rows } = await ask<InboxRow>({ name: "inbox", text: INBOX, values: [engine, limit, starts] });
      const [known, unknown] = sort(rows);
      if (unknown.length > 0) {
        log?.warn({ requests: unknown.map(({ id }) => id) }, "requests that no engine can read were refused");
        await answer(unknown.map(({ tenant, id }) => ({ tenant: asTenantId(tenant), id, answer: "REQUEST_NOT_READABLE" })));
      }
      return known;
    },
    load: (key) => loadRun(ask, key),
    definitions: (wanted) => loadDefinitions(ask, wanted),
    ...{ ...draws(ask, wrote), ...permits(ask) },
    append: (wanted) => appender.append(wanted),
    answer,
    hold: async (key, owner, reason) => (await change(HOLD, [key.tenant, key.run, owner.engine, owner.epoch, reason])) > 0,
    get commits() {
      return commits;
    },
    close: async () => {
      await appender.idle();
      await Promise.all([link.close(), pool.end()]);
    },
  };
}

function looks(ask: Ask): Pick<EngineStore, "due" | "peers" | "stuck" | "decisions" | "opens"> {
  return {
    due: async (engine, limit) => {
      const { rows } = await ask<{ tenant: string; run: string }>({ name: "due", text: OWN_DUE, values: [engine, limit] });
      return rows.map(({ tenant, run }) => ({ tenant: asTenantId(tenant), run: asRunId(run) }));
    },
    opens: async () => (await ask<{ at: number | null }>({ name: "opens", text: OPENS, values: [] })).rows[0]?.at ?? null,
    decisions: async ({ tenant, run }) => {
      await ask({ name: "await_decisions", text: AWAIT_DECISIONS, values: [DECISIONS, run] });
      const { rows } = await ask<InboxRow>({ name: "decisions", text: DECISIONS_OF, values: [tenant, run] });
      return sort(rows)[0];
    },
    peers: async () => (await ask<{ id: string }>({ name: "peers", text: PEERS, values: [] })).rows.map(({ id }) => id),
    stuck: async () => (await ask<{ count: number }>({ name: "stuck", text: STUCK, values: [] })).rows[0]?.count ?? 0,
  };
}

async function count(pool: Pool, wrote: () => void): Promise<void> {
  const { rows } = await pool.query({ name: "uncounted", text: "SELECT FROM lane WHERE NOT counted LIMIT 1", values: [] });
  if (rows.length === 0) return;
  const session = await pool.connect();
  try {
    if ((await countLanes((text, values) => session.query(text, values))) > 0) wrote();
  } finally {
    session.release();
  }
}

async function vouch(ask: Ask, engine: string, runs: readonly RunKey[]): Promise<void> {
  await ask({ name: "vouch", text: VOUCH, values: [engine, runs.map(({ tenant }) => tenant), runs.map(({ run }) => run)] });
}

/** PostgreSQL's messages may quote what was sent: its code says enough. */
function reasonOf(error: unknown): string {
  if (error instanceof DatabaseError) return error.code ?? "";
  return error instanceof Error ? error.message : String(error);
}

/** One row that nobody can read must not stand before all others for ever. */
function sort(rows: readonly InboxRow[]): readonly [InboxRequest[], InboxRow[]] {
  const [known, unknown]: [InboxRequest[], InboxRow[]] = [[], []];
  for (const row of rows) {
    const request = readRequest(row);
    if (request) known.push(request);
    else unknown.push(row);
  }
  return [known, unknown];
}
