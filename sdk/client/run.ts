import type { EventView, RunView } from "@woml/run";
import { connection, type Edges, lowered } from "./answer.ts";
import { RUN_EVENTS, RUN_VIEW } from "./queries.ts";
import type { Ask } from "./transport.ts";

type Shown = Omit<RunView, "events"> & { readonly events: Edges<EventView> };

/**
 * The whole view of a run: its log is read page by page. A run that moves meanwhile may show events that its `status` and `steps`,
 * which are of the first page, do not know yet.
 */
export async function readRun(ask: Ask, id: string): Promise<RunView | null> {
  const { run } = (await ask(RUN_VIEW, { id, after: null })) as { run: Shown | null };
  if (run === null) return null;
  const events: EventView[] = [];
  let page = connection(run.events);
  events.push(...page.items);
  while (page.hasNextPage) {
    const next = (await ask(RUN_EVENTS, { id, after: page.endCursor })) as { run: Pick<Shown, "events"> | null };
    if (next.run === null) break;
    page = connection(next.run.events);
    events.push(...page.items);
  }
  return { ...lowered(run), events };
}
