import { DEFAULTS, RENEWALS, STORE_RETRY_MS } from "./bounds.ts";
import type { Clock } from "./clock.ts";
import type { World } from "./engine.ts";

/** The right to advance runs. `alive` is asked before every dispatch and every append. */
export interface Tenure {
  readonly engine: string;
  alive(): boolean;
  /** PostgreSQL's time up to which a dispatch made now may be accepted: never later than the lease's end there. */
  notAfter(): number;
  /** Resolves when the lease has run out by our clock, was fenced, or its session broke; never by `release`. */
  readonly ended: Promise<void>;
  release(): Promise<void>;
}

/**
 * Opens a lease under a new engine id and keeps renewing it. It counts from the moment a renewal was *sent*, by the monotonic clock, so it
 * ends here before it ends in PostgreSQL. An end is for good: a process that slept through it finds itself without the right.
 */
export async function openTenure(world: World, clock: Clock, leaseMs: number = DEFAULTS.leaseMs): Promise<Tenure> {
  const engine = world.mint();
  const sent = world.monotonic();
  const { lease, at } = await world.store.openLease(engine, leaseMs);
  clock.set(at);
  let until = sent + leaseMs;
  let over = false;
  let stop = (): void => undefined;
  let expire = (): void => undefined;
  const { promise: ended, resolve } = Promise.withResolvers<void>();

  const close = (): void => {
    over = true;
    stop();
    expire();
  };
  const lose = (why: string): void => {
    if (over) return;
    close();
    world.log.error({ engine, why }, "lease lost");
    // Row and lock are given up, else the next engine waits for a lease that may just have been renewed, with nobody to drive the runs.
    lease.release().catch(() => undefined);
    resolve();
  };
  const watch = (): void => {
    expire();
    expire = world.alarm(Math.max(0, until - world.monotonic()), () => (world.monotonic() < until ? watch() : lose("ran out")));
  };
  const renew = async (): Promise<void> => {
    const asked = world.monotonic();
    if (asked >= until) return lose("ran out");
    const answer = await lease.renew().catch(() => undefined);
    if (over) return;
    if (answer === null) return lose("fenced");
    if (answer === undefined) return again(STORE_RETRY_MS);
    if (world.monotonic() >= until) return lose("ran out");
    clock.set(answer);
    until = asked + leaseMs;
    watch();
    again(leaseMs / RENEWALS);
  };
  const again = (delayMs: number): void => {
    stop = world.alarm(delayMs, () => void renew());
  };
  void lease.lost.then(() => lose("session broke or fenced"));
  watch();
  again(leaseMs / RENEWALS);
  return {
    engine,
    ended,
    alive: () => !over && world.monotonic() < until,
    notAfter: () => clock.now() + Math.floor(until - world.monotonic()),
    release: async () => {
      close();
      await lease.release();
    },
  };
}
