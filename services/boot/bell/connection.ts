import { Redis, type RedisOptions } from "ioredis";
import type { Log } from "../log.ts";
import { Outage } from "../outage.ts";
import { guard } from "./guard.ts";
import { reasonOf } from "./reason.ts";

/** How long one command may take, and how often Redis is asked whether it is there. */
const COMMAND_MS = 2_000;
const PULSE_MS = 2_000;
const RETRY_MS = { first: 25, most: 2_000 } as const;
/** One that sent what nobody needs is not asked again at once. */
const CUT_MS = 5_000;
const UNSEEN = "it was not reached yet";

/** One connection to Redis, made again for ever. What cannot be sent at once fails at once: nothing piles up here. */
export interface Connection {
  readonly redis: Redis;
  isUp(): boolean;
  /** Resolves when it is up, or nobody waits for that any more; answers whether it had to wait. */
  up(until: AbortSignal): Promise<boolean>;
  /** In one sentence; null while Redis answers. */
  fault(): string | null;
  close(): void;
}

/** Connects in the background: Redis may come later. The password is in no line of the log and in no sentence. */
export function openConnection(url: string, log: Log): Connection {
  const redis = new Client(url);
  const outage = new Outage();
  let why: string | null = UNSEEN;
  let isClosed = false;
  const turn = (now: string | null): void => {
    if (isClosed) return;
    const there = (): void => log.info("the doorbell's Redis is there");
    if (now !== null) outage.fails(() => log.warn({ reason: now }, "the doorbell's Redis does not answer: rings are lost"));
    else if (why === UNSEEN) there();
    else outage.works(there);
    why = now;
  };
  redis.on("error", (error: unknown) => turn(reasonOf(error)));
  redis.on("close", () => turn(why ?? "the connection broke"));
  redis.on("ready", () => turn(null));
  redis.once("ready", () => void warnOfEviction(redis, log));
  // A machine that is gone closes no connection: that is found by asking.
  const pulse = setInterval(() => {
    if (redis.status !== "ready") return;
    redis.ping().catch((error: unknown) => {
      turn(reasonOf(error));
      redis.disconnect(true);
    });
  }, PULSE_MS);
  return {
    redis,
    isUp: () => redis.status === "ready",
    up: async (until) => {
      if (redis.status === "ready" || until.aborted) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      const go = (): void => resolve();
      redis.once("ready", go);
      until.addEventListener("abort", go, { once: true });
      await promise;
      redis.off("ready", go);
      until.removeEventListener("abort", go);
      return true;
    },
    fault: () => (why === null ? null : `Redis does not answer: ${why}`),
    close: () => {
      isClosed = true;
      clearInterval(pulse);
      redis.disconnect();
    },
  };
}

/** A copy is made for what blocks: it may take longer than any other command, and BullMQ watches it itself. */
class Client extends Redis {
  readonly #cut: () => void;

  constructor(url: string) {
    super(optionsOf(url));
    let cutAt = Number.NEGATIVE_INFINITY;
    this.options.retryStrategy = (times) =>
      performance.now() - cutAt < CUT_MS ? RETRY_MS.most : Math.min(RETRY_MS.first * 2 ** Math.min(times, 10), RETRY_MS.most);
    this.#cut = () => {
      cutAt = performance.now();
    };
    guard(this, this.#cut);
  }
  override duplicate(changed?: Partial<RedisOptions>): Redis {
    return guard(super.duplicate({ ...changed, commandTimeout: undefined }), this.#cut);
  }
}

function optionsOf(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? 6379 : Number(port),
    db: Number(pathname.slice(1)) || 0,
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === "rediss:" ? { tls: {} } : {}),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_MS,
    connectTimeout: COMMAND_MS,
  };
}

/** A Redis that evicts may drop a ring: that costs latency only, but whoever runs it should know. Where it may not be asked, nothing is said. */
async function warnOfEviction(redis: Redis, log: Log): Promise<void> {
  const memory = await redis.info("memory").catch(() => "");
  const [, policy] = /^maxmemory_policy:([a-z-]{1,40})/m.exec(memory) ?? [];
  if (policy === undefined || policy === "noeviction") return;
  log.warn({ policy }, "Redis may evict rings: set maxmemory-policy to noeviction");
}
