import type { Trigger } from "@woml/client";

/** What starts it, in few words. */
export function startedBy({ kind, url, signal, cron, timezone, everyMs }: Trigger): string {
  if (kind === "webhook") return `POST ${url}`;
  if (kind === "schedule") return `${cron} ${timezone}`;
  if (kind === "interval") return `every ${span(everyMs ?? 0)}`;
  return signal ?? "a person, or the API";
}

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
];

/** As the language writes durations: `90s`, `36h`. */
function span(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms % one === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
