/**
 * One worker process and what it was given.
 * 1. It belongs to nobody (a spare) and then to one tenant until it ends; nothing changes that tenant.
 * 2. Its jobs run in the order given, one at a time: the first is live, the others have not begun and may go elsewhere.
 * 3. What it says is believed only about the live job and within the budgets; anything else ends it.
 * 4. A job's asker hears that it has begun in the turn in which it becomes the live one, ahead of whatever is heard of it.
 * 5. When it ends, the live job gets the outcome and every other job goes back to the queue.
 */
import type { Child } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Told } from "./course.ts";
import type { Call, Ended, FromWorker, Given, Outcome, ToWorker } from "./frames.ts";
import { ending, type Job, settle } from "./job.ts";
import { Shelf, supply } from "./shelf.ts";
import { spawnWorker } from "./spawn.ts";
import { SPOILED } from "./spoiled.ts";
import { believed, storable } from "./verdict.ts";

export interface SeatEvents {
  /** It can take more than a moment ago. */
  readonly changed: () => void;
  /** Not begun here, first to run first. */
  readonly returned: (jobs: readonly Job[]) => void;
  readonly finished: (ms: number) => void;
  readonly ended: (seat: Seat, how: string, lastWords: string) => void;
}

export class Seat {
  ready = false;
  /** Takes nothing more and ends when it is empty. */
  retiring = false;
  /** Its live job takes long, so nothing should wait behind it. */
  slow = false;
  dead = false;
  served = 0;
  idleSince: number = performance.now();
  readonly jobs: Job[] = [];
  readonly #worker: Child<ToWorker>;
  readonly #events: SeatEvents;
  #tenant: string | undefined;
  #liveSince = 0;
  #lastCall = 0;
  readonly #shelf = new Shelf<true>();
  readonly #answered = new Set<number>();
  readonly #unanswered = new Set<number>();
  readonly #seen = new Set<string>();
  #lines = 0;
  #lineBytes = 0;

