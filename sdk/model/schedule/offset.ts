import { MINUTE_MS } from "./calendar.ts";

const DAY_MS = 86_400_000;
/** Years of zones that are remembered. A year of a zone is a few hundred questions to ICU. */
const YEARS_MAX = 2_048;

/** From `from` on a zone's clocks are `offset` ms ahead of UTC. */
interface Change {
  readonly from: number;
  readonly offset: number;
}
/** A time in which the clocks of a zone are not changed. */
export interface Stretch extends Change {
  readonly to: number;
  /** The wall time that clocks had come to when it began: behind its first one where clocks went forward, ahead of it where they went back. */
  readonly reached: number;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const years = new Map<string, readonly Change[]>();

/** The stretches of a zone from the one that holds `since` on, each within a year, up to `until`. Times are epoch ms, in whole minutes. */
export function* stretches(zone: string, since: number, until: number): Generator<Stretch> {
  let last: Stretch | null = null;
  // From a year before, so that how far clocks had come is known.
  for (let year = new Date(since).getUTCFullYear() - 1; Date.UTC(year) < until; year += 1) {
    const changes = changesOf(zone, year);
    for (const [at, { from, offset }] of changes.entries()) {
      const to = changes[at + 1]?.from ?? Date.UTC(year + 1);
      const reached: number = last === null ? from + offset : Math.max(last.reached, last.to + last.offset);
      last = { from, to, offset, reached };
      if (to > since && from < until) yield last;
    }
  }
}

function changesOf(zone: string, year: number): readonly Change[] {
  const key = `${zone} ${year}`;
  const known = years.get(key);
  if (known) return known;
  if (years.size >= YEARS_MAX) years.clear();
  const found = readChanges(zone, year);
  years.set(key, found);
  return found;
}

/** Clocks are looked at once a day: no zone changes them twice in one. */
function readChanges(zone: string, year: number): readonly Change[] {
  const start = Date.UTC(year);
  const changes = [{ from: start, offset: offsetAt(zone, start) }];
  let offset = changes[0]?.offset ?? 0;
  for (let day = start; day < Date.UTC(year + 1); day += DAY_MS) {
    const next = offsetAt(zone, day + DAY_MS);
    if (next === offset) continue;
    const from = changeIn(zone, offset, day);
    if (from < Date.UTC(year + 1)) changes.push({ from, offset: next });
    offset = next;
  }
  return changes;
}

/** The first minute of a day after `day` at which a zone's offset is another one. */
function changeIn(zone: string, offset: number, day: number): number {
  let [before, after] = [day / MINUTE_MS, (day + DAY_MS) / MINUTE_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(zone, middle * MINUTE_MS) === offset) before = middle;
    else after = middle;
  }
  return after * MINUTE_MS;
}

const FIELDS = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/;

/** In whole minutes: ICU's seconds stand in offsets of before 1972 alone. */
function offsetAt(zone: string, at: number): number {
  const [, month, day, year, hour, minute] = (FIELDS.exec(clockOf(zone).format(at)) ?? []).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute) - at;
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  if (clocks.size >= YEARS_MAX) clocks.clear();
  const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    calendar: "gregory",
    numberingSystem: "latn",
    ...fields,
  });
  clocks.set(zone, clock);
  return clock;
}
