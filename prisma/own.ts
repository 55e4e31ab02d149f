import { readFileSync } from "node:fs";
import { join } from "node:path";
import { STATE_LIMITS } from "@woml/model/laws";
import { announcementText } from "./announce.ts";
import type { Append, ChildStart, Own, StateWrite } from "./engine-store.ts";
import { storable } from "./storable.ts";

const [BEFORE = "", AFTER = "", ANSWER = ""] = readFileSync(join(import.meta.dirname, "append-own.sql"), "utf8").split(
  /^-- (?:after the move|the answer)\n/m,
);
/** Where the parts of append-own.sql go. */
const MOVE = "), shifting AS (";

/** The append with what the engine itself performs: a statement of its own, for hardly any batch has any of that. */
export function withOwn(append: string): string {
  const [head = "", tail = ""] = append.split(MOVE);
  const [moves = ""] = tail.split(/^\)\nSELECT n, head/m);
  return `${head}${BEFORE}${MOVE}${moves.replaceAll("FROM locked l WHERE", "FROM ready l WHERE")}${AFTER}${ANSWER}`;
}

/** The JSON texts of an append's own part. */
export interface OwnTexts {
  readonly value: string | null;
  readonly bodies: readonly string[];
  readonly signals: readonly string[];
}
/** Throws AppendRefused for a text that could be stored but never read. */
export function ownTexts(own: Own | undefined): OwnTexts {
  const value = own?.write?.value ?? null;
  return {
    value: value === null ? null : storable(JSON.parse(value)),
    bodies: own?.starts?.map(({ body }) => storable(body)) ?? [],
    signals: own?.signals?.map(announcementText) ?? [],
  };
}

interface Entry {
  readonly append: Append;
  readonly own: OwnTexts;
}

/** Parameters $31 and on. */
export function ownColumns(batch: readonly Entry[]): unknown[] {
  const rows = <T>(pick: (own: Own) => T | undefined): (readonly [number, T])[] =>
    batch.flatMap(({ append: { own } }, i) => {
      const found = own && pick(own);
      return found === undefined ? [] : [[i + 1, found] as const];
    });
  const each = <T, V>(of: readonly (readonly [number, T])[], pick: (one: T, n: number) => V): V[] => of.map(([n, one]) => pick(one, n));
  const textOf = (n: number): OwnTexts | undefined => batch[n - 1]?.own;
  const [writes, tells] = [rows((own) => own.write), rows((own) => own.tells)];
  const starts = rows((own) => own.starts).flatMap(([n, many]) =>
    many.map((one, nth) => [n, { ...one, text: textOf(n)?.bodies[nth] ?? null }] as const),
  );
  const signals = rows((own) => own.signals).flatMap(([n, many]) =>
    many.map((one, nth) => [n, { ...one, text: textOf(n)?.signals[nth] ?? null }] as const),
  );
  const write = <V>(pick: (one: StateWrite, n: number) => V): V[] => each(writes, pick);
  const start = <V>(pick: (one: ChildStart & { readonly text: string | null }, n: number) => V): V[] => each(starts, pick);
  return [
    write((_, n) => n),
    write(({ key }) => key),
    write(({ expected }) => expected),
    write(({ floor }) => floor),
    write((_, n) => textOf(n)?.value ?? null),
    write(({ version }) => version),
    write(({ bytes }) => bytes),
    write(({ added }) => added),
    start((_, n) => n),
    start(({ run }) => run),
    start(({ scope }) => scope),
    start(({ key }) => key),
    start(({ digest }) => digest),
    start(({ text }) => text),
    each(tells, (_, n) => n),
    each(tells, (run) => run),
    STATE_LIMITS.keys,
    STATE_LIMITS.bytes,
    start(({ body }) => body.workflow),
    each(signals, (_, n) => n),
    each(signals, ({ name }) => name),
    each(signals, ({ key }) => key),
    each(signals, ({ text }) => text),
  ];
}
