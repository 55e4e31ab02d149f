// A double of the engine's store for its simulation: one shared state, a handle per engine, no timer and no chance. It passes the same
// contract suite as PostgreSQL; nothing but tests opens it.
import type { Json } from "@woml/model";
import type { RunEvent, RunKey, TenantId, Timer } from "@woml/run";
import { keyOf } from "./append.ts";
import { endedOf } from "./draw.ts";
import type { Append, EngineStore, LoadedRun, Moved, StoredDefinition } from "./engine-store.ts";
import type { LaneKey, LaneLimits } from "./lane.ts";
import { type MemoryLane, MemoryLanes } from "./memory-lane.ts";
import { fence, openLease } from "./memory-lease.ts";
import {
  claimable,
  decisions,
  dueOf,
  holdersOf,
  inbox,
  isOrphaned,
  lives,
  type MemoryRequest,
  type MemoryRun,
  type Row,
  startsOf,
  type Tables,
} from "./memory-look.ts";
import { type MemoryOwn, memoryOwn } from "./memory-own.ts";
import { MemoryUsage } from "./memory-usage.ts";
import { type MemoryVault, memoryVault } from "./memory-vault.ts";
import { storable } from "./storable.ts";
import { isStuck } from "./stuck.ts";

export { type MemoryTriggers, memoryTriggers } from "./memory-trigger.ts";
export type { MemoryLane, MemoryRequest, MemoryRun };

export interface MemoryStore {
  /** A handle of one engine's own. */
  open(): EngineStore;
  /** The engine's process is gone: its lock is free and its lease's `lost` resolves. */
  breakLease(engine: string): void;
  isFenced(engine: string): boolean;
  /** Releases, what was said of them, modules and secrets. */
  readonly vault: MemoryVault;
  publish(version: { readonly tenant: TenantId; readonly version: string } & StoredDefinition): void;
  /** Makes a version the one that a script starts. */
  activate(tenant: TenantId, workflow: string, version: string): void;
  subscribe: MemoryOwn["subscribe"];
  readonly announced: MemoryOwn["announced"];
  readonly delivered: MemoryOwn["delivered"];
  request(asked: RunKey & Pick<MemoryRequest, "id" | "body" | "dueAt">): void;
  setLane(key: LaneKey, limits: LaneLimits): void;
  setQuota: MemoryUsage["limit"];
  lanes(): readonly MemoryLane[];
  /** An operator has mended the cause: a held run may be claimed again. */
  unhold(key: RunKey): void;
  run(key: RunKey): MemoryRun | null;
  timers(key: RunKey): readonly Timer[];
  requests(): readonly MemoryRequest[];
}

/** `clock` is PostgreSQL's: epoch milliseconds. */
export function memoryStore(clock: () => number): MemoryStore {
  const vault = memoryVault();
  const runs: Tables["runs"] = new Map();
  const requests: Tables["requests"] = new Map();
  const ask = (asked: RunKey & Pick<MemoryRequest, "id" | "body" | "digest" | "dueAt">): void => {
    const row = { ...asked, createdAt: clock(), consumed: false, answer: null };
    requests.set(`${asked.tenant} ${asked.id}`, row);
  };
  const usage = new MemoryUsage(clock);
  const own = memoryOwn({
    starts: usage.starts,
    request: ask,
    startOf: ({ tenant, run }) =>
      [...requests.values()].find((one) => one.tenant === tenant && one.run === run && one.body.kind === "start") ?? null,
    endOf: (key) => {
      const last = runs.get(keyOf(key))?.log.at(-1);
      return last === undefined ? null : endedOf(last.type, JSON.parse(last.text));
    },
    isAdmitted: (key) => runs.has(keyOf(key)),
    ownerOf: (key) => runs.get(keyOf(key))?.owner ?? null,
  });
  const tables: Tables = {
    clock,
    engines: new Map(),
    runs,
    requests,
    definitions: new Map(),
    vault,
    own,
    lanes: new MemoryLanes(),
    usage,
  };
  return {
    vault,
    open: () => handle(tables),
    breakLease: (engine) => {
      const row = tables.engines.get(engine);
      if (row) row.locked = false;
      row?.lose();
    },
    isFenced: (engine) => tables.engines.get(engine)?.fenced === true,
    publish: ({ tenant, version, ...stored }) => void tables.definitions.set(`${tenant} ${version}`, stored),
    activate: own.activate,
    subscribe: own.subscribe,
    announced: own.announced,
    delivered: own.delivered,
    request: ask,
    setQuota: (tenant, quota, limit) => tables.usage.limit(tenant, quota, limit),
    setLane: (key, limits) => tables.lanes.set(key, limits, holdersOf(tables, key)),
    lanes: () => tables.lanes.all,
    unhold: (key) => change(tables, key, { held: null, heldAt: null }),
    run: (key) => {
      const row = tables.runs.get(keyOf(key));
      return row ? shown(row) : null;
    },
    timers: (key) => [...(tables.runs.get(keyOf(key))?.timers.values() ?? [])],
    requests: () => [...tables.requests.values()],
  };
}

