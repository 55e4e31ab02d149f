import { showRunId } from "@woml/run";
import type { Resolvers } from "../asking.ts";
import type { Finding } from "../doctor.ts";

export const findingResolvers: Resolvers = {
  kind: ({ kind }: Finding) => kind.toUpperCase(),
  run: ({ run }: Finding) => showRunId(run),
  since: ({ since }: Finding) => (since === null ? null : new Date(since).toISOString()),
};
