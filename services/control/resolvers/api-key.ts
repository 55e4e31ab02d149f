import type { KeyHead } from "@woml/prisma";
import { PLATFORM, type Resolvers } from "../asking.ts";

export const apiKeyResolvers: Resolvers = {
  tenant: ({ tenant }: KeyHead) => (tenant === PLATFORM ? null : tenant),
  createdAt: ({ createdAt }: KeyHead) => new Date(createdAt).toISOString(),
};
