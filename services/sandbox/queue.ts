import type { Job } from "./job.ts";
import type { PoolOptions } from "./options.ts";

type Bounds = Pick<PoolOptions, "queue" | "queuePerTenant" | "queueBytes" | "queueBytesPerTenant">;
interface Line {
  readonly jobs: Job[];
  bytes: number;
}

/** A line per tenant, bounded in jobs and bytes, each and in all. */
export class Queue {
  readonly #bounds: Bounds;
  /** In the order of their turns: whoever is served goes to the end. */
  readonly #lines = new Map<string, Line>();
  #length = 0;
  #bytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get length(): number {
    return this.#length;
  }
  lengthOf(tenant: string): number {
    return this.#lines.get(tenant)?.jobs.length ?? 0;
  }
  waiting(): readonly string[] {
    return [...this.#lines.keys()];
  }

  /** False: full. */
  push(job: Job): boolean {
    const line = this.#lines.get(job.tenant);
    const { queue, queuePerTenant, queueBytes, queueBytesPerTenant } = this.#bounds;
    if (this.#length >= queue || this.#bytes + job.bytes > queueBytes) return false;
    if (line !== undefined && (line.jobs.length >= queuePerTenant || line.bytes + job.bytes > queueBytesPerTenant)) return false;
    this.#put(job, "push");
    return true;
  }
  /** An answer that came for one that waits. False: full. */
  grow(job: Job, bytes: number): boolean {
    const line = this.#lines.get(job.tenant);
    if (line === undefined || !line.jobs.includes(job)) return true;
    const { queueBytes, queueBytesPerTenant } = this.#bounds;
    if (this.#bytes + bytes > queueBytes || line.bytes + bytes > queueBytesPerTenant) return false;
    line.bytes += bytes;
    this.#bytes += bytes;
    return true;
  }
  /** Were taken and have not begun; they were counted once and are never refused. */
  putBack(jobs: readonly Job[]): void {
    for (const job of jobs.toReversed()) this.#put(job, "unshift");
  }
  take(tenant: string): Job | undefined {
    const line = this.#lines.get(tenant);
    const job = line?.jobs.shift();
    if (line === undefined || job === undefined) return undefined;
    this.#left(tenant, line, job);
    if (this.#lines.delete(tenant) && line.jobs.length > 0) this.#lines.set(tenant, line);
    return job;
  }
  remove(job: Job): void {
    const line = this.#lines.get(job.tenant);
    const index = line?.jobs.indexOf(job) ?? -1;
    if (line === undefined || index < 0) return;
    line.jobs.splice(index, 1);
    this.#left(job.tenant, line, job);
  }
  drain(): readonly Job[] {
    const jobs = [...this.#lines.values()].flatMap((line) => line.jobs);
    this.#lines.clear();
    this.#length = 0;
    this.#bytes = 0;
    return jobs;
  }

  #put(job: Job, how: "push" | "unshift"): void {
    const line = this.#lines.get(job.tenant) ?? { jobs: [], bytes: 0 };
    this.#lines.set(job.tenant, line);
    line.jobs[how](job);
    line.bytes += job.bytes;
    this.#length += 1;
    this.#bytes += job.bytes;
  }
  #left(tenant: string, line: Line, job: Job): void {
    line.bytes -= job.bytes;
    this.#length -= 1;
    this.#bytes -= job.bytes;
    if (line.jobs.length === 0) this.#lines.delete(tenant);
  }
}
