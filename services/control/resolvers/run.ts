import { type EventView, eventViews, type RunEvent, showRunId, showVersionId } from "@woml/run";
import type { Asking, Resolvers } from "../asking.ts";
import { type Connection, connection, type PageArguments, pageAsk } from "../page.ts";
import { linkResolvers } from "../run-links.ts";
import { CHOICES, GROUPS, HOOKS, OPERATIONS, pageOf, STEPS, type StepsArguments, unresolvedOf, warningsOf, wholeOf } from "../run-pages.ts";
import type { RunSource } from "../run-source.ts";

type None = Record<never, never>;

/** The columns of a run's row answer lists; what lies in its log is read when asked for, for all runs of a page at once. */
export const runResolvers: Resolvers = {
  id: ({ id }: RunSource) => showRunId(id),
  version: ({ version }: RunSource) => showVersionId(version),
  status: ({ status }: RunSource) => status.toUpperCase(),
  createdAt: ({ createdAt }: RunSource) => new Date(createdAt).toISOString(),
  endedAt: ({ endedAt }: RunSource) => (endedAt === null ? null : new Date(endedAt).toISOString()),
  payload: async (run: RunSource, _: None, { reads }: Asking) => {
    if (run.asked !== null) return run.asked.payload;
    const [first] = await reads.ends(run.id);
    return first?.type === "run_admitted" ? first.data.payload : missing();
  },
  result: async (run: RunSource, _: None, asking: Asking) => {
    const last = await ending(run, asking);
    return last?.type === "run_succeeded" ? last.data.result : null;
  },
  failure: async (run: RunSource, _: None, asking: Asking) => {
    if (run.asked !== null) return run.asked.failure;
    const last = await ending(run, asking);
    return last?.type === "run_failed" ? last.data.failure : null;
  },
  steps: (run: RunSource, args: StepsArguments, asking: Asking) => pageOf(STEPS, run, args, asking),
  operations: (run: RunSource, args: PageArguments, asking: Asking) => pageOf(OPERATIONS, run, args, asking),
  choices: (run: RunSource, args: PageArguments, asking: Asking) => pageOf(CHOICES, run, args, asking),
  groups: (run: RunSource, args: PageArguments, asking: Asking) => pageOf(GROUPS, run, args, asking),
  forks: (run: RunSource, _: None, asking: Asking) => wholeOf("forks", run, asking),
  loops: (run: RunSource, _: None, asking: Asking) => wholeOf("loops", run, asking),
  approvals: (run: RunSource, _: None, asking: Asking) => wholeOf("approvals", run, asking),
  hooks: (run: RunSource, args: PageArguments, asking: Asking) => pageOf(HOOKS, run, args, asking),
  warnings: (run: RunSource, args: PageArguments, asking: Asking) => warningsOf(run, args, asking),
  ...linkResolvers,
  unresolvedEffects: (run: RunSource, _: None, asking: Asking) => unresolvedOf(run, asking),
  events: async ({ id, head }: RunSource, args: PageArguments, { reads }: Asking): Promise<Connection<EventView>> => {
    const { first, after } = pageAsk("event", args);
    const from = Number(after ?? 0);
    const events = from >= head ? [] : await reads.events({ run: id, after: from, limit: first });
    const last = events.at(-1)?.seq ?? head;
    return connection("event", { items: eventViews(events), hasNext: last < head }, ({ seq }) => String(seq));
  },
};

/** The terminal event of a run that has ended; a run that goes on is not looked into. */
async function ending({ id, endedAt }: RunSource, { reads }: Asking): Promise<RunEvent | undefined> {
  return endedAt === null ? undefined : (await reads.ends(id)).at(-1);
}

function missing(): never {
  throw new Error("the log of an admitted run does not begin with run_admitted");
}
