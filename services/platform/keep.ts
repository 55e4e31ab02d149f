import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@woml/boot";

/** A part that may end by itself. */
export interface Part {
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}
export interface Kept<P extends Part> {
  /** The one that runs now, or that ran last. */
  current(): P;
  /** Stops the one that runs; none is started after it. */
  stop(): Promise<void>;
}
export interface Keeping<P extends Part> {
  readonly name: string;
  readonly start: () => Promise<P>;
  readonly log: Log;
  /** Told of each one that was started. Where it throws, that one is stopped: the start has failed. */
  readonly started?: (part: P) => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** One that ran so long did not fail at its start: the pause begins anew. */
const STEADY_MS = 30_000;

/** Starts a part, and again whenever it ends unasked, after a pause that doubles. Only the first start may reject. */
export async function keep<P extends Part>({ name, start, log, started }: Keeping<P>): Promise<Kept<P>> {
  const launch = async (): Promise<P> => {
    const part = await start();
    try {
      started?.(part);
      return part;
    } catch (error) {
      await part.stop();
      throw error;
    }
  };
  let current = await launch();
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
  const watch = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS, since = performance.now(); !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await Promise.race([current.exited, stopped]);
      if (performance.now() - since > STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      since = performance.now();
      if (!signal.aborted) log.warn({ part: name, pauseMs }, "ended unasked and is started again");
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) current = await restarted(current);
    }
  };
  const restarted = async (ended: P): Promise<P> => {
    try {
      return await launch();
    } catch (error) {
      log.error({ part: name, error: error instanceof Error ? error.message : String(error) }, "could not be started again");
      return ended;
    }
  };
  const watching = watch();
  return {
    current: () => current,
    stop: async () => {
      stopping.abort();
      await watching;
      await current.stop();
    },
  };
}
