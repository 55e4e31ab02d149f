// The doorbell between processes, on BullMQ. Invariants:
// D1 A ring has no content, and a queue holds one at most; Redis can be flushed, stopped, or lie, and latency is all it costs.
// D2 Nothing here waits for Redis, throws because of it, or grows while it is away: what cannot be rung now is lost, and counted.
// D3 A ring is out of the queue before it is heard, so none is swallowed by one whose listener has already looked.
import { setTimeout as sleep } from "node:timers/promises";
import type { Doorbell } from "../doorbell.ts";
import type { Log } from "../log.ts";
import { openConnection } from "./connection.ts";
import { Listener } from "./listener.ts";
import { Ringer } from "./ringer.ts";

const CLOSE_MS = 2_000;

export interface RedisDoorbell {
  /** `redis:` or `rediss:`; its password is never logged. */
  readonly url: string;
  /** What each key begins with: in braces, so that a Redis Cluster keeps them together. */
  readonly prefix: string;
  readonly log: Log;
  /** A ring was lost, because Redis is not there or did not take it. */
  readonly lost: () => void;
}
interface Heard {
  readonly heards: Set<() => void>;
  readonly listener: Listener;
}

/** Is there at once, whether Redis is or not: `fault` says when rings are lost. */
export function redisDoorbell({ url, prefix, log, lost }: RedisDoorbell): Doorbell {
  const connection = openConnection(url, log);
  const ringer = new Ringer({ connection, prefix, log, lost });
  const queues = new Map<string, Heard>();
  const closing = new Set<Promise<void>>();
  const end = ({ listener }: Heard): void => {
    const ended = listener.close().finally(() => closing.delete(ended));
    closing.add(ended);
  };
  const opened = (queue: string): Heard => {
    const heards = new Set<() => void>();
    const tell = (): void => {
      for (const heard of [...heards]) heard();
    };
    return { heards, listener: new Listener(queue, { connection, prefix, log }, tell) };
  };
  return {
    ring: (queue) => ringer.ring(queue),
    listen: (queue, heard) => {
      const open = queues.get(queue) ?? opened(queue);
      // A function of its own for each call: who listens twice with one stops once with one.
      const own = (): void => heard();
      queues.set(queue, open);
      open.heards.add(own);
      return () => {
        if (!open.heards.delete(own) || open.heards.size > 0) return;
        queues.delete(queue);
        end(open);
      };
    },
    forget: (queue) => void ringer.forget(queue),
    fault: () => connection.fault() ?? ringer.fault(),
    close: async () => {
      for (const open of queues.values()) end(open);
      queues.clear();
      // BullMQ waits for a connection that a Redis which cuts each of them never lets stand.
      const late = new AbortController();
      const quiet = Promise.all(closing).then(() => ringer.close());
      await Promise.race([quiet, sleep(CLOSE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
      connection.close();
    },
  };
}
