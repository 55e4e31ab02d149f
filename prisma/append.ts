// INVARIANTS
// A1 An append is written whole or not at all, and only where the run's row stands at `expected` under the same epoch and owner (append.sql).
// A2 Its events get the seqs expected + 1, expected + 2 … and one time: that of their decision, never before the run's last one.
//    So the projection, which was made before the append, says the same as the log folded after it.
// A3 Whose rows they are is read from the run that moved, by the entry's ordinal: no event, timer or request carries a tenant of its own.
// A4 A run stands in a batch once, and the batch is sorted by (tenant, run): two engines cannot wait for each other.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunKey } from "@woml/run";
import type { QueryConfig, QueryResult } from "pg";
import type { Append, Moved } from "./engine-store.ts";
import { storable } from "./storable.ts";

const APPEND = readFileSync(join(import.meta.dirname, "append.sql"), "utf8");
/** After a lock that took too long: whoever is locked is left out, and reloads. */
const CAREFUL = APPEND.replace("FOR NO KEY UPDATE OF r", "FOR NO KEY UPDATE OF r SKIP LOCKED");
/** Of the stored form of today's events (engine.md: names carry no version). */
const SHAPE = 1;

/** An append with its JSON made: what is measured is what is sent. */
export interface Entry {
  readonly append: Append;
  readonly texts: readonly string[];
  readonly waitingFor: string | null;
  readonly bytes: number;
}

export const keyOf = (key: RunKey): string => `${key.tenant} ${key.run}`;

/** Throws AppendRefused for a text that could be stored but never read. */
export function entry(append: Append): Entry {
  const texts = append.events.map((event) => storable(event.data));
  const waitingFor = append.projection.waitingFor === null ? null : storable(append.projection.waitingFor);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { append, texts, waitingFor, bytes };
}

type Ask = (statement: QueryConfig) => Promise<QueryResult<{ n: number; head: number; at: number; now: number }>>;

/** Writes a batch in one commit and answers what moved, by keyOf. */
export async function write(ask: Ask, batch: readonly Entry[], careful: boolean): Promise<ReadonlyMap<string, Moved>> {
  const sorted = batch.toSorted((a, b) => (keyOf(a.append) < keyOf(b.append) ? -1 : 1));
  const statement = careful ? { name: "append_careful", text: CAREFUL } : { name: "append", text: APPEND };
  const { rows } = await ask({ ...statement, values: columns(sorted) });
  const moved = new Map<string, Moved>();
  for (const row of rows) {
    const found = sorted[row.n - 1];
    if (found) moved.set(keyOf(found.append), { head: row.head, at: row.at, now: row.now });
  }
  return moved;
}

function columns(batch: readonly Entry[]): unknown[] {
  const all = batch.map(({ append }) => append);
  const each = <T>(pick: (append: Append) => T): T[] => all.map(pick);
  const rows = <T>(pick: (append: Append) => readonly T[]): [number, T][] =>
    all.flatMap((a, i) => pick(a).map((row): [number, T] => [i + 1, row]));
  const events = batch.flatMap(({ append, texts }, i) =>
    append.events.map((event, k) => ({ n: i + 1, seq: append.expected + k + 1, type: event.type, text: texts[k] })),
  );
  const [set, cleared, requests] = [rows((a) => a.set), rows((a) => a.cleared), rows((a) => a.requests)];
  return [
    each((a) => a.tenant),
    each((a) => a.run),
    each(() => randomUUID()),
    each((a) => a.owner),
    each((a) => a.epoch),
    each((a) => a.expected),
    each((a) => a.events.length),
    each((a) => a.projection.status),
    batch.map(({ waitingFor }) => waitingFor),
    each((a) => a.projection.nextDue),
    each((a) => a.admission?.workflow ?? null),
    each((a) => a.admission?.version ?? null),
    each((a) => (a.admission ? JSON.stringify(a.admission.labels) : null)),
    events.map(({ n }) => n),
    events.map(({ seq }) => seq),
    events.map(({ type }) => type),
    events.map(() => SHAPE),
    events.map(({ text }) => text),
    set.map(([n]) => n),
    set.map(([, timer]) => timer.subject),
    set.map(([, timer]) => timer.kind),
    set.map(([, timer]) => timer.dueAt),
    cleared.map(([n]) => n),
    cleared.map(([, timer]) => timer.subject),
    cleared.map(([, timer]) => timer.kind),
    requests.map(([n]) => n),
    requests.map(([, id]) => id),
    each((a) => a.at),
  ];
}
