import type { VersionHead, VersionRow } from "@woml/prisma";
import { showVersionId } from "@woml/run";
import type { Asking, Resolvers } from "../asking.ts";

type None = Record<never, never>;

/** A list gives heads; definition and source are read for all versions of a page at once, when asked for. */
export const versionResolvers: Resolvers = {
  id: ({ hash }: VersionHead) => showVersionId(hash),
  definition: async (head: VersionHead, _: None, asking: Asking) => JSON.parse((await whole(head, asking)).definition),
  source: async (head: VersionHead, _: None, asking: Asking) => (await whole(head, asking)).source,
  createdAt: ({ createdAt }: VersionHead) => new Date(createdAt).toISOString(),
};

async function whole({ hash }: VersionHead, asking: Asking): Promise<VersionRow> {
  const row = await asking.reads.version(hash);
  if (row === null) throw new Error("a version that was listed is not there");
  return row;
}
