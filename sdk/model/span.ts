const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
];

/** Milliseconds as the language writes a duration, in whole numbers of the largest unit: `90s`, `36h`. */
export function span(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms % one === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
