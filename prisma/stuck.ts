import type { Append } from "./engine-store.ts";

/** What a run may wait for without being due: somebody's word, a person's or another run's. */
const AWAITED = ["approval", "child", "needs_resolution", "operation"] as const;
export const ENDED = "('succeeded', 'failed', 'cancelled')";
/** So many are counted at most. */
const MOST = 10_000;

/** Nothing will ever move it: no time, and nobody of whom it is known. `r` is the run; the index run_idle holds these, and what waits. */
export const MOTIONLESS = `r.held IS NULL AND r.next_due IS NULL AND r.status NOT IN ${ENDED}
  AND coalesce(r.waiting_for->>'cause', '') NOT IN (${AWAITED.map((cause) => `'${cause}'`).join(", ")})`;

/** Runs that are held, or that nothing moves. */
export const STUCK = `SELECT count(*)::int AS count FROM (SELECT FROM run r
  WHERE (r.held IS NOT NULL OR (r.next_due IS NULL AND r.status NOT IN ${ENDED})) AND (r.held IS NOT NULL OR (${MOTIONLESS})) LIMIT ${MOST}) s`;

interface Row extends Pick<Append["projection"], "nextDue" | "waitingFor"> {
  readonly status: string;
  readonly held: string | null;
}

/** The same of a row in memory. */
export function isStuck({ held, status, nextDue, waitingFor }: Row): boolean {
  if (held !== null) return true;
  const awaited: readonly string[] = AWAITED;
  return nextDue === null && !ENDED.includes(`'${status}'`) && !awaited.includes(waitingFor?.cause ?? "");
}
