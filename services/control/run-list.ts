import type { Page, PageAsk, RunFilter, TenantScope } from "@woml/prisma";
import { type RunSource, runOfRow, runOfStart } from "./run-source.ts";

/** Runs, newest first: those that an engine has admitted, and those that are only asked for, or were refused, as one list. */
export async function listRuns(scope: TenantScope, filter: RunFilter, ask: PageAsk): Promise<Page<RunSource>> {
  // What is admitted between the two is in both then, and in none the other way round.
  const asked = await scope.unadmitted(filter, ask);
  const admitted = await scope.runs(filter, ask);
  const known = new Map(asked.items.map((row): [string, RunSource] => [row.run, runOfStart(row)]));
  for (const row of admitted.items) known.set(row.id, runOfRow(row));
  const all = [...known.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return { items: all.slice(0, ask.first), hasNext: all.length > ask.first || asked.hasNext || admitted.hasNext };
}
