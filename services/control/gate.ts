import { ApiError } from "./errors.ts";

export interface Bounds {
  /** Requests that are worked on at once. */
  readonly inside: number;
  /** Requests that wait, and the bytes they hold meanwhile. */
  readonly line: number;
  readonly lineBytes: number;
  /** How much of each of the three one asker may have, so that something is left for the others: above 0, at most 1. */
  readonly share: number;
  /** How long one may wait. */
  readonly patienceMs: number;
}
/** A request, as the gate sees it: whose it is, and what it holds while it waits. */
export interface Asker {
  readonly who: string;
  readonly bytes: number;
}
export interface Gate {
  /**
   * Works when its turn has come: askers take turns, the requests of one are served in their order. Rejects with WOML_OVERLOADED before
   * anything was done.
   */
  run<T>(asker: Asker, work: () => Promise<T>): Promise<T>;
}
interface Waiter {
  readonly bytes: number;
  readonly enter: () => void;
}
/** What one asker has here; kept while it is not nothing. */
class Presence {
  inside = 0;
  readonly line = new Line();
}

class Line {
  readonly waiters = new Set<Waiter>();
  bytes = 0;

  add(waiter: Waiter): void {
    this.waiters.add(waiter);
    this.bytes += waiter.bytes;
  }
  delete(waiter: Waiter): void {
    if (this.waiters.delete(waiter)) this.bytes -= waiter.bytes;
  }
  /** `part` is how much of the bounds is meant. */
  isFull(bytes: number, { line, lineBytes }: Bounds, part: number): boolean {
    return this.waiters.size >= portion(line, part) || this.bytes + bytes > portion(lineBytes, part);
  }
}

const portion = (whole: number, part: number): number => Math.max(1, Math.floor(whole * part));

/** Keeps a crowd from the database: whoever cannot be served soon is told so at once, and nobody's question dies half-way. */
export function openGate(bounds: Bounds): Gate {
  const turns = new Turns(bounds);
  return {
    run: async ({ who, bytes }, work) => {
      await turns.enter(who, bytes);
      try {
        return await work();
      } finally {
        turns.leave(who);
      }
    },
  };
}

class Turns {
  readonly #bounds: Bounds;
  /** In the order of their turns. */
  readonly #present = new Map<string, Presence>();
  readonly #all = new Line();
  #inside = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  async enter(who: string, bytes: number): Promise<void> {
    const asker = this.#present.get(who) ?? new Presence();
    this.#present.set(who, asker);
    if (this.#inside < this.#bounds.inside && this.#mayEnter(asker)) {
      this.#count(asker, 1);
      return;
    }
    if (this.#all.isFull(bytes, this.#bounds, 1) || asker.line.isFull(bytes, this.#bounds, this.#bounds.share)) {
      this.#forget(who);
      throw overloaded();
    }
    await this.#wait(who, asker, bytes);
  }

  /** The place of whoever leaves goes to the next in line, so that nobody slips in between. */
  leave(who: string): void {
    const asker = this.#present.get(who);
    if (asker) this.#count(asker, -1);
    this.#next();
    this.#forget(who);
  }

  /** Whoever was let in has the last turn then. */
  #next(): void {
    for (const [who, asker] of this.#present) {
      const [first] = asker.line.waiters;
      if (!first || !this.#mayEnter(asker)) continue;
      first.enter();
      this.#present.delete(who);
      this.#present.set(who, asker);
      return;
    }
  }

  #wait(who: string, asker: Presence, bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leaveLine = (): void => {
      clearTimeout(late);
      for (const line of [asker.line, this.#all]) line.delete(waiter);
    };
    const waiter: Waiter = {
      bytes,
      enter: () => {
        leaveLine();
        this.#count(asker, 1);
        resolve();
      },
    };
    const late = setTimeout(() => {
      leaveLine();
      this.#forget(who);
      reject(overloaded());
    }, this.#bounds.patienceMs);
    for (const line of [asker.line, this.#all]) line.add(waiter);
    return promise;
  }

  #mayEnter(asker: Presence): boolean {
    return asker.inside < portion(this.#bounds.inside, this.#bounds.share);
  }
  #count(asker: Presence, by: 1 | -1): void {
    asker.inside += by;
    this.#inside += by;
  }
  #forget(who: string): void {
    const asker = this.#present.get(who);
    if (asker?.inside === 0 && asker.line.waiters.size === 0) this.#present.delete(who);
  }
}

function overloaded(): ApiError {
  return new ApiError("WOML_OVERLOADED", "too many requests at once; nothing was done: ask again in a moment", { retryAfterMs: 1_000 });
}
