// INVARIANTS
// A1 An append is written whole or not at all, and only where the run's row stands at `expected` under the same epoch and owner (append.sql).
// A2 Its events get the seqs expected + 1, expected + 2 … and one time: that of their decision, never before the run's last one.
//    So the projection, which was made before the append, says the same as the log folded after it.
// A3 Whose rows they are is read from the run that moved, by the entry's ordinal: no event, timer or request carries a tenant of its own.
// A4 What the engine itself performs (engine-store.ts, Own) is written by the same statement; where what it was judged by has changed, nothing is.
// A5 A run stands in a batch once, and the batch is sorted by (tenant, run): two engines cannot wait for each other.
// A6 A lane's row is locked after all runs, lanes in one order. A run that takes up a place (projection.holds) moves only where there is one under that
//    lock, and in the same statement the lane counts it: no lane ever stands above its limit, and `active` is the number of its runs that hold.
// A7 What only goes on is written by fewer parts of the same text (plain.ts). Whatever does not move by them is written by the whole statement, or not at all.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunKey } from "@woml/run";
import type { QueryConfig, QueryResult } from "pg";
import type { Append, Moved } from "./engine-store.ts";
import { type OwnTexts, ownColumns, ownTexts, textsIn, withOwn } from "./own.ts";
import { isPlain, plain, plainColumns } from "./plain.ts";
import { storable } from "./storable.ts";

const APPEND = readFileSync(join(import.meta.dirname, "append.sql"), "utf8");
/** After a lock that took too long: whoever is locked is left out, and reloads; whose second of starts is, is judged again. */
const careful = (text: string): string => text.replaceAll(/FOR NO KEY UPDATE OF [ru]\b/g, "$& SKIP LOCKED");
const STATEMENTS = {
  append: APPEND,
  append_plain: plain(APPEND),
  append_careful: careful(APPEND),
  append_own: withOwn(APPEND),
  append_own_careful: careful(withOwn(APPEND)),
};
/** Of the stored form of today's events (engine.md: names carry no version). */
const SHAPE = 1;

/** An append with its JSON made: what is measured is what is sent. */
export interface Entry {
  readonly append: Append;
  readonly texts: readonly string[];
  readonly waitingFor: string | null;
  readonly own: OwnTexts;
  /** UTF-8 length of its events, and of all of it. */
  readonly stored: number;
  readonly bytes: number;
}

export const keyOf = (key: RunKey): string => `${key.tenant} ${key.run}`;

/** Throws AppendRefused for a text that could be stored but never read. */
export function entry(append: Append): Entry {
  const texts = append.events.map((event) => storable(event.data));
  const waitingFor = append.projection.waitingFor === null ? null : storable(append.projection.waitingFor);
  const own = ownTexts(append.own);
  const stored = lengthOf(texts);
  return { append, texts, waitingFor, own, stored, bytes: stored + lengthOf(textsIn(own)) };
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** `head` null: nothing was written, for want of a place, or because what it was judged by is stale. */
interface Row {
  readonly n: number;
  readonly head: number | null;
  readonly at: number;
  readonly now: number;
  readonly place: "freed" | "none" | "stale" | null;
  readonly ring?: string | null;
}
/** What became of an entry that has an answer. */
export type Written = Moved | "outdated" | "no_room";
type Ask = (statement: QueryConfig) => Promise<QueryResult<Row>>;

/** Writes a batch in one commit, or in two where one of it is not what it was taken for, and answers what moved, by keyOf. */
export async function write(ask: Ask, batch: readonly Entry[], isCareful: boolean): Promise<ReadonlyMap<string, Written>> {
  const sorted = batch.toSorted((a, b) => (keyOf(a.append) < keyOf(b.append) ? -1 : 1));
  if (isCareful || !sorted.every(({ append }) => isPlain(append))) return written(ask, sorted, whole(sorted, isCareful));
  const moved = await written(ask, sorted, { name: "append_plain", values: plainColumns(columns(sorted)) });
  const left = sorted.filter(({ append }) => !moved.has(keyOf(append)));
  return left.length === 0 ? moved : new Map([...moved, ...(await written(ask, left, whole(left, false)))]);
}

interface Statement {
  readonly name: keyof typeof STATEMENTS;
  readonly values: unknown[];
}
function whole(batch: readonly Entry[], isCareful: boolean): Statement {
  const hasOwn = batch.some(({ append }) => append.own !== undefined);
  const name = `append${hasOwn ? "_own" : ""}${isCareful ? "_careful" : ""}` as Statement["name"];
  return { name, values: hasOwn ? [...columns(batch), ...ownColumns(batch)] : columns(batch) };
}

async function written(ask: Ask, batch: readonly Entry[], { name, values }: Statement): Promise<ReadonlyMap<string, Written>> {
  const { rows } = await ask({ name, text: STATEMENTS[name], values });
  const moved = new Map<string, Written>();
  for (const row of rows) {
    const found = batch[row.n - 1];
    if (found) moved.set(keyOf(found.append), writtenOf(row));
  }
  return moved;
}

function writtenOf({ head, at, now, place, ring }: Row): Written {
  if (head === null) return place === "none" ? "no_room" : "outdated";
  return { head, at, now, ...(ring ? { ring } : {}), ...(place === "freed" ? { isPlaceFree: true } : {}) };
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
    each((a) => a.projection.holds),
    each((a) => a.admission?.begins ?? false),
  ];
}
