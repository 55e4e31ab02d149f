/**
 * Wakes whoever drives runs. A queue per engine (by its id: what concerns runs it owns) and the shared one (`SHARED`: any engine will do).
 * A ring has no content and is never truth: a lost, doubled or late one costs latency only, and the sweep bounds that.
 */
export interface Doorbell {
  /** Never throws and never waits; at most one ring a queue is outstanding. Lost where the bell cannot be reached. */
  ring(queue: string): void;
  /** `heard` may be called more often than was rung. Of several listeners to one queue in several processes one hears a ring. Answers a function that stops listening. */
  listen(queue: string, heard: () => void): () => void;
  /** Nobody will listen to this queue any more (its engine is dead): what is kept of it may go. */
  forget(queue: string): void;
  /** Why rings are lost at the moment, in one sentence; null while they are not. */
  fault(): string | null;
  close(): Promise<void>;
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
    forget: (queue) => void listeners.delete(queue),
    fault: () => null,
    close: async () => listeners.clear(),
  };
}
