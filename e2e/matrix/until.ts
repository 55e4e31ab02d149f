import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 15;

/** Looks until there is something to see. Rejects when it takes too long, saying what was waited for and what was seen last. */
export async function until<T>(what: string, look: () => Promise<T | null> | T | null, withinMs = 20_000): Promise<T> {
  for (const end = performance.now() + withinMs; performance.now() < end; await sleep(LOOK_MS)) {
    const seen = await look();
    if (seen !== null) return seen;
  }
  throw new Error(`not in ${withinMs} ms: ${what}`);
}

/** `promise`, or an error when it takes too long. */
export async function within<T>(what: string, promise: Promise<T>, limitMs = 10_000): Promise<T> {
  const late = Symbol();
  const first = await Promise.race([promise, sleep(limitMs, late, { ref: false })]);
  if (first === late) throw new Error(`not in ${limitMs} ms: ${what}`);
  return first as T;
}
