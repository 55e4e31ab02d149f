import type { Doorbell } from "@woml/boot";
import type { Chance } from "./chance.ts";
import type { Tally } from "./tally.ts";
import type { Time } from "./time.ts";

/** A doorbell that loses, doubles and delays rings. */
export function unreliableBell(time: Time, chance: Chance, tally: Tally): Doorbell {
  const listeners = new Map<string, Set<() => void>>();
  const ringAfter = (queue: string, delayMs: number): void => {
    time.after(delayMs, () => {
      for (const heard of listeners.get(queue) ?? []) heard();
    });
  };
  return {
    ring: (queue) => {
      if (chance.hit(0.2)) return tally.hit("ring lost");
      ringAfter(queue, chance.between(0, 3));
      if (chance.hit(0.1)) {
        tally.hit("ring doubled");
        ringAfter(queue, chance.between(0, 3));
      }
      if (chance.hit(0.1)) {
        tally.hit("ring late");
        ringAfter(queue, chance.between(100, 5_000));
      }
    },
    listen: (queue, heard) => {
      const heards = listeners.get(queue) ?? new Set();
      listeners.set(queue, heards.add(heard));
      return () => void heards.delete(heard);
    },
    forget: (queue) => void listeners.delete(queue),
    fault: () => null,
    close: async () => undefined,
  };
}
