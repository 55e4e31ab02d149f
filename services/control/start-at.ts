import { ApiError } from "./errors.ts";

const FORM = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](\d\d):(\d\d))$/;
/** So far in the past a time is taken for now: clocks differ, and a call takes its while. */
export const START_LATE_MS: number = 60_000;
export const START_AHEAD_MS: number = 366 * 86_400_000;

/** The time a run is to start at, epoch ms; null when it is to start at once. `now` is PostgreSQL's time. Throws with WOML_START_AT_INVALID. */
export function acceptStartAt(text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null;
  const at = read(text);
  if (at === null) {
    throw new ApiError("WOML_START_AT_INVALID", "startAt has to be a date and a time with its offset, as in 2026-12-24T18:00:00+01:00", {
      path: "/startAt",
    });
  }
  if (at < now - START_LATE_MS) throw past(text, now);
  if (at > now + START_AHEAD_MS) {
    const limit = new Date(now + START_AHEAD_MS).toISOString();
    throw new ApiError("WOML_START_AT_INVALID", `startAt is more than a year ahead: at most ${limit}`, {
      path: "/startAt",
      limit,
      actual: text,
    });
  }
  return at > now ? at : null;
}

function past(text: string, now: number): ApiError {
  const limit = new Date(now).toISOString();
  return new ApiError("WOML_START_AT_INVALID", `startAt is past: it is ${limit} now`, { path: "/startAt", limit, actual: text });
}

/** null for what is no time, such as 30 February or 24:00. */
function read(text: string): number | null {
  const [, ...fields] = FORM.exec(text) ?? [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ahead = 0, more = 0] = fields.map((field) => Number(field ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = fields.length > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 59 || ahead > 23 || more > 59) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
