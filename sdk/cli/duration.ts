/** Wall time between two times of a log, in whole milliseconds or tenths of a second; "" while it has no end. */
export function duration(from: string, to: string | null): string {
  if (to === null) return "";
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
