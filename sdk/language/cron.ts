import { quoted } from "./source.ts";

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
