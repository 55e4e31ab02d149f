/** ISO 8601 in UTC, as APIs show epoch milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
