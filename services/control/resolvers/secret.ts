import type { SecretRow } from "@woml/prisma";
import type { Resolvers } from "../asking.ts";

export const secretResolvers: Resolvers = {
  createdAt: ({ createdAt }: SecretRow) => new Date(createdAt).toISOString(),
  updatedAt: ({ updatedAt }: SecretRow) => new Date(updatedAt).toISOString(),
};
