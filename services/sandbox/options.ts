import { availableParallelism } from "node:os";

export interface PoolOptions {
  /** Processes in all, spares included. */
  readonly workers: number;
  readonly workersPerTenant: number;
  /** Started ahead, leased to nobody. */
  readonly spares: number;
  /** Jobs a worker may hold, the live one included. */
  readonly pipeline: number;
  readonly queuePerTenant: number;
  readonly queue: number;
  readonly queueBytesPerTenant: number;
  readonly queueBytes: number;
  /** A worker ends after that many invocations, or so long without one. */
  readonly workerServes: number;
  readonly idleMs: number;
  /** Resident memory of a worker. Seen: an honest 64 MB heap and V8's own tables beside a deep JSON.parse take up to 379 MB. */
  readonly rssMb: number;
}

const MIB = 1_024 * 1_024;
const CORES = availableParallelism();

const POOL_OPTIONS: PoolOptions = {
  workers: Math.max(8, 4 * CORES),
  workersPerTenant: Math.max(2, CORES),
  spares: 2,
  pipeline: 4,
  queuePerTenant: 2_048,
  queue: 16_384,
  queueBytesPerTenant: 64 * MIB,
  queueBytes: 256 * MIB,
  workerServes: 50_000,
  idleMs: 60_000,
  rssMb: 448,
};

/** Options from JSON: known names, whole numbers from 0. */
export function poolOptions(json: string): PoolOptions {
  const given: unknown = JSON.parse(json);
  if (typeof given !== "object" || given === null) throw new Error("The sandbox's options must be an object.");
  for (const [name, value] of Object.entries(given)) {
    const whole = Number.isSafeInteger(value) && Number(value) >= 0;
    if (!Object.hasOwn(POOL_OPTIONS, name) || !whole) throw new Error(`The sandbox has no such option: ${name}.`);
  }
  return { ...POOL_OPTIONS, ...given };
}
