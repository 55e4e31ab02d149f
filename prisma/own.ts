import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@woml/model";
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
  readonly deliveries: readonly DeliveryTexts[];
}
interface DeliveryTexts {
  readonly payload: string | null;
  readonly detail: string | null;
}
/** Throws AppendRefused for a text that could be stored but never read. */
export function ownTexts(own: Own | undefined): OwnTexts {
  const value = own?.write?.value ?? null;
  return {
    value: value === null ? null : storable(JSON.parse(value)),
    bodies: own?.starts?.map(({ body }) => storable(body)) ?? [],
    signals: own?.signals?.map(announcementText) ?? [],
    deliveries: own?.deliveries?.map(({ payload, detail }) => ({ payload: textOf(payload), detail: textOf(detail) })) ?? [],
  };
}
const textOf = (value: Json | undefined): string | null => (value === undefined ? null : storable(value));

/** All that an append has besides, as texts: what is measured is what is sent. */
export function textsIn({ value, bodies, signals, deliveries }: OwnTexts): readonly string[] {
  return [value ?? "", ...bodies, ...signals, ...deliveries.flatMap(({ payload, detail }) => [payload ?? "", detail ?? ""])];
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
  const textsOf = (n: number): OwnTexts | undefined => batch[n - 1]?.own;
  const [writes, tells] = [rows((own) => own.write), rows((own) => own.tells)];
  const starts = rows((own) => own.starts).flatMap(([n, many]) =>
    many.map((one, nth) => [n, { ...one, text: textsOf(n)?.bodies[nth] ?? null }] as const),
  );
  const signals = rows((own) => own.signals).flatMap(([n, many]) =>
    many.map((one, nth) => [n, { ...one, text: textsOf(n)?.signals[nth] ?? null }] as const),
  );
  const write = <V>(pick: (one: StateWrite, n: number) => V): V[] => each(writes, pick);
  const start = <V>(pick: (one: ChildStart & { readonly text: string | null }, n: number) => V): V[] => each(starts, pick);
  return [
    write((_, n) => n),
    write(({ key }) => key),
    write(({ expected }) => expected),
    write(({ floor }) => floor),
    write((_, n) => textsOf(n)?.value ?? null),
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
    ...deliveryColumns(batch),
  ];
}

/** Parameters $54 and on. */
function deliveryColumns(batch: readonly Entry[]): unknown[] {
  const rows = batch.flatMap(({ append, own }, i) =>
    (append.own?.deliveries ?? []).map((one, nth) => ({ ...one, n: i + 1, texts: own.deliveries[nth] })),
  );
  const each = <V>(pick: (row: (typeof rows)[number]) => V): V[] => rows.map(pick);
  return [
    each(({ n }) => n),
    each(({ id }) => id),
    each(({ workflow }) => workflow),
    each(({ trigger }) => trigger),
    each(({ kind }) => kind),
    each(({ outcome }) => outcome),
    each(({ code }) => code ?? null),
    each(({ source }) => source ?? null),
    each(({ run }) => run ?? null),
    each(({ texts }) => texts?.payload ?? null),
    each(({ texts }) => texts?.detail ?? null),
  ];
}
