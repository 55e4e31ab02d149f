/**
 * Who runs where. Tenants take turns; each has its own bounded queue and at most so many workers of its own.
 * 1. A worker leased to one tenant never gets a job of another (Seat holds it).
 * 2. Nothing is queued past the bounds: the asker hears `overloaded` at once.
 * 3. A tenant without a worker gets one before another tenant gets its next, by ending an idle or the longest held one.
 * 4. What is handed back when the pool drains or closes has had no effect and has none: a call of what is not live is never passed on.
 */
import { residentMb } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Told } from "./course.ts";
import { bounded, ending, type Job, settle } from "./job.ts";
import type { PoolOptions } from "./options.ts";
import { Queue } from "./queue.ts";
import { Seat } from "./seat.ts";

const TICK_MS = 25;
const CHECK_EVERY = 256;
const BOOT_TRIES = 5;
const BOOT_PAUSE_MS = 200;
/** Another sandbox has taken over by then. */
const HANDED_BACK_MS = 50;

export interface PoolEvents {
  /** A worker's end that nobody asked for. */
  readonly crashed: (pid: number, how: string) => void;
  /** Workers do not start here at all. */
  readonly hopeless: (lastWords: string) => void;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #preload: string;
  readonly #events: PoolEvents;
  readonly #seats = new Set<Seat>();
  readonly #queue: Queue;
  readonly #ticker: NodeJS.Timeout;
  #failedBoots = 0;
  #pausedUntil = 0;
  #meanMs = 1;
  #closed = false;
  #draining = false;
  #wasReady = false;
  readonly #rested = Promise.withResolvers<void>();
  readonly #empty = Promise.withResolvers<void>();
  #pumping = false;

  constructor(preload: string, options: PoolOptions, events: PoolEvents) {
    this.#preload = preload;
    this.#options = options;
    this.#events = events;
    this.#queue = new Queue(options);
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    this.#grow();
  }

