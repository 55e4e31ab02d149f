import { Queue } from "bullmq";
import { ReplyError } from "ioredis";
import { SHARED } from "../doorbell.ts";
import type { Log } from "../log.ts";
import { Outage } from "../outage.ts";
import type { Connection } from "./connection.ts";
import { reasonOf } from "./reason.ts";

/** The one job that a queue may hold: while it is there, ringing again changes nothing. */
const RING = "ring";
/** Queues of engines that were rung lately, so that not each ring makes one. */
const QUEUES_MAX = 64;
/** What a ring leaves in the queue of an engine that is dead, and that nobody forgets, is gone after that. */
const KEPT_MS = 3_600_000;
const AGAIN_MS = 2_000;
const KEYS = ["meta", "id", "wait", "active", "stalled", "marker", "events", RING] as const;

export interface Ringing {
  readonly connection: Connection;
  readonly prefix: string;
  readonly log: Log;
  /** A ring could not be given. */
  readonly lost: () => void;
}

/** Gives rings to Redis: at most one of a queue is on its way, and one more follows it if somebody rang meanwhile. */
export class Ringer {
  readonly #parts: Ringing;
  readonly #queues = new Map<string, Queue>();
  readonly #onWay = new Map<string, { again: boolean }>();
  readonly #outage = new Outage();
  #refused: string | null = null;
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: Ringing) {
    this.#parts = parts;
  }

  ring(queue: string): void {
    const onWay = this.#onWay.get(queue);
    if (onWay !== undefined) onWay.again = true;
    else if (this.#isClosed || !this.#parts.connection.isUp()) this.#parts.lost();
    else void this.#give(queue);
  }

  /** Why the last ring was not taken by a Redis that answers; null when it was. */
  fault(): string | null {
    return this.#refused === null ? null : `Redis takes no rings: ${this.#refused}`;
  }

  async forget(name: string): Promise<void> {
    if (this.#isClosed || !this.#parts.connection.isUp()) return;
    await this.#queue(name)
      .obliterate({ force: true })
      .catch((error: unknown) => this.#parts.log.debug({ queue: name, reason: reasonOf(error) }, "a queue was not forgotten"));
    await this.#drop(name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#again);
    await Promise.all([...this.#queues.keys()].map((name) => this.#drop(name)));
  }

  async #give(name: string): Promise<void> {
    const turn = { again: true };
    this.#onWay.set(name, turn);
    while (turn.again) {
      turn.again = false;
      await this.#add(name).then(
        () => this.#say(null),
        (error: unknown) => {
          this.#parts.lost();
          if (error instanceof ReplyError) this.#say(reasonOf(error));
        },
      );
    }
    this.#onWay.delete(name);
  }

  async #add(name: string): Promise<void> {
    const queue = this.#queue(name);
    await queue.add(RING, null, { jobId: RING, removeOnComplete: true, removeOnFail: true });
    if (name === SHARED) return;
    const pipeline = this.#parts.connection.redis.pipeline();
    for (const key of KEYS) pipeline.pexpire(queue.toKey(key), KEPT_MS);
    await pipeline.exec();
  }

  #queue(name: string): Queue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const { connection, prefix } = this.#parts;
    const queue = new Queue(name, {
      ...{ connection: connection.redis, prefix, skipVersionCheck: true, skipWaitingForReady: true },
      streams: { events: { maxLen: 1 } },
    });
    // Each failure is told to who asked for what failed; without a listener it would end the process.
    queue.on("error", () => undefined);
    this.#queues.set(name, queue);
    const [oldest] = [...this.#queues.keys()].filter((one) => one !== SHARED);
    if (this.#queues.size > QUEUES_MAX && oldest !== undefined) void this.#drop(oldest);
    return queue;
  }

  async #drop(name: string): Promise<void> {
    const queue = this.#queues.get(name);
    this.#queues.delete(name);
    await queue?.close().catch(() => undefined);
  }

  /** While it is refused it rings by itself: else who is not ready because of it would not be asked, not ring, and never be ready again. */
  #say(reason: string | null): void {
    if (reason === null) this.#outage.works(() => this.#parts.log.info("Redis takes rings again"));
    else this.#outage.fails(() => this.#parts.log.warn({ reason }, "Redis takes no rings"));
    this.#refused = reason;
    clearTimeout(this.#again);
    if (reason !== null && !this.#isClosed) this.#again = setTimeout(() => this.ring(SHARED), AGAIN_MS);
  }
}
