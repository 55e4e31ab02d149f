// Something dies every second, and comes back; Redis forgets all it knew, twice.
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "./ground.ts";
import type { ClusterNode } from "./node.ts";

export interface Strikes {
  readonly kills: Readonly<Record<string, number>>;
  readonly flushes: number;
  /** Seconds in which more than half of the cluster was still coming back, so that nothing was struck: a busy machine. */
  readonly heldBack: number;
  /** By role: the longest that one took from its kill until it was ready again, ms. */
  readonly back: Readonly<Record<string, number>>;
}
export interface Striking {
  /** No further strike; resolves when everything is up again. */
  stop(): Promise<Strikes>;
}
export interface StrikeOptions {
  readonly everyMs: number;
  /** Redis is flushed before the kills with these numbers. */
  readonly flushAt: readonly number[];
  /** Which strike meets which process; the same seed, the same order. */
  readonly seed: number;
}

export function strike({ nodes, redis }: Cluster, { everyMs, flushAt, seed }: StrikeOptions): Striking {
  const kills: Record<string, number> = {};
  const chance = randomOf(seed);
  const returning = new Set<Promise<void>>();
  const back: Record<string, number> = {};
  let flushes = 0;
  let heldBack = 0;
  let isOn = true;
  const one = async (number: number): Promise<void> => {
    if (flushAt.includes(number)) {
      await redis.flush();
      flushes += 1;
    }
    const there = nodes.filter(({ isReady }) => isReady);
    if (there.length * 2 < nodes.length) {
      heldBack += 1;
      return;
    }
    const node = there[Math.floor(chance() * there.length)];
    if (node === undefined) return;
    kills[node.role] = (kills[node.role] ?? 0) + 1;
    await node.kill();
    const began = performance.now();
    const again = revive(node)
      .then(() => {
        back[node.role] = Math.max(back[node.role] ?? 0, Math.round(performance.now() - began));
      })
      .finally(() => returning.delete(again));
    returning.add(again);
  };
  const course = (async (): Promise<void> => {
    for (let number = 1; isOn; number++) {
      const began = performance.now();
      await one(number);
      await sleep(Math.max(0, everyMs - (performance.now() - began)));
    }
  })();
  return {
    stop: async () => {
      isOn = false;
      await course;
      await Promise.all(returning);
      return { kills, flushes, heldBack, back };
    },
  };
}

/** As whatever keeps processes would: at once, and again where it does not come up. */
async function revive(node: ClusterNode): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await node.start();
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

/** Numbers from 0 up to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
