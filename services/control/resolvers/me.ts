import { type Asking, type Resolvers, withTenant } from "../asking.ts";

/** Of a tenant's key its tenant is looked up when it is asked for. */
export const meResolvers: Resolvers = {
  tenant: (_: unknown, __: unknown, asking: Asking) =>
    asking.who.scope === "admin" ? null : withTenant(asking, (scope) => scope.tenantRow()),
  admin: (_: unknown, __: unknown, asking: Asking) => asking.who.scope === "admin",
};
