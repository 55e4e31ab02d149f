import type { AuditRow } from "@woml/prisma";
import type { Resolvers } from "../asking.ts";

export const auditResolvers: Resolvers = {
  at: ({ at }: AuditRow) => new Date(at).toISOString(),
};
