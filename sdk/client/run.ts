import { type EventView, type RunView, viewOfShown } from "@woml/run";
import { connection, type Edges, lowered } from "./answer.ts";
import { RUN_ASKED, RUN_LOG } from "./queries.ts";
import type { Ask } from "./transport.ts";
import type { RunSummary } from "./types.ts";

type Shown = RunSummary & { readonly head: number; readonly events: Edges<EventView> };
type Asked = Pick<RunView, "payload" | "failure">;

/**
 * The whole view of a run of any size: its log is read page by page, and the view is computed from it. Each page says again where the run
 * stands, and the last one counts. Of a run that goes on it is read as far as it was when reading began: one that is faster than whoever
 * reads would be read for as long as it runs.
 */
export async function readRun(ask: Ask, id: string): Promise<RunView | null> {
  const events: EventView[] = [];
  let head = 0;
  for (let after: string | null = null; ; ) {
    const { run } = (await ask(RUN_LOG, { id, after })) as { run: Shown | null };
    if (run === null) return null;
    const page = connection(run.events);
    events.push(...page.items);
    head ||= run.head;
    after = page.endCursor;
    const isRead = run.endedAt === null && (events.at(-1)?.seq ?? 0) >= head;
    if (page.hasNextPage && !isRead) continue;
    const view = viewOfShown(lowered(run), events);
    return events.length > 0 ? view : { ...view, ...(await askedOf(ask, id)) };
  }
}

/** Of a run without a log yet: what it was asked to run on, and why no engine could admit it. */
async function askedOf(ask: Ask, id: string): Promise<Asked | null> {
  return ((await ask(RUN_ASKED, { id })) as { run: Asked | null }).run;
}

/** Events of a run behind a cursor, at most 100, and how it stands. `cursor` is the last one's; null where none came. */
export interface EventsAfter {
  readonly run: RunSummary;
  readonly events: readonly EventView[];
  readonly cursor: string | null;
}

/** null when there is no such run. */
export async function readEvents(ask: Ask, id: string, after: string | null): Promise<EventsAfter | null> {
  const { run: shown } = (await ask(RUN_LOG, { id, after })) as { run: Shown | null };
  if (shown === null) return null;
  const { events, head: _, ...run } = shown;
  const page = connection(events);
  return { run: lowered(run), events: page.items, cursor: page.endCursor };
}
