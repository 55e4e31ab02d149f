/**
 * Wakes whoever drives runs. A queue per engine and the shared one (`SHARED`); a ring has no content, a lost, doubled or late one costs
 * latency only.
 */
export interface Doorbell {
  ring(queue: string): void;
  /** Answers a function that stops listening. */
  listen(queue: string, heard: () => void): () => void;
}
export const SHARED = "shared";

/** Between parts of one process. At most one ring a queue is outstanding. */
export function memoryDoorbell(): Doorbell {
  const listeners = new Map<string, Set<() => void>>();
  const outstanding = new Set<string>();
  return {
    ring: (queue) => {
      if (outstanding.has(queue)) return;
      outstanding.add(queue);
      setImmediate(() => {
        outstanding.delete(queue);
        for (const heard of listeners.get(queue) ?? []) heard();
      });
    },
    listen: (queue, heard) => {
      const heards = listeners.get(queue) ?? new Set();
      listeners.set(queue, heards.add(heard));
      return () => void heards.delete(heard);
    },
  };
}
