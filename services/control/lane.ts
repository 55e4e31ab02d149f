import { setTimeout as sleep } from "node:timers/promises";
import type { Asker, Gate } from "./gate.ts";

/** The longest rest after one body. */
const REST_MS = 1_000;

/**
 * Large bodies pass one at a time, askers in turn: each is parsed and judged in one go, while nothing else moves in this process. After each
 * the others have the process for as long as it was kept busy, whoever waits with the next one.
 */
export function openLane(gate: Gate): Gate {
  return {
    run: (asker: Asker, work) =>
      new Promise((resolve, reject) => {
        const pass = async (): Promise<void> => {
          const before = performance.eventLoopUtilization();
          await work().then(resolve, reject);
          await sleep(Math.min(performance.eventLoopUtilization(before).active, REST_MS), undefined, { ref: false });
        };
        gate.run(asker, pass).catch(reject);
      }),
  };
}
