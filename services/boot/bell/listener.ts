import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Job, Worker } from "bullmq";
import type { Log } from "../log.ts";
import type { Connection } from "./connection.ts";
import { reasonOf } from "./reason.ts";

/**
 * A ring is a job for as long as a listener takes to take it away, two round trips. One that dies in between leaves it active, and the queue
 * deaf, until its lock has run out and another listener has found that twice: LOCK_MS + 2 × STALLED_MS. One that dies after it was woken and
 * before that leaves it waiting without a marker, until another listener looks by itself: BLOCK_S.
 */
const LOCK_MS = 500;
const STALLED_MS = 750;
const BLOCK_S = 1;
const RETRY_MS = 500;
/** So often a queue is looked at, and its listener woken: a Redis that answers at once whatever it is asked, or is rung all day, keeps nobody from work. */
const TURNS = { most: 50, inMs: 100 } as const;

export interface Listening {
  readonly connection: Connection;
  readonly prefix: string;
  readonly log: Log;
}

/**
 * Takes rings from one queue. `heard` is called once a ring is out of the queue, so that what is rung from then on rings again: a ring that is
 * swallowed by one that was not taken away yet is heard with it. It is called as well when Redis was away, for rings may have been lost.
 * BullMQ's own loop is not used: at an error that Redis answers it would ask again at once, for ever.
 */
export class Listener {
  readonly #connection: Connection;
  readonly #log: Log;
  readonly #worker: Worker;
  readonly #heard: () => void;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  readonly #token: string = randomUUID();
  #isChecked = false;

  constructor(name: string, { connection, prefix, log }: Listening, heard: () => void) {
    this.#connection = connection;
    this.#log = log;
    this.#heard = heard;
    this.#worker = new Worker(name, null, {
      ...{ connection: connection.redis, prefix, skipVersionCheck: true, skipWaitingForReady: true, autorun: false },
      ...{ lockDuration: LOCK_MS, stalledInterval: STALLED_MS, drainDelay: BLOCK_S },
    });
    this.#worker.on("error", () => undefined);
    this.#done = this.#listen();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    // By force: a blocking command would be waited for otherwise.
    await this.#worker.close(true).catch(() => undefined);
    await this.#done;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopping;
    const turn = pace();
    let isDeaf = false;
    while (!signal.aborted) {
      try {
        isDeaf = (await this.#connection.up(signal)) || isDeaf;
        await turn(signal);
        if (signal.aborted) return;
        const ring = await this.#next();
        if (ring !== undefined) await this.#takeAway(ring);
        if (ring !== undefined || isDeaf) this.#heard();
        isDeaf = false;
      } catch (error) {
        isDeaf = true;
        if (signal.aborted) return;
        this.#log.debug({ reason: reasonOf(error) }, "the doorbell was not heard");
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Waits a second at most. */
  async #next(): Promise<Job | undefined> {
    if (!this.#isChecked) {
      this.#isChecked = true;
      await this.#worker.startStalledCheckTimer();
    }
    return this.#worker.getNextJob(this.#token);
  }

  /** Where that fails its lock runs out, and it is rung once more: never silence. */
  async #takeAway(ring: Job): Promise<void> {
    await ring.moveToCompleted("", this.#token, false).catch((error: unknown) => {
      this.#log.debug({ reason: reasonOf(error) }, "a ring was not taken away");
    });
  }
}

/** Waits where TURNS are used up. */
function pace(): (until: AbortSignal) => Promise<void> {
  let [turns, since] = [0, performance.now()];
  return async (signal) => {
    const leftMs = since + TURNS.inMs - performance.now();
    if (leftMs <= 0) [turns, since] = [0, performance.now()];
    else if (turns >= TURNS.most) await sleep(leftMs, undefined, { signal }).catch(() => undefined);
    turns += 1;
  };
}
