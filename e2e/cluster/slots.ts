// What a schedule and a lane have to keep while everything around them dies: each slot of the grid is one run, and no more hold a place than may.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { LANE, TICKING } from "./mix.ts";

export interface Slots {
  /** Of the interval, from the first to the last. */
  readonly slots: number;
  /** Neither started nor written down as missed. */
  readonly absent: number;
  /** Runs that a slot has beyond its one, and slots whose run has not succeeded. */
  readonly again: number;
  readonly failed: number;
}

const STARTED = `
SELECT (q.body->'payload'->>'scheduledAt') AS at, count(r.id)::int AS runs, count(r.id) FILTER (WHERE r.status = 'succeeded')::int AS succeeded
FROM request q LEFT JOIN run r ON r.tenant = q.tenant AND r.id = q.run
WHERE q.kind = 'start' AND q.workflow = $1 GROUP BY 1`;
const MISSED = "SELECT coalesce(sum(count), 0)::int AS missed FROM delivery WHERE workflow = $1 AND outcome = 'missed'";

export async function slotsOf(direct: Client): Promise<Slots> {
  const { rows } = await direct.query<{ at: string; runs: number; succeeded: number }>(STARTED, [TICKING.id]);
  const { rows: counts } = await direct.query<{ missed: number }>(MISSED, [TICKING.id]);
  const times = rows.map(({ at }) => Date.parse(at));
  const slots = rows.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / TICKING.everyMs + 1;
  return {
    slots,
    absent: slots - rows.length - (counts[0]?.missed ?? 0),
    again: rows.reduce((sum, { runs }) => sum + Math.max(0, runs - 1), 0),
    failed: rows.filter(({ succeeded }) => succeeded !== 1).length,
  };
}

/** Of one moment: in one snapshot, so that what is counted was so. */
const HOLDING = `
SELECT count(*) FILTER (WHERE r.holds)::int AS holding, (SELECT l.active FROM lane l WHERE l.tenant = r.tenant AND l.kind = 'workflow' AND l.name = r.workflow) AS active
FROM run r WHERE r.workflow = $1 GROUP BY r.tenant, r.workflow`;
const EVERY_MS = 100;

export interface Lane {
  /** The most that held a place at once. */
  readonly most: number;
  /** Moments in which the lane counted others than those that hold. */
  readonly miscounted: number;
}

/** Looks at the lane until told to stop. */
export function watchLane(direct: Client): () => Promise<Lane> {
  let isOn = true;
  let [most, miscounted] = [0, 0];
  const look = async (): Promise<void> => {
    const { rows } = await direct.query<{ holding: number; active: number | null }>(HOLDING, [LANE.id]);
    for (const { holding, active } of rows) {
      most = Math.max(most, holding);
      if (active !== holding) miscounted += 1;
    }
  };
  const course = (async (): Promise<void> => {
    while (isOn) await look().then(() => sleep(EVERY_MS));
  })();
  // Awaited at the end; until then it must not end the process.
  course.catch(() => undefined);
  return async () => {
    isOn = false;
    await course;
    return { most, miscounted };
  };
}
