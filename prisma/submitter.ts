// INVARIANTS
// Q1 Accepted means persisted: a request is answered after the commit that holds it.
// Q2 A batch is one tenant's, under its row-level security; nobody waits for another tenant's batch.
// Q3 When a batch fails, each of it is tried alone: only what is at fault is refused, and of what a limit has room for no more than that. Where the database is at fault, all of it is.
import type { TenantId } from "@woml/run";
import type { NewRequest, Submitted } from "./control-store.ts";
import { StoreError } from "./error.ts";
import { isUndone } from "./fault.ts";
import { type Entry, entry } from "./scope/request.ts";

const LIMITS = { requests: 256, bytes: 1 << 20 } as const;

interface Waiting {
  readonly entry: Entry;
  readonly answer: (submitted: Submitted) => void;
  readonly refuse: (error: unknown) => void;
}
type Write = (tenant: TenantId, batch: readonly Entry[]) => Promise<readonly Submitted[]>;

/** Group commit of requests: while a tenant's transaction is in flight, what it asks collects and goes in the next one. No timer. */
export class Submitter {
  readonly #write: Write;
  readonly #lines = new Map<TenantId, Waiting[]>();

  constructor(write: Write) {
    this.#write = write;
  }

  async submit(tenant: TenantId, wanted: NewRequest): Promise<Submitted> {
    const made = entry(wanted);
    const { promise, resolve, reject } = Promise.withResolvers<Submitted>();
    const waiting: Waiting = { entry: made, answer: resolve, refuse: reject };
    const line = this.#lines.get(tenant);
    if (line) line.push(waiting);
    else void this.#drain(tenant, [waiting]);
    return promise;
  }

  /** The line stands in the map exactly while this runs. */
  async #drain(tenant: TenantId, line: Waiting[]): Promise<void> {
    this.#lines.set(tenant, line);
    while (line.length > 0) await this.#attempt(tenant, line.splice(0, fitting(line)));
    this.#lines.delete(tenant);
  }

  async #attempt(tenant: TenantId, batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#write(
        tenant,
        batch.map((waiting) => waiting.entry),
      );
      for (const [i, waiting] of batch.entries()) {
        const answer = answers[i];
        if (answer) waiting.answer(answer);
        else waiting.refuse(new Error("a request was stored and not answered"));
      }
    } catch (error) {
      const isDatabases = error instanceof StoreError && !isUndone(error);
      if (batch.length === 1 || isDatabases) for (const waiting of batch) waiting.refuse(error);
      else for (const waiting of batch) await this.#attempt(tenant, [waiting]);
    }
  }
}

function fitting(line: readonly Waiting[]): number {
  let [count, bytes] = [0, 0];
  for (const { entry: next } of line) {
    bytes += next.body.length;
    if (count > 0 && (count >= LIMITS.requests || bytes > LIMITS.bytes)) break;
    count += 1;
  }
  return count;
}
