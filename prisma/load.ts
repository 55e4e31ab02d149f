import type { Json } from "@woml/model";
import { asRunId, asTenantId, type RunEvent, type RunKey, type TenantId } from "@woml/run";
import type { QueryConfig, QueryResult, QueryResultRow } from "pg";
import type { LoadedRun, StoredDefinition } from "./engine-store.ts";

export type Ask = <R extends QueryResultRow>(statement: QueryConfig) => Promise<QueryResult<R>>;

/** A row of `run`, as CLAIM and RUN answer it. */
export interface Row extends Omit<LoadedRun, "tenant" | "run" | "events"> {
  readonly tenant: string;
  readonly run: string;
}
interface EventRow {
  readonly n: number;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly data: string;
}

const RUN = `SELECT tenant, id AS run, workflow, version, status, owner, epoch, claims, held, lined_at IS NOT NULL AS "isLined", head, at FROM run
WHERE tenant = $1::uuid AND id = $2::uuid`;
/** Up to each row's head: events are only added, so that row and events agree though they are read by two statements. */
const EVENTS = `SELECT w.n, e.seq, e.at, e.type, e.data::text AS data
FROM unnest($1::uuid[], $2::uuid[], $3::int[]) WITH ORDINALITY AS w(tenant, run, head, n)
JOIN run_event e ON e.tenant = w.tenant AND e.run = w.run AND e.seq <= w.head ORDER BY w.n, e.seq`;
const DEFINITIONS = `SELECT w.n, d.definition::text AS text, d.source_map::text AS map
FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS w(tenant, version, n)
JOIN definition_version d ON d.tenant = w.tenant AND d.hash = w.version`;

export async function loadRun(ask: Ask, key: RunKey): Promise<LoadedRun | null> {
  const { rows } = await ask<Row>({ name: "run", text: RUN, values: [key.tenant, key.run] });
  return (await withEvents(ask, rows))[0] ?? null;
}

/** The rows' events in one query. Their text was written by the append alone, from typed events: it is parsed, not checked again. */
export async function withEvents(ask: Ask, rows: readonly Row[]): Promise<readonly LoadedRun[]> {
  if (rows.length === 0) return [];
  const values = [rows.map((row) => row.tenant), rows.map((row) => row.run), rows.map((row) => row.head)];
  const found = await ask<EventRow>({ name: "events", text: EVENTS, values });
  const events = rows.map((): RunEvent[] => []);
  for (const { n, seq, at, type, data } of found.rows) events[n - 1]?.push({ seq, at, type, data: JSON.parse(data) } as RunEvent);
  return rows.map((row, i) => loaded(row, events[i] ?? []));
}

function loaded(row: Row, events: readonly RunEvent[]): LoadedRun {
  const { tenant, run, ...rest } = row;
  return { tenant: asTenantId(tenant), run: asRunId(run), ...rest, events };
}

/** In the order asked; null for what is not there. */
export async function loadDefinitions(
  ask: Ask,
  wanted: readonly { readonly tenant: TenantId; readonly version: string }[],
): Promise<readonly (StoredDefinition | null)[]> {
  const values = [wanted.map((w) => w.tenant), wanted.map((w) => w.version)];
  const { rows } = await ask<{ n: number; text: string; map: string | null }>({ name: "definitions", text: DEFINITIONS, values });
  const found = wanted.map((): StoredDefinition | null => null);
  for (const { n, text, map } of rows) found[n - 1] = { text, sourceMap: (map === null ? null : JSON.parse(map)) as Json };
  return found;
}