  constructor(preload: string, events: SeatEvents) {
    this.#events = events;
    this.#worker = spawnWorker(preload, {
      frame: (frame) => this.#heard(frame),
      fault: (fault) => this.#violated(fault.message),
      ended: (how, lastWords) => {
        this.#end(ending("worker_crashed", { detail: how }));
        events.ended(this, how, lastWords);
      },
    });
  }

  get pid(): number {
    return this.#worker.pid;
  }
  get tenant(): string | undefined {
    return this.#tenant;
  }
  get open(): boolean {
    return this.ready && !this.retiring && !this.dead;
  }
  get live(): Job | undefined {
    return this.jobs[0];
  }
  get liveMs(): number {
    return this.live === undefined ? 0 : performance.now() - this.#liveSince;
  }

  lease(tenant: string): void {
    if (this.#tenant !== undefined && this.#tenant !== tenant) throw new Error("A worker is one tenant's for its whole life.");
    this.#tenant = tenant;
  }
  give(job: Job): void {
    if (job.tenant !== this.#tenant) throw new Error("A worker runs its own tenant's jobs only.");
    this.jobs.push(job);
    if (this.live === job) job.listener.begun();
    supply(this.#shelf, job.texts, (module) => this.#worker.wire.send(module));
    this.#worker.wire.send({ frame: "run", ...job.work });
    if (this.live === job) this.#begins(job);
  }
  /** Only for the live one; a call is answered once. */
  answer(job: Job, told: Told): void {
    if (this.live !== job || this.dead || this.#answered.has(told.call)) return;
    this.#answered.add(told.call);
    this.#unanswered.delete(told.call);
    this.#worker.wire.send({ frame: "answer", invocation: job.work.invocation, call: told.call, text: told.text, at: told.at });
  }
  retire(): void {
    this.retiring = true;
    if (this.jobs.length === 0) this.kill();
  }
  /** Ends the process; `verdict` is the live job's. */
  kill(verdict: Outcome = ending("host_unavailable")): void {
    this.#worker.kill();
    this.#end(verdict);
  }

  #end(verdict: Outcome): void {
    if (this.dead) return;
    this.dead = true;
    const [live, ...others] = this.jobs.splice(0);
    if (live !== undefined) settle(live, { workerPid: this.pid, ...verdict, ms: verdict.ms || performance.now() - this.#liveSince });
    this.#events.returned(others.filter((job) => !job.settled));
  }
  #begins(live: Job): void {
    this.#liveSince = performance.now();
    this.#lastCall = 0;
    this.#answered.clear();
    this.#unanswered.clear();
    this.#seen.clear();
    this.#lines = 0;
    this.#lineBytes = 0;
    for (const told of live.ahead) this.answer(live, told);
  }

  #heard(frame: FromWorker): void {
    if (this.dead) return;
    if (frame.frame === "ready") {
      this.ready = true;
      this.#events.changed();
    } else if (frame.frame === "returned") this.#returned(frame.invocation);
    else if (this.live?.work.invocation !== frame.invocation) this.#violated("a frame about what is not live");
    else if (frame.frame === "outcome") this.#outcome(this.live, frame);
    else if (frame.frame === "line") this.#line(this.live, frame.level, frame.text);
    else this.#call(this.live, frame);
  }
  #returned(invocation: string): void {
    const index = this.jobs.findIndex((job) => job.work.invocation === invocation);
    if (index < 1) this.#violated("returned what had begun");
    else {
      this.slow = true;
      this.#events.returned(this.jobs.splice(index, 1).filter((job) => !job.settled));
    }
  }
  #outcome(job: Job, frame: Ended): void {
    const outcome = believed(frame.outcome, job, this.pid);
    if (outcome === undefined) this.#violated("an outcome no worker gives");
    else if (SPOILED.has(outcome.outcome)) this.kill(outcome);
    else this.#finished(job, outcome);
  }
  #finished(job: Job, outcome: Outcome): void {
    this.jobs.shift();
    this.served += 1;
    this.slow = false;
    this.idleSince = performance.now();
    settle(job, outcome);
    this.#events.finished(outcome.ms);
    const { live } = this;
    if (live?.settled || (this.retiring && live === undefined)) this.kill();
    else if (live !== undefined) {
      live.listener.begun();
      this.#begins(live);
    }
    this.#events.changed();
  }
  #line(job: Job, level: string, text: string): void {
    this.#lines += 1;
    this.#lineBytes += Buffer.byteLength(text);
    if (this.#lines > BOUNDS.consoleLines + 1 || this.#lineBytes > job.work.limits.consoleBytes + BOUNDS.lineBytes) {
      this.#violated("more lines than it may say");
    } else if (!job.settled) job.listener.line(level, storable(text));
  }
  #call(job: Job, { call, operation, name, input, seen }: Call): void {
    const offered = job.work.operations?.includes(operation) ?? false;
    const told = seen.every((given) => this.#isNew(given));
    const inOrder = call === this.#lastCall + 1;
    this.#lastCall = call;
    if (!this.#answered.has(call)) this.#unanswered.add(call);
    const flood = this.#unanswered.size > BOUNDS.callsInFlight;
    if (!offered || !told || !inOrder || flood || storable(input) !== input) this.#violated("a call it may not make");
    else if (!job.settled) job.listener.call({ call, operation, name, input, seen });
  }
  /** An answer that was sent, or a timer; either once. */
  #isNew(given: Given): boolean {
    const known = "timer" in given ? `timer ${given.timer}` : `answer ${given.answer}`;
    const isNew = !this.#seen.has(known) && ("timer" in given || (given.answer <= this.#lastCall && this.#answered.has(given.answer)));
    this.#seen.add(known);
    return isNew;
  }
  #violated(detail: string): void {
    this.kill(ending("protocol_violation", { detail: detail.slice(0, BOUNDS.detailChars) }));
  }
}
