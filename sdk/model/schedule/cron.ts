import { quoted } from "../text.ts";

interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}
const FIELDS: readonly Field[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  { name: "month", from: 1, to: 12 },
  { name: "day of the week", from: 0, to: 7 },
];
const LONGEST = 256;
const PART = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/;

/**
 * Why a text is no cron text of the dialect `woml-cron-v1`; null when it is one. Five fields with one blank between them; a field is a
 * list, with commas, of `*`, `n` and `a-b`, each with or without `/step`. Digits alone: no names, no seconds, none of `@daily`, `L`, `W`,
 * `#`, `?`. Days that never come (30 February) are allowed.
 */
export function cronFault(text: string): string | null {
  if (text.length > LONGEST) return `A cron text has at most ${LONGEST} characters.`;
  const fields = text.split(" ");
  if (fields.includes("")) return "The fields of a cron text have exactly one blank between them, and none around them.";
  if (fields.length !== FIELDS.length) return `A cron text has five fields, and this one has ${fields.length}.`;
  for (const [at, field] of FIELDS.entries()) {
    for (const part of (fields[at] ?? "").split(",")) {
      const fault = partFault(part, field);
      if (fault) return fault;
    }
  }
  return null;
}

function partFault(part: string, { name, from, to }: Field): string | null {
  const match = PART.exec(part);
  if (!match) return `The ${name} ${quoted(part)} is neither *, a number nor a range of numbers.`;
  const [, first, last = first, step] = match;
  if (step !== undefined && Number(step) === 0) return `The ${name} ${quoted(part)} has a step of 0.`;
  if (first === undefined) return null;
  if (Number(first) > Number(last)) return `The ${name} ${quoted(part)} runs backwards.`;
  const isInside = Number(first) >= from && Number(last) <= to;
  return isInside ? null : `The ${name} ${quoted(part)} is outside ${from} to ${to}.`;
}

/** What a cron text says: minutes and hours in order, months from 1, and on which days. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: ReadonlySet<number>;
  /** `day` of the month from 1, `weekday` from 0 (Sunday). */
  readonly isOn: (day: number, weekday: number) => boolean;
}

/** Reads a text that `cronFault` finds nothing wrong with. */
export function readCron(text: string): Cron {
  const fields = text.split(" ");
  const read = (at: number): ReadonlySet<number> => valuesOf(fields[at] ?? "", FIELDS[at]);
  const [days, months] = [read(2), read(3)];
  // Sunday is 0 and 7.
  const weekdays = new Set([...read(4)].map((weekday) => weekday % 7));
  const sorted = (values: ReadonlySet<number>): readonly number[] => [...values].sort((a, b) => a - b);
  return { minutes: sorted(read(0)), hours: sorted(read(1)), months, isOn: dayRule(days, weekdays) };
}

/** A field that covers all its values restricts nothing, and the other decides; where both restrict, one of them is enough. */
function dayRule(days: ReadonlySet<number>, weekdays: ReadonlySet<number>): Cron["isOn"] {
  const [anyDay, anyWeekday] = [days.size === 31, weekdays.size === 7];
  if (anyDay) return (_, weekday) => weekdays.has(weekday);
  if (anyWeekday) return (day) => days.has(day);
  return (day, weekday) => days.has(day) || weekdays.has(weekday);
}

function valuesOf(text: string, { from, to }: Field = { name: "", from: 0, to: 0 }): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last, step] = PART.exec(part) ?? [];
    const start = first === undefined ? from : Number(first);
    // `n/step` goes on to the last value, `n` alone is one.
    const end = last !== undefined ? Number(last) : first === undefined || step !== undefined ? to : start;
    for (let value = start; value <= end; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}
