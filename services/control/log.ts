import type { RunRow, TenantScope } from "@woml/prisma";
import { BrokenLog, fold, genesis, type RunState } from "@woml/run";
import { EVENT_PAGE_BYTES } from "./reads.ts";

const RUNS_AT_ONCE = 8;
const EVENTS_AT_ONCE = 1_000;

type Events = Pick<TenantScope, "events">;
type EventPage = Awaited<ReturnType<TenantScope["events"]>>[number];
type Row = Pick<RunRow, "id" | "head">;

/** What a log says at the head of its row, or in words why it cannot be said. */
export type Folded = RunState | string;

/** Short logs are read by one query for eight runs; long ones page by page. Never more than a few MiB are in memory. */
export async function readLogs(scope: Events, rows: readonly Row[], from: RunState = genesis): Promise<readonly Folded[]> {
  const folded: Folded[] = [];
  for (let at = 0; at < rows.length; at += RUNS_AT_ONCE) {
    folded.push(...(await foldTogether(scope, rows.slice(at, at + RUNS_AT_ONCE), from)));
  }
  return folded;
}

async function foldTogether(scope: Events, rows: readonly Row[], from: RunState): Promise<readonly Folded[]> {
  const maxBytes = Math.floor(EVENT_PAGE_BYTES / RUNS_AT_ONCE);
  const pages = await scope.events(rows.map((row) => ({ ...pageAfter(row, 0), maxBytes })));
  const folded: Folded[] = [];
  for (const [at, row] of rows.entries()) folded.push(await foldRest(scope, row, { page: pages[at] ?? [], from }));
  return folded;
}

async function foldRest(scope: Events, row: Row, first: { readonly page: EventPage; readonly from: RunState }): Promise<Folded> {
  let { page, from: state } = first;
  try {
    while (page.length > 0 && state.head < row.head) {
      state = page.filter(({ seq }) => seq <= row.head).reduce((before, event) => fold(before, event), state);
      if ((page.at(-1)?.seq ?? 0) > row.head) return `head: stored ${row.head}, the log goes on`;
      page = (await scope.events([{ ...pageAfter(row, state.head), maxBytes: EVENT_PAGE_BYTES }]))[0] ?? [];
    }
  } catch (error) {
    if (error instanceof BrokenLog) return `log: ${error.code} at seq ${error.seq}`;
    throw error;
  }
  if (page.length > 0) return `head: stored ${row.head}, the log goes on`;
  return state.head === row.head ? state : `head: stored ${row.head}, the log ends at ${state.head}`;
}

/** One event more than the row's head says: there must be none. */
function pageAfter({ id: run, head }: Row, after: number) {
  return { run, after, limit: Math.min(EVENTS_AT_ONCE, head + 1 - after) };
}