function handle(tables: Tables): EngineStore {
  let commits = 0;
  const counted = <T>(wrote: boolean, answer: T): T => {
    if (wrote) commits += 1;
    return answer;
  };
  return {
    openLease: async (engine, leaseMs) => counted(true, openLease(tables, engine, leaseMs)),
    fence: async (engine) => {
      const dead = fence(tables, engine);
      return counted(dead.length > 0, dead);
    },
    pendingMigrations: async () => [],
    stuck: async () => [...tables.runs.values()].filter(isStuck).length,
    peers: async () => [...tables.engines].flatMap(([id, row]) => (row.fenced ? [] : [id])).toSorted(),
    claim: async (engine, limit) => {
      const rows = lives(tables, engine) ? claimable(tables).slice(0, limit) : [];
      for (const row of rows) take(tables, row, engine);
      return counted(
        rows.length > 0,
        rows.flatMap((row) => read(tables, row.key) ?? []),
      );
    },
    vouch: async (engine, runs) => {
      const isOwn = (row: Row): boolean => row.owner === engine && row.claims > 0;
      const own = runs.flatMap((key) => tables.runs.get(keyOf(key)) ?? []).filter(isOwn);
      for (const row of own) change(tables, row.key, { claims: 0 });
      counted(own.length > 0, null);
    },
    due: async (engine, limit) => dueOf(tables, (row) => row.owner === engine && row.held === null, limit),
    claimHeld: async (engine, key) => {
      const row = tables.runs.get(keyOf(key));
      const mayTake =
        row !== undefined &&
        (row.held !== null || row.linedAt !== null) &&
        lives(tables, engine) &&
        (row.owner === engine || isOrphaned(tables, row));
      if (mayTake) change(tables, key, { owner: engine, epoch: row.epoch + 1 });
      return counted(mayTake, mayTake ? read(tables, key) : null);
    },
    decisions: async (key) => decisions(tables, key),
    inbox: async (engine, limit, starts) => inbox(tables, engine, starts).slice(0, limit),
    countLanes: async () => {},
    meter: async () => {
      tables.usage.write();
      return tables.usage.spent;
    },
    opens: async () => tables.lanes.opens(startsOf(tables)),
    load: async (key) => read(tables, key),
    definitions: async (wanted) => wanted.map((w) => tables.definitions.get(`${w.tenant} ${w.version}`) ?? null),
    fencedUntil: async () => Math.max(0, ...[...tables.engines.values()].filter((row) => row.fenced).map((row) => row.expiresAt)),
    ...tables.own.draws,
    ...tables.vault.permits,
    append: async (wanted) => counted(true, append(tables, wanted)),
    answer: async (requests) => {
      for (const { tenant, id, answer } of requests) passOn(tables, consume(tables, `${tenant} ${id}`, answer));
      counted(requests.length > 0, null);
    },
    hold: async (key, owner, reason) => {
      const row = tables.runs.get(keyOf(key));
      const holds = row !== undefined && row.owner === owner.engine && row.epoch === owner.epoch;
      if (holds) {
        tables.lanes.leave(key.tenant, row);
        change(tables, key, { owner: null, epoch: row.epoch + 1, held: reason, heldAt: tables.clock(), holds: false, linedAt: null });
      }
      return counted(holds, holds);
    },
    get commits() {
      return commits;
    },
    close: async () => {},
  };
}

function take(tables: Tables, row: Row, engine: string): void {
  change(tables, row.key, { owner: engine, epoch: row.epoch + 1, claims: row.claims + 1, claimedAt: tables.clock() });
}

