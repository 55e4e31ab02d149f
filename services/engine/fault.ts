import type { Doorbell } from "@woml/boot";
import type { World } from "./engine.ts";
import type { Tenure } from "./lease.ts";

/** A store that is silent for so long counts as gone; it is asked once a second. */
const SILENCE_MS = 5_000;
/** Doorbells that were reached: an engine that follows one whose lease is lost in the same process has that one's, and its place is known. */
const reached = new WeakSet<Doorbell>();

export interface Faults {
  /** The store has answered. */
  beat(): void;
  /** No new work is taken any more. */
  stops(): void;
  /** In one sentence; null when there is nothing to say. */
  fault(): string | null;
}

/**
 * Why an engine cannot do its work. A doorbell that was never reached keeps it from being ready, for its place may be mistyped; one that falls
 * silent later does not, for lost rings cost latency only.
 */
export function openFaults({ monotonic, doorbell, sandbox, plugins }: World, tenure: Tenure): Faults {
  let answeredAt = monotonic();
  let isStopping = false;
  const ofDoorbell = (): string | null => {
    const silence = doorbell.fault();
    if (silence === null) reached.add(doorbell);
    return silence === null || reached.has(doorbell) ? null : `the doorbell: ${silence}`;
  };
  return {
    beat: () => {
      answeredAt = monotonic();
    },
    stops: () => {
      isStopping = true;
    },
    fault: () => {
      if (isStopping) return "it is stopping";
      if (!tenure.alive()) return "its lease is lost";
      if (monotonic() - answeredAt > SILENCE_MS) return "the database does not answer";
      return sandbox.fault?.() ?? plugins.fault?.() ?? ofDoorbell();
    },
  };
}
