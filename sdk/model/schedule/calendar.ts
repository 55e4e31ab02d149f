import type { Cron } from "./cron.ts";

export const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * The first wall time from `from` on, and before `before`, that a cron text names; null where none is. Wall times are written as if they were UTC,
 * in whole minutes. Months and days that do not match are passed over whole.
 */
export function nextWall(cron: Cron, from: number, before: number): number | null {
  let day = Math.floor(from / DAY_MS) * DAY_MS;
  let minute = (from - day) / MINUTE_MS;
  while (day < before) {
    const date = new Date(day);
    if (!cron.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    } else {
      const time = cron.isOn(date.getUTCDate(), date.getUTCDay()) ? timeFrom(cron, minute) : null;
      if (time !== null) return day + time * MINUTE_MS < before ? day + time * MINUTE_MS : null;
      day += DAY_MS;
    }
    minute = 0;
  }
  return null;
}

/** The first time of a day at `minute` or later, in minutes since midnight. */
function timeFrom({ hours, minutes }: Cron, minute: number): number | null {
  const now = Math.floor(minute / 60);
  for (const hour of hours) {
    if (hour < now) continue;
    const found = hour > now ? minutes[0] : minutes.find((one) => one >= minute % 60);
    if (found !== undefined) return hour * 60 + found;
  }
  return null;
}