/** As append.sql: the row must stand where the append says, or not exist when it admits. */
function append(tables: Tables, wanted: Append): Moved | null {
  const log = wanted.events.map(({ type, data }) => ({ type, text: storable(data) }));
  storable(wanted.projection.waitingFor);
  const key = { tenant: wanted.tenant, run: wanted.run };
  const before = tables.runs.get(keyOf(key)) ?? null;
  const row = wanted.admission ? admitted(tables, wanted, before) : fenced(wanted, before);
  if (row === null) return null;
  tables.own.check(key.tenant, row.workflow, wanted.own);
  takePlace(tables, wanted, row);
  const at = Math.max(row.at, wanted.at);
  const timers = new Map(row.timers);
  for (const timer of wanted.set) timers.set(`${timer.kind} ${timer.subject}`, timer);
  for (const timer of wanted.cleared) timers.delete(`${timer.kind} ${timer.subject}`);
  for (const id of wanted.requests) {
    const asked = tables.requests.get(`${key.tenant} ${id}`);
    if (asked?.run === key.run) consume(tables, `${key.tenant} ${id}`, null);
  }
  const head = row.head + log.length;
  const isPlaceFree = tables.lanes.shift(wanted, row, tables.clock());
  tables.usage.note(wanted, at);
  const moved = { ...row, ...wanted.projection, claims: 0, held: null, heldAt: null, head, at, timers, linedAt: null };
  tables.runs.set(keyOf(key), { ...moved, log: [...row.log, ...log.map((event) => ({ ...event, at }))] });
  return { head, at, now: tables.clock(), ...tables.own.apply(key, row.workflow, wanted.own), ...(isPlaceFree ? { isPlaceFree } : {}) };
}

/** Throws NoRoom; one that has begun stands in line then. */
function takePlace(tables: Tables, wanted: Append, row: Row): void {
  try {
    tables.lanes.check(wanted, row);
  } catch (error) {
    if (wanted.admission === null)
      change(tables, row.key, { linedAt: row.linedAt ?? tables.clock(), owner: null, epoch: row.epoch + 1, claims: 0 });
    throw error;
  }
}

function fenced(wanted: Append, row: Row | null): Row | null {
  const stands = row !== null && row.head === wanted.expected && row.owner === wanted.owner && row.epoch === wanted.epoch;
  return stands ? row : null;
}

function admitted(tables: Tables, wanted: Append, row: Row | null): Row | null {
  if (row !== null || wanted.admission === null || !lives(tables, wanted.owner)) return null;
  const { tenant, run, owner, epoch, projection, admission } = wanted;
  const fresh = {
    head: 0,
    at: 0,
    claims: 0,
    claimedAt: 0,
    held: null,
    heldAt: null,
    linedAt: null,
    log: [],
    timers: new Map<string, Timer>(),
  };
  const { workflow, version, labels } = admission;
  return { ...fresh, ...projection, workflow, version, labels, key: { tenant, run }, owner, epoch, holds: false };
}

function change(tables: Tables, key: RunKey, fields: Partial<Row>): void {
  const row = tables.runs.get(keyOf(key));
  if (row) tables.runs.set(keyOf(key), { ...row, ...fields });
}

/** The end of a run that another one called, to the run that resumes that one. */
function passOn({ requests, clock }: Tables, answered: MemoryRequest | null): void {
  if (answered?.body.kind !== "child_settled") return;
  const { tenant, run, body } = answered;
  for (const other of [...requests.values()]) {
    if (other.tenant !== tenant || other.body.kind !== "start" || other.body.resumed?.run !== run) continue;
    const id = `child ${body.child} of ${other.run}`;
    if (!requests.has(`${tenant} ${id}`))
      requests.set(`${tenant} ${id}`, { tenant, run: other.run, id, body, createdAt: clock(), consumed: false, answer: null });
  }
}

/** Answers it as it was; null: it was consumed before, or is not there. */
function consume(tables: Tables, id: string, answer: string | null): MemoryRequest | null {
  const request = tables.requests.get(id);
  if (request?.consumed !== false) return null;
  tables.requests.set(id, { ...request, consumed: true, answer });
  return request;
}

function read(tables: Tables, key: RunKey): LoadedRun | null {
  const row = tables.runs.get(keyOf(key));
  return row ? loaded(row) : null;
}

function loaded(row: Row): LoadedRun {
  const { key, workflow, version, status, owner, epoch, claims, held, head, at: last } = row;
  const events = row.log.map(({ at, type, text }, i) => ({ seq: i + 1, at, type, data: JSON.parse(text) as Json }) as RunEvent);
  return { ...key, workflow, version, status, owner, epoch, claims, held, isLined: row.linedAt !== null, head, at: last, events };
}

function shown(row: Row): MemoryRun {
  const { heldAt, nextDue, waitingFor, labels, holds, linedAt } = row;
  return { ...loaded(row), heldAt, nextDue, waitingFor, labels, holds, linedAt };
}
