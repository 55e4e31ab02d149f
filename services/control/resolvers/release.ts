import type { ReleaseRow } from "@woml/prisma";
import type { Asking, Resolvers } from "../asking.ts";

type None = Record<never, never>;

export const releaseResolvers: Resolvers = {
  release: ({ digest }: ReleaseRow) => digest,
  manifest: ({ manifest }: ReleaseRow) => JSON.parse(manifest),
  createdAt: ({ createdAt }: ReleaseRow) => new Date(createdAt).toISOString(),
  approved: ({ approved }: ReleaseRow) => approved && { by: approved.by, at: new Date(approved.at).toISOString() },
  revokedAt: ({ revoked }: ReleaseRow) => revoked && new Date(revoked.at).toISOString(),
  granted: ({ granted }: ReleaseRow, _: None, { who }: Asking) => (who.scope === "tenant" ? granted : null),
};
