import type { Append } from "./engine-store.ts";

/** Of the whole statement's parameters the short one has those of runs and events: $1 to $18, and $28 and on. */
const EVENTS_END = 18;
const PLACES_BEGIN = 27;

/**
 * Whether nothing is written but events and the run's row: no admission, no timer, no request, nothing of the platform's own, no place given back.
 * Most steps are so.
 */
export function isPlain({ admission, own, set, cleared, requests, projection }: Append): boolean {
  return admission === null && own === undefined && set.length + cleared.length + requests.length === 0 && projection.holds;
}

/**
 * The append of such runs, of parts of the whole statement: each part of a statement costs, whether or not there is anything for it to do. A run
 * that would take up a place does not move by it.
 */
export function plain(append: string): string {
  const [head = "", ...parts] = append.split(/^\), (\w+) AS \(\n/m);
  const part = (name: string): string => parts[parts.indexOf(name) + 1] ?? "";
  const locked = changed(part("locked"), "ORDER BY", "AND r.holds = w.holds ORDER BY");
  const moved = changed(part("advanced"), "AND l.n NOT IN (SELECT n FROM full_up)", "");
  const text = `${head}), locked AS (\n${locked}), moved AS (\n${moved}), events AS (\n${part("events")})
SELECT n, head, at, (SELECT ms FROM now) AS now, NULL AS place FROM moved`;
  return text.replaceAll(/\$(\d+)/g, (_, n) => `$${Number(n) > EVENTS_END ? Number(n) - (PLACES_BEGIN - EVENTS_END) : n}`);
}

export function plainColumns(columns: readonly unknown[]): unknown[] {
  return [...columns.slice(0, EVENTS_END), ...columns.slice(PLACES_BEGIN)];
}

/** Throws where the text is not there: without it the statement would do something else. */
function changed(part: string, from: string, to: string): string {
  if (!part.includes(from)) throw new Error(`append.sql has no "${from}" where it is looked for.`);
  return part.replace(from, to);
}