  get pids(): readonly number[] {
    return [...this.#seats].map((seat) => seat.pid);
  }
  /** A worker has started here once. */
  get wasReady(): boolean {
    return this.#wasReady;
  }
  get queued(): number {
    return this.#queue.length;
  }

  submit(job: Job): void {
    if (this.#draining) handBack(job);
    else if (this.#queue.push(job)) this.#pump();
    else this.#refuse(job);
  }
  #refuse(job: Job): void {
    const share = Math.max(1, [...this.#seats].filter((seat) => seat.tenant === job.tenant).length);
    const retryAfterMs = Math.round(Math.min(5_000, Math.max(50, (this.#queue.lengthOf(job.tenant) * this.#meanMs) / share)));
    settle(job, ending("overloaded", { retryAfterMs }));
  }
  cancel(job: Job): void {
    const seat = this.#seatOf(job);
    if (seat?.live === job) seat.kill(ending("cancelled"));
    else {
      this.#queue.remove(job);
      // Given to a worker but not begun: that worker ends when its turn comes.
      settle(job, ending("cancelled"));
    }
  }
  answer(job: Job, told: Told): void {
    const answer = bounded(job, told);
    const seat = this.#seatOf(job);
    if (seat?.live === job) seat.answer(job, answer);
    else if (this.#queue.grow(job, answer.text.length)) {
      job.ahead.push(answer);
      job.bytes += answer.text.length;
    } else {
      this.#queue.remove(job);
      this.#refuse(job);
    }
  }
  /** Hands back what has not begun, and begins nothing more. Resolves when what runs has ended. */
  drain(): Promise<void> {
    this.#draining = true;
    for (const job of this.#queue.drain()) handBack(job);
    for (const seat of [...this.#seats]) {
      for (const job of seat.jobs.slice(1)) handBack(job);
      seat.retire();
    }
    this.#pump();
    return this.#rested.promise;
  }
  /** Resolves when every worker has ended. */
  close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#ticker);
    for (const job of this.#queue.drain()) handBack(job);
    for (const seat of this.#seats) seat.kill();
    if (this.#seats.size === 0) this.#empty.resolve();
    return this.#empty.promise;
  }

  #seatOf(job: Job): Seat | undefined {
    return [...this.#seats].find((seat) => seat.jobs.includes(job));
  }

  #pump(): void {
    if (this.#draining && [...this.#seats].every((seat) => seat.live === undefined)) this.#rested.resolve();
    if (this.#closed || this.#draining || this.#pumping) return;
    this.#pumping = true;
    for (let moved = true; moved; ) {
      moved = false;
      for (const tenant of this.#queue.waiting()) {
        const seat = this.#seatFor(tenant);
        const job = seat === undefined ? undefined : this.#queue.take(tenant);
        if (seat === undefined || job === undefined) continue;
        seat.give(job);
        moved = true;
      }
    }
    this.#grow();
    this.#pumping = false;
  }

  #seatFor(tenant: string): Seat | undefined {
    let best: Seat | undefined;
    let held = 0;
    for (const seat of this.#seats) {
      if (seat.tenant !== tenant || !seat.open) continue;
      held += 1;
      if (best === undefined || seat.jobs.length < best.jobs.length) best = seat;
    }
    if (best !== undefined && best.jobs.length === 0) return best;
    const spare =
      held < this.#options.workersPerTenant ? [...this.#seats].find((seat) => seat.open && seat.tenant === undefined) : undefined;
    spare?.lease(tenant);
    if (spare !== undefined || best === undefined) return spare;
    return best.slow || best.jobs.length >= this.#options.pipeline ? undefined : best;
  }

  #grow(): void {
    if (this.#closed || this.#draining || performance.now() < this.#pausedUntil) return;
    const without = this.#queue.waiting().filter((tenant) => ![...this.#seats].some((seat) => seat.tenant === tenant && seat.open)).length;
    let idle = [...this.#seats].filter((seat) => seat.tenant === undefined && !seat.dead).length;
    for (; idle < this.#options.spares + without && this.#seats.size < this.#options.workers; idle++) this.#hire();
    const leaving = [...this.#seats].filter((seat) => seat.dead || seat.retiring).length;
    for (let missing = without - idle - leaving; missing > 0; missing--) this.#makeRoom();
  }
  #hire(): void {
    const seat: Seat = new Seat(this.#preload, {
      changed: () => {
        this.#failedBoots = 0;
        this.#wasReady = true;
        this.#pump();
      },
      returned: (jobs) => {
        if (this.#closed || this.#draining) for (const job of jobs) handBack(job);
        else this.#queue.putBack(jobs);
        this.#pump();
      },
      finished: (ms) => {
        this.#meanMs += (ms - this.#meanMs) / 32;
        if (seat.served % CHECK_EVERY === 0) this.#checkAge(seat);
      },
      ended: (_, how, lastWords) => this.#ended(seat, how, lastWords),
    });
    this.#seats.add(seat);
  }
  #ended(seat: Seat, how: string, lastWords: string): void {
    this.#seats.delete(seat);
    if (this.#closed && this.#seats.size === 0) this.#empty.resolve();
    if (this.#closed) return;
    if (how !== "SIGKILL") this.#events.crashed(seat.pid, how);
    if (!seat.ready && !this.#draining) {
      this.#failedBoots += 1;
      this.#pausedUntil = performance.now() + BOOT_PAUSE_MS;
      if (this.#failedBoots >= BOOT_TRIES) this.#events.hopeless(lastWords);
    }
    this.#pump();
  }
  #makeRoom(): void {
    const held = [...this.#seats].filter((seat) => seat.open && seat.tenant !== undefined);
    const waiting = new Set(this.#queue.waiting());
    const idle = held.filter((seat) => seat.jobs.length === 0 && !waiting.has(seat.tenant ?? "")).sort((a, b) => a.idleSince - b.idleSince);
    const count = (tenant: string | undefined): number => held.filter((seat) => seat.tenant === tenant).length;
    const [given] = idle.length > 0 ? idle : held.sort((a, b) => count(b.tenant) - count(a.tenant) || b.served - a.served);
    given?.retire();
  }
  /** Memory that no invocation can be blamed for, and old age, end a worker between two jobs. */
  #checkAge(seat: Seat): void {
    if (seat.served >= this.#options.workerServes) seat.retire();
    else
      residentMb(seat.pid, (mb) => {
        if (mb > this.#options.rssMb / 2) seat.retire();
      });
  }

  #tick(): void {
    for (const seat of this.#seats) {
      if (seat.dead) continue;
      if (seat.live !== undefined && seat.liveMs > BOUNDS.tickMs) this.#watch(seat);
      if (seat.live === undefined && seat.tenant !== undefined && performance.now() - seat.idleSince > this.#options.idleMs) seat.kill();
    }
    if (this.#pausedUntil > 0 && performance.now() >= this.#pausedUntil) {
      this.#pausedUntil = 0;
      this.#pump();
    }
  }
  #watch(seat: Seat): void {
    const job = seat.live;
    const limits = job?.work.limits;
    if (limits === undefined) return;
    if (seat.liveMs > limits.wallMs + BOUNDS.graceMs) {
      seat.kill(ending("wall_exceeded", { detail: `limit ${limits.wallMs} ms, and no word from the worker` }));
    }
    const { rssMb } = this.#options;
    residentMb(seat.pid, (mb) => {
      if (mb > rssMb && seat.live === job) seat.kill(ending("memory_exceeded", { detail: `limit ${rssMb} MB resident` }));
    });
  }
}

function handBack(job: Job): void {
  settle(job, ending("overloaded", { retryAfterMs: HANDED_BACK_MS, detail: "this sandbox is about to end" }));
}
