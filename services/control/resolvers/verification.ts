import { showRunId } from "@woml/run";
import type { Resolvers } from "../asking.ts";
import type { Verification } from "../verify.ts";

export const verificationResolvers: Resolvers = {
  run: ({ run }: Verification) => showRunId(run),
  ok: ({ differences }: Verification) => differences.length === 0,
};
