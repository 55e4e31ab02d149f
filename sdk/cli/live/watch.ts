// Asks for new runs and for the events of those that go on, and keeps of them no more than where it has read to: what is shown is what the platform says.
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, ClientError, type Page, type RunSummary, type RunsAsk } from "@woml/client";
import type { EventView } from "@woml/run";

const PAUSE_MS = 200;
/** Logs that are read at once. */
const AT_ONCE = 8;
const PAGE = 100;

export interface Watched {
  readonly client: Client;
  /** Whose runs are shown, and which of them are not. */
  readonly workflows: ReadonlySet<string>;
  readonly before: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly heard: (run: RunSummary, event: EventView) => void;
  /** Once a run has ended, and each time that it waits for another thing. */
  readonly stands: (run: RunSummary) => void;
}
export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly open: number;
}
interface Followed {
  run: RunSummary;
  after: string | null;
  cause: string;
}
const GOING_ON = ["queued", "running", "waiting", "needs_resolution", "cancelling"] as const;
const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

const ENDS: Readonly<Partial<Record<EventView["type"], RunSummary["status"]>>> = {
  run_succeeded: "succeeded",
  run_failed: "failed",
  run_cancelled: "cancelled",
};
const endedBy = (last: EventView | undefined): RunSummary["status"] | undefined => (last === undefined ? undefined : ENDS[last.type]);

/** Until the signal; answers how the runs stand that were seen. A platform that does not answer for a moment is asked again. */
export async function watch(watched: Watched): Promise<Counts> {
  const watch = new Watch(watched);
  while (!watched.signal.aborted) {
    await watch.look().catch((error: unknown) => {
      if (!(error instanceof ClientError) || !(error.status === 0 || error.status >= 500)) throw error;
    });
    await sleep(PAUSE_MS, undefined, { signal: watched.signal }).catch(() => {});
  }
  return watch.counts();
}

class Watch {
  readonly #watched: Watched;
  readonly #open = new Map<string, Followed>();
  readonly #seen: Set<string>;
  readonly #ended = { succeeded: 0, failed: 0, cancelled: 0 };

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#seen = new Set(watched.before);
  }

  async look(): Promise<void> {
    for (const run of await this.#fresh()) {
      this.#seen.add(run.id);
      if (this.#watched.workflows.has(run.workflow)) this.#open.set(run.id, { run, after: null, cause: "" });
    }
    const followed = [...this.#open.values()];
    for (let at = 0; at < followed.length && !this.#watched.signal.aborted; at += AT_ONCE)
      await Promise.all(followed.slice(at, at + AT_ONCE).map((one) => this.#follow(one)));
  }

  counts(): Counts {
    return { ...this.#ended, open: this.#open.size };
  }

  /** Oldest first. One that was asked for long before it began has an old id: it is found among those that go on. */
  async #fresh(): Promise<readonly RunSummary[]> {
    const found = [...(await this.#unseen({})), ...(await this.#unseen({ status: GOING_ON }))];
    return [...new Map(found.map((run) => [run.id, run])).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Newest first, page by page, as far as all of a page is new. */
  async #unseen(ask: RunsAsk): Promise<readonly RunSummary[]> {
    const { client, signal } = this.#watched;
    const found: RunSummary[] = [];
    for (let after: string | null = null; !signal.aborted; ) {
      const page: Page<RunSummary> = await client.runs({ ...ask, first: PAGE, after });
      const fresh = page.items.filter(({ id }) => !this.#seen.has(id));
      found.push(...fresh);
      if (!page.hasNextPage || fresh.length < page.items.length) break;
      after = page.endCursor;
    }
    return found;
  }

  async #follow(followed: Followed): Promise<void> {
    const { client, heard, stands } = this.#watched;
    const read = await client.eventsAfter(followed.run.id, followed.after);
    if (read === null) return;
    for (const event of read.events) heard(read.run, event);
    followed.after = read.cursor ?? followed.after;
    // Row and log may have been read a moment apart: the end is that of the log, or of a row whose log has no more.
    const end = endedBy(read.events.at(-1));
    const status = end ?? read.run.status;
    followed.run = { ...read.run, status };
    const { waiting } = read.run;
    const isOver = end !== undefined || (ENDED.has(status) && read.events.length === 0);
    const cause = isOver ? status : `${waiting?.cause ?? ""} ${(waiting?.steps ?? []).join()}`;
    if (isOver || (cause !== followed.cause && waiting !== null)) stands(followed.run);
    followed.cause = cause;
    if (!isOver) return;
    this.#open.delete(followed.run.id);
    this.#ended[status as keyof Omit<Counts, "open">] += 1;
  }
}
