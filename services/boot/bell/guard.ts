import type { Redis } from "ioredis";

/** What a ring takes to and fro is some hundred bytes. Whoever sends so much in a second is no doorbell's, and a reply is kept whole until it ends. */
const MOST_BYTES = 2 * 1_024 * 1_024;
const WINDOW_MS = 1_000;
/** What ioredis says of an answer to nothing. */
const UNASKED = /^Command queue state error/;

/**
 * Keeps what Redis says, or who speaks in its place, from taking this process's memory or time, or ending it: a connection is cut on which too
 * much comes, before the reply is complete, or what nobody asked for. `cut` is told, so that it is not made anew at once.
 */
export function guard(redis: Redis, cut: () => void): Redis {
  const end = (code: string): void => {
    cut();
    redis.stream.destroy(Object.assign(new Error("Redis sends what no ring takes."), { code }));
  };
  // One that BullMQ has let go has no other listener, and an error would end the process.
  redis.on("error", (error: Error) => {
    if (UNASKED.test(error.message) && !redis.stream.destroyed) end("EPROTO");
  });
  redis.on("connect", () => {
    let [bytes, since] = [0, performance.now()];
    redis.stream.on("data", (chunk: Buffer) => {
      const now = performance.now();
      if (now - since > WINDOW_MS) [bytes, since] = [0, now];
      bytes += chunk.length;
      if (bytes > MOST_BYTES) end("EMSGSIZE");
    });
  });
  return redis;
}
