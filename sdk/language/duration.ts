const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
/** A whole number of milliseconds needs no more than 16 decimals; zeros behind them say nothing. */
const FORM = /^([1-9]\d{0,15}|0)(?:\.(\d{1,16})0*)?(ms|s|m|h|d)$/;

export const DAY_MS = 86_400_000;

/** Milliseconds of a duration such as `250ms`, `1.5s`, `2h`; null unless it is a whole number of them, from 1 to `maximumMs`. */
export function durationMs(text: string, maximumMs: number): number | null {
  const [, whole = "", fraction = "", unit = ""] = FORM.exec(text) ?? [];
  // In integers, because 0.07 * 60000 is not 4200 in floating point.
  const scale = 10n ** BigInt(fraction.length);
  const scaled = BigInt(whole + fraction) * BigInt(UNITS.get(unit) ?? 0);
  const ms = scaled / scale;
  return scaled % scale === 0n && ms >= 1n && ms <= BigInt(maximumMs) ? Number(ms) : null;
}

/** Milliseconds of the interval of a trigger: a duration in whole numbers, from 1s to 30d; null for what is none. */
export function intervalMs(text: string): number | null {
  const ms = text.includes(".") ? null : durationMs(text, 30 * DAY_MS);
  return ms !== null && ms >= 1_000 ? ms : null;
}
