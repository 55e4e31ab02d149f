// Another reading of times, zones and cron texts: minute by minute, by what ICU says of each, with nothing of the room's own.
export const MINUTE = 60_000;

/** Each minute of UTC of some time, with the wall time of a zone there, written as if it were UTC. */
export interface Minutes {
  readonly from: number;
  readonly walls: readonly number[];
  /** Where each wall time comes first. */
  readonly first: ReadonlyMap<number, number>;
}

export function minutesOf(zone: string, from: number, to: number): Minutes {
  const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, ...fields });
  const walls: number[] = [];
  for (let at = from; at < to; at += MINUTE) walls.push(Date.parse(`${clock.format(at).replace(" ", "T")}Z`));
  const first = new Map<number, number>();
  for (const [at, wall] of walls.entries()) if (!first.has(wall)) first.set(wall, at);
  return { from, walls, first };
}

const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/** Whether a cron text names a wall time, field by field. */
function names(cron: string): (wall: number) => boolean {
  const tables = cron.split(" ").map((field, at) => {
    const [from, to] = RANGES[at] ?? [0, 0];
    return Array.from(
      { length: 60 },
      (_, value) => value >= from && value <= to && field.split(",").some((part) => isIn(part, value, [from, to])),
    );
  });
  const [minutes, hours, days, months, weekdays] = tables;
  const anyDay = days?.filter(Boolean).length === 31;
  const isWeekday = (weekday: number): boolean => weekdays?.[weekday] === true || (weekday === 0 && weekdays?.[7] === true);
  const anyWeekday = [0, 1, 2, 3, 4, 5, 6].every(isWeekday);
  return (wall) => {
    // Most are told by their minute, and need no date.
    if (!minutes?.[(wall / MINUTE) % 60]) return false;
    const date = new Date(wall);
    if (!hours?.[date.getUTCHours()] || !months?.[date.getUTCMonth() + 1]) return false;
    const [isDay, isDue] = [days?.[date.getUTCDate()] === true, isWeekday(date.getUTCDay())];
    if (anyDay) return isDue;
    return anyWeekday ? isDay : isDay || isDue;
  };
}

function isIn(part: string, value: number, [from, to]: readonly [number, number]): boolean {
  const [range = "", step] = part.split("/");
  const [first = "*", last] = range.split("-");
  const start = first === "*" ? from : Number(first);
  const end = first === "*" ? to : Number(last ?? (step === undefined ? first : to));
  return value >= start && value <= end && (value - start) % Number(step ?? 1) === 0;
}

/** The language's rule: a minute of UTC whose wall time is named. */
export function eachOf({ from, walls }: Minutes, cron: string): readonly number[] {
  const isNamed = names(cron);
  return walls.flatMap((wall, at) => (isNamed(wall) ? [from + at * MINUTE] : []));
}

/** Each named wall time once: at the first minute that has it, or, where none has, at the first that is past it. */
export function onceOf({ from, walls, first }: Minutes, cron: string): readonly (readonly [at: number, wall: number])[] {
  const isNamed = names(cron);
  const found = new Map<number, number>();
  for (let wall = walls[0] ?? 0; wall <= Math.max(walls[0] ?? 0, walls.at(-1) ?? 0); wall += MINUTE) {
    if (!isNamed(wall)) continue;
    const at = first.get(wall) ?? walls.findIndex((other) => other > wall);
    if (at >= 0) found.set(from + at * MINUTE, wall);
  }
  return [...found].sort(([a], [b]) => a - b);
}
