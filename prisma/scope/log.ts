import type { RunEvent, TenantId } from "@woml/run";
import { sql, type Transaction } from "../client.ts";
import type { EventAsk } from "../event-ask.ts";

type Sql = ReturnType<typeof sql>;

export interface StoredEvent {
  readonly run: string;
  readonly seq: number;
  readonly at: bigint;
  readonly type: string;
  readonly data: string;
}

/** What an event is about: a call, an attempt that diverged, a site or a hook; NULL for the run. */
const SUBJECT = sql`CASE WHEN v.type LIKE 'operation%' OR v.type = 'outcome_resolved'
  THEN concat_ws(':', v.data->>'node', v.data->>'attempt', v.data->>'call') ELSE coalesce(v.data->>'node', v.data->>'hook') END`;
/** `isFirst` of a filter. */
const FIRST = sql`CASE v.type WHEN 'step_started' THEN v.data->>'attempt' = '1' WHEN 'operation_started' THEN v.data->>'try' = '1'
  WHEN 'operation_settled' THEN v.data->'outcome'->>'status' = 'unknown'
  WHEN 'action_settled' THEN v.data->>'status' = 'failed' AND v.data->>'dueAt' IS NULL ELSE true END`;

/**
 * Pages of several logs in one statement. The running sum stops a page before it grows past its bytes; its first event is always in it. OFFSET 0:
 * what is wanted is taken apart once for each page, not for each event.
 */
export async function eventPages(tx: Transaction, tenant: TenantId, asks: readonly EventAsk[]): Promise<readonly (readonly RunEvent[])[]> {
  if (asks.length === 0) return [];
  const filters = asks.map(({ only }) => (only === undefined ? null : JSON.stringify(only)));
  const rows = await tx.$queryRaw<(StoredEvent & { n: bigint })[]>`
    SELECT w.n, e.seq, e.at, e.type, e.data FROM (
        SELECT u.*, ${texts(sql`u.filter->'types'`)} AS types, ${texts(sql`u.filter->'about'`)} AS about, ${texts(sql`u.filter->'nodes'`)} AS nodes, ${texts(sql`u.filter->'without'`)} AS omitted,
          coalesce((u.filter->>'isFirst')::boolean, false) AS first
        FROM unnest(${asks.map((a) => a.run)}::uuid[], ${asks.map((a) => a.after)}::int[], ${asks.map((a) => a.limit)}::int[],
          ${asks.map((a) => a.maxBytes)}::bigint[], ${filters}::json[]) WITH ORDINALITY AS u(run, after, most, bytes, filter, n) OFFSET 0) w
      CROSS JOIN LATERAL (
        SELECT p.*, sum(octet_length(p.data)) OVER (ORDER BY p.seq) AS sum, row_number() OVER (ORDER BY p.seq) AS place FROM (
          SELECT v.seq, v.at, v.type, CASE WHEN w.omitted IS NULL THEN v.data::text ELSE (v.data::jsonb - w.omitted)::text END AS data
          FROM run_event v
          WHERE v.tenant = ${tenant}::uuid AND v.run = w.run AND v.seq > w.after AND (w.types IS NULL OR v.type = ANY(w.types))
            AND (NOT w.first OR ${FIRST}) AND (w.nodes IS NULL OR split_part(v.data->>'node', '#', 1) = ANY(w.nodes))
            AND (w.about IS NULL OR ${SUBJECT} = ANY(w.about) OR coalesce(v.data->>'node', v.data->>'hook') IS NULL)
          ORDER BY v.seq LIMIT w.most) p
      ) e
    WHERE e.sum <= w.bytes OR e.place = 1 ORDER BY w.n, e.seq`;
  const found = asks.map((): RunEvent[] => []);
  for (const row of rows) found[Number(row.n) - 1]?.push(eventOf(row));
  return found;
}

/** Of a list in what is wanted of a page; NULL when it is not there. */
function texts(list: Sql): Sql {
  return sql`CASE WHEN ${list} IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(${list})) END`;
}

/** Written by the append alone, from typed events: parsed, not checked again. */
export function eventOf({ seq, at, type, data }: StoredEvent): RunEvent {
  return { seq, at: Number(at), type, data: JSON.parse(data) } as RunEvent;
}
