import { ApiError } from "./errors.ts";

export interface Bounds {
  /** Requests that are worked on at once. */
  readonly inside: number;
  /** Requests that wait, and the bytes they hold meanwhile. */
  readonly line: number;
  readonly lineBytes: number;
  /** How long one may wait. */
  readonly patienceMs: number;
}
export interface Gate {
  /** Works when its turn has come, first come, first served; rejects with WOML_OVERLOADED before anything was done. */
  run<T>(bytes: number, work: () => Promise<T>): Promise<T>;
}
interface Waiter {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Keeps a crowd from the database: whoever cannot be served soon is told so at once, and nobody's question dies half-way. */
export function openGate({ inside, line, lineBytes, patienceMs }: Bounds): Gate {
  const waiting = new Set<Waiter>();
  let busy = 0;
  let held = 0;

  const leaveLine = (waiter: Waiter): void => {
    waiting.delete(waiter);
    held -= waiter.bytes;
  };
  const turn = (bytes: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= line || held + bytes > lineBytes) return reject(overloaded());
      const late = setTimeout(() => {
        leaveLine(waiter);
        reject(overloaded());
      }, patienceMs);
      const waiter: Waiter = {
        bytes,
        enter: () => {
          clearTimeout(late);
          leaveLine(waiter);
          resolve();
        },
      };
      waiting.add(waiter);
      held += bytes;
    });
  /** The place of whoever leaves goes to the next in line, so that nobody slips in between. */
  const leave = (): void => {
    const [next] = waiting;
    if (next) next.enter();
    else busy -= 1;
  };
  return {
    run: async (bytes, work) => {
      if (busy < inside) busy += 1;
      else await turn(bytes);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function overloaded(): ApiError {
  return new ApiError("WOML_OVERLOADED", "too many requests at once; nothing was done: ask again in a moment", { retryAfterMs: 1_000 });
}
