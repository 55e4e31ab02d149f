import type { VersionHead, VersionRow, WorkflowRow } from "@woml/prisma";
import { type Asking, type Resolvers, withTenant } from "../asking.ts";
import { ApiError } from "../errors.ts";
import { type Connection, connection, type PageArguments, pageAsk } from "../page.ts";

type None = Record<never, never>;

export const workflowResolvers: Resolvers = {
  name: async (row: WorkflowRow, _: None, asking: Asking) => nameIn(await active(row, asking)),
  active: (row: WorkflowRow, _: None, asking: Asking) => active(row, asking),
  triggers: ({ id }: WorkflowRow, _: None, asking: Asking) => asking.reads.triggers(id),
  versions: async ({ id }: WorkflowRow, args: PageArguments, asking: Asking): Promise<Connection<VersionHead>> => {
    const page = await withTenant(asking, (scope) => scope.versions(id, pageAsk("version", args)));
    if (page === null) throw new ApiError("WOML_CURSOR_INVALID", "`after` is not a cursor of this workflow's versions");
    return connection("version", page, ({ hash }) => hash);
  },
};

function active(row: WorkflowRow, asking: Asking): Promise<VersionRow | null> {
  return row.active === null ? Promise.resolve(null) : asking.reads.version(row.active);
}

function nameIn(version: VersionRow | null): string | null {
  const { workflow }: { workflow?: { name?: unknown } } = version === null ? {} : JSON.parse(version.definition);
  return typeof workflow?.name === "string" ? workflow.name : null;
}
