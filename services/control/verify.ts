// Folds the logs of runs and compares them with what is stored beside them. The log is the truth: a difference is a fault of the projection.
import type { ControlStore, Page, PageAsk, RunRow, TenantScope } from "@woml/prisma";
import type { RunId, TenantId } from "@woml/run";
import type { Asking } from "./asking.ts";
import { differences, ROWLESS, type Seen } from "./compare.ts";
import { readLogs } from "./log.ts";

export interface Verification {
  readonly run: RunId;
  readonly tenant: TenantId;
  readonly differences: readonly string[];
}
const EVERY = { workflow: null, status: null, label: null };
/** A run that moves while it is read is read again so often. */
const TRIES = 5;

/** So many runs are folded before the next are read: each log's state is kept for that long. */
const AT_ONCE = 8;
/** What took longer held long runs: the next of them are folded one by one. */
const QUICK_MS = 500;
/** A page ends here, early, so that whoever waits for it is answered. */
const PAGE_MS = 5_000;

/** Each question in a transaction of its own: logs may be long, and a run that moves between two questions is seen to. */
type Scope = Pick<TenantScope, "tenant" | "run" | "runs" | "rowless" | "timers" | "intact" | "events">;

function scopeOf(store: ControlStore, tenant: TenantId): Scope {
  const within = <T>(question: (scope: TenantScope) => Promise<T>): Promise<T> => store.withTenant(tenant, question);
  return {
    tenant,
    run: (id) => within((scope) => scope.run(id)),
    runs: (filter, page) => within((scope) => scope.runs(filter, page)),
    rowless: (range) => within((scope) => scope.rowless(range)),
    timers: (runs) => within((scope) => scope.timers(runs)),
    intact: (hashes) => within((scope) => scope.intact(hashes)),
    events: (asks) => within((scope) => scope.events(asks)),
  };
}

/**
 * Runs by tenant, newest first: the asking tenant's, or every tenant's for the administrator. `after` is `tenant/run`. A page that takes long
 * ends before `first` of them are in it.
 */
export async function verify(asking: Asking, { first, after }: PageAsk): Promise<Page<Verification>> {
  const began = performance.now();
  const [tenant = "", run = null] = after?.split("/") ?? [];
  const items: Verification[] = [];
  let size = 1;
  for (const owner of await tenantsFrom(asking, tenant)) {
    const scope = scopeOf(asking.store, owner);
    let page: Page<Verification> = { items: [], hasNext: true };
    for (let last = owner === tenant ? run : null; page.hasNext; last = page.items.at(-1)?.run ?? null) {
      const isEnough = items.length === first || (items.length > 0 && performance.now() - began > PAGE_MS);
      if (isEnough && page.items.length > 0) return { items, hasNext: true };
      const asked = performance.now();
      page = await verifyPage(scope, { first: isEnough ? 1 : Math.min(size, first - items.length), after: last });
      size = performance.now() - asked < QUICK_MS ? Math.min(AT_ONCE, 2 * size) : 1;
      if (isEnough && page.items.length > 0) return { items, hasNext: true };
      items.push(...page.items);
    }
  }
  return { items, hasNext: false };
}

/** The key of a verification in its list. */
export function verificationKey({ tenant, run }: Verification): string {
  return `${tenant}/${run}`;
}

/** Whose runs are asked about, by id from `tenant` on. */
export async function tenantsFrom({ who, store }: Asking, tenant: string): Promise<readonly TenantId[]> {
  if (who.scope === "tenant") return [who.tenant];
  const ids = (await store.tenants()).map(({ id }) => id);
  return ids.filter((id) => id >= tenant).sort();
}

/** The rows of a page, and the logs without one among and behind them. */
async function verifyPage(scope: Scope, page: PageAsk): Promise<Page<Verification>> {
  const read = () => scope.runs(EVERY, page);
  const { items: rows, hasNext } = await read();
  const until = (hasNext && rows.at(-1)?.id) || null;
  const rowless = (await scope.rowless({ after: page.after, first: page.first + 1, until })).map((run) => ({
    run,
    tenant: scope.tenant,
    differences: [ROWLESS],
  }));
  const found = [...(await verifyRows(scope, rows, read)), ...rowless];
  const items = found.toSorted((a, b) => (a.run > b.run ? -1 : 1));
  return { items: items.slice(0, page.first), hasNext: hasNext || items.length > page.first };
}

async function verifyRows(scope: Scope, rows: readonly RunRow[], read: () => Promise<Page<RunRow>>): Promise<readonly Verification[]> {
  const alarms = await scope.timers(rows.map(({ id }) => id));
  const intact = await scope.intact([...new Set(rows.map(({ version }) => version))]);
  const logs = await readLogs(scope, rows);
  const after = new Map((await read()).items.map((row) => [row.id, row]));
  const found: Verification[] = [];
  for (const [at, row] of rows.entries()) {
    const stored = { row, now: after.get(row.id) ?? null, alarms: alarms.get(row.id) ?? [], log: logs[at] ?? "no log" };
    const seen: Seen = { ...stored, isIntact: intact.has(row.version) };
    found.push({ run: row.id, tenant: scope.tenant, differences: differences(seen) ?? (await again(scope, row.id, TRIES)) });
  }
  return found;
}

/** A run that has not stood still for so many readings is at work: nothing can be said against it. */
async function again(scope: Scope, run: RunId, tries: number): Promise<readonly string[]> {
  const row = await scope.run(run);
  if (row === null || tries === 0) return [];
  const alarms = (await scope.timers([run])).get(run) ?? [];
  const isIntact = (await scope.intact([row.version])).has(row.version);
  const [log = "no log"] = await readLogs(scope, [row]);
  return differences({ row, now: await scope.run(run), alarms, log, isIntact }) ?? again(scope, run, tries - 1);
}
