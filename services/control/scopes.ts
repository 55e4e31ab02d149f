// The one place that says who may ask for what. A field of Query or Mutation that is missing here keeps control from starting.
import { ApiError } from "./errors.ts";
import type { Who } from "./tenant.ts";

/** `any` is every valid key. What lies below a field inherits its scope. */
export type Scope = "tenant" | "admin" | "any";

export const SCOPES: Readonly<Record<string, Readonly<Record<string, Scope>>>> = {
  Query: {
    me: "any",
    check: "any",
    workflow: "tenant",
    workflows: "tenant",
    triggers: "tenant",
    deliveries: "tenant",
    version: "tenant",
    run: "tenant",
    runs: "tenant",
    verify: "any",
    doctor: "any",
    secrets: "tenant",
    plugins: "any",
    audit: "any",
    tenants: "admin",
    keys: "admin",
    onAmbiguous: "tenant",
    lanes: "tenant",
    quotas: "tenant",
  },
  Mutation: {
    publish: "tenant",
    activate: "tenant",
    deactivate: "tenant",
    setTrigger: "tenant",
    startRun: "tenant",
    cancelRun: "tenant",
    resolveUnknown: "tenant",
    resolveApproval: "tenant",
    resumeRun: "tenant",
    rerun: "tenant",
    redeliver: "tenant",
    emitSignal: "tenant",
    setSecret: "tenant",
    removeSecret: "tenant",
    setOnAmbiguous: "tenant",
    submitPlugin: "any",
    approvePlugin: "admin",
    grantPlugin: "admin",
    revokeGrant: "admin",
    revokePlugin: "admin",
    createTenant: "admin",
    setQuota: "admin",
    createKey: "admin",
    revokeKey: "admin",
  },
};

export function admit(who: Who, scope: Scope, field: string): void {
  if (scope === "any" || scope === who.scope) return;
  const wayOut =
    scope === "tenant"
      ? "is asked with a tenant's key: the administrator's key belongs to no tenant; `createTenant` answers one"
      : "is asked with the administrator's key";
  throw new ApiError("WOML_FORBIDDEN", `\`${field}\` ${wayOut}`);
}
