/** The last time that a Date can name: a time-out of the longest duration ends behind it. */
const LAST_MS = 8.64e15;

/** ISO 8601 in UTC, as APIs show epoch milliseconds. */
export function iso(ms: number): string {
  return new Date(Math.min(ms, LAST_MS)).toISOString();
}
