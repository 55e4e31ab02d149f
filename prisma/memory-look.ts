// What is looked up in the memory's double of the store, as claim.ts and line.ts ask it.
import type { RunKey, Timer } from "@woml/run";
import { keyOf } from "./append.ts";
import type { Append, InboxRequest, LoadedRun, StoredDefinition } from "./engine-store.ts";
import type { LaneKey } from "./lane.ts";
import type { MemoryLanes } from "./memory-lane.ts";
import type { EngineRow } from "./memory-lease.ts";
import type { MemoryOwn } from "./memory-own.ts";
import type { MemoryUsage } from "./memory-usage.ts";
import type { MemoryVault } from "./memory-vault.ts";

export interface MemoryRequest extends RunKey {
  readonly id: string;
  readonly createdAt: number;
  readonly body: InboxRequest["body"];
  readonly consumed: boolean;
  readonly answer: string | null;
  /** Of a start that another run asked for. */
  readonly digest?: string;
  /** Of a start: not before then. */
  readonly dueAt?: number;
}
/** A row of `run` with its events, as they stand. */
export interface MemoryRun extends LoadedRun {
  readonly heldAt: number | null;
  readonly nextDue: number | null;
  readonly waitingFor: Append["projection"]["waitingFor"];
  readonly labels: readonly string[];
  readonly holds: boolean;
  readonly linedAt: number | null;
}
export interface Row extends Omit<MemoryRun, "events" | "isLined" | keyof RunKey> {
  readonly key: RunKey;
  readonly claimedAt: number;
  readonly log: readonly { readonly at: number; readonly type: string; readonly text: string }[];
  readonly timers: ReadonlyMap<string, Timer>;
}
export interface Tables {
  readonly clock: () => number;
  readonly engines: Map<string, EngineRow>;
  readonly runs: Map<string, Row>;
  readonly requests: Map<string, MemoryRequest>;
  readonly definitions: Map<string, StoredDefinition>;
  readonly vault: MemoryVault;
  readonly own: MemoryOwn;
  readonly lanes: MemoryLanes;
  readonly usage: MemoryUsage;
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

export function lives(tables: Tables, engine: string): boolean {
  return tables.engines.get(engine)?.fenced === false;
}

export function isOrphaned(tables: Tables, row: Row): boolean {
  return row.owner === null || !lives(tables, row.owner);
}

export function claimable(tables: Tables): readonly Row[] {
  const now = tables.clock();
  const open = [...tables.requests.values()].filter((request) => !request.consumed && request.body.kind !== "start");
  const asked = new Set(open.map(keyOf));
  const room = new Set(tables.lanes.next(linedRuns(tables)).map(keyOf));
  const isPatient = (row: Row): boolean => row.claims < 2 || row.claimedAt + 1000 * 2 ** Math.min(row.claims - 2, 10) <= now;
  const isDue = (row: Row): boolean => (row.nextDue ?? Infinity) <= now || (asked.has(keyOf(row.key)) && !ENDED.has(row.status));
  const isOver = ({ timers }: Row): boolean =>
    [...timers.values()].some(({ kind, dueAt }) => /^(deadline|approval)$/.test(kind) && dueAt <= now);
  const mayGo = (row: Row): boolean => (row.linedAt === null ? isDue(row) : room.has(keyOf(row.key)) || isOver(row));
  const free = [...tables.runs.values()].filter((row) => row.held === null && isOrphaned(tables, row) && isPatient(row) && mayGo(row));
  return free.toSorted((a, b) => (a.nextDue ?? Infinity) - (b.nextDue ?? Infinity));
}

function linedRuns({ runs }: Tables): readonly (Row & RunKey)[] {
  const lined = [...runs.values()].filter(({ linedAt, held }) => linedAt !== null && held === null);
  return lined.toSorted((a, b) => (a.linedAt ?? 0) - (b.linedAt ?? 0)).map((row) => ({ ...row, ...row.key }));
}

export function holdersOf({ runs }: Tables, { tenant, kind, name }: LaneKey): number {
  return [...runs.values()].filter((row) => row.key.tenant === tenant && row.holds && (kind === "tenant" || row.workflow === name)).length;
}

export function dueOf(tables: Tables, which: (row: Row) => boolean, limit: number): readonly RunKey[] {
  const found = [...tables.runs.values()].filter((row) => which(row) && (row.nextDue ?? Infinity) <= tables.clock());
  return found
    .toSorted((a, b) => (a.nextDue ?? 0) - (b.nextDue ?? 0))
    .map((row) => row.key)
    .slice(0, limit);
}

export function inbox(tables: Tables, engine: string, starts: boolean): readonly InboxRequest[] {
  const open = [...tables.requests.values()].filter((request) => !request.consumed);
  const waiting = startsOf(tables);
  const words = open.flatMap(({ tenant, run, id, createdAt, body }): InboxRequest[] => {
    const row = tables.runs.get(keyOf({ tenant, run }));
    const concerns =
      !row ||
      row.owner === engine ||
      ENDED.has(row.status) ||
      (isOrphaned(tables, row) &&
        ((row.held !== null && body.kind !== "child_settled") || (row.linedAt !== null && body.kind === "cancel")));
    if (body.kind === "start" || !concerns) return [];
    const isStarting = !row && waiting.some((start) => keyOf(start) === keyOf({ tenant, run }));
    return [{ tenant, run, id, createdAt, body, status: row?.status ?? null, ...(isStarting ? { isStarting } : {}) }];
  });
  if (!starts) return words;
  const over = new Set(words.flatMap((word) => (word.isStarting && word.body.kind === "cancel" ? keyOf(word) : [])));
  const spent = new Set(tables.usage.spent.map(({ tenant }) => tenant));
  const isReady = ({ tenant, createdAt }: InboxRequest): boolean => createdAt <= tables.clock() && !spent.has(tenant);
  const { led = [], others = [] } = Object.groupBy(waiting, (start) => (over.has(keyOf(start)) ? "led" : "others"));
  const place = new Map(open.map(({ tenant, id }, at) => [`${tenant} ${id}`, at]));
  const first = [...words, ...led].toSorted((a, b) => (place.get(`${a.tenant} ${a.id}`) ?? 0) - (place.get(`${b.tenant} ${b.id}`) ?? 0));
  return [...first, ...tables.lanes.offer(others.filter(isReady), linedRuns(tables), tables.clock())];
}

export function startsOf({ requests }: Tables): readonly InboxRequest[] {
  const open = [...requests.values()].filter(({ consumed, body }) => !consumed && body.kind === "start");
  return open.map(({ tenant, run, id, createdAt, dueAt, body }) => ({
    tenant,
    run,
    id,
    createdAt: dueAt ?? createdAt,
    body,
    status: null,
  }));
}

export function decisions(tables: Tables, { tenant, run }: RunKey): readonly InboxRequest[] {
  const open = [...tables.requests.values()].filter((one) => !one.consumed && one.body.kind === "resolve_approval");
  return open.flatMap(({ id, createdAt, body, ...of }) =>
    of.tenant === tenant && of.run === run ? [{ tenant, run, id, createdAt, body, status: null }] : [],
  );
}
