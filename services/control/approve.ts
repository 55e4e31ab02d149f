// What may be run, and by whom. Approval names the bytes that were reviewed; whoever handed them in does not review them.
import { isCapabilityId } from "@woml/model";
import type { AdminScope, ReleaseRow } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { type Asking, PLATFORM } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { releaseIdOf, tenantIdOf } from "./ids.ts";
import { acceptReason } from "./reason.ts";

export interface ApprovePluginInput {
  readonly release: string;
  readonly artefactDigest: string;
  readonly manifestDigest: string;
}
export interface PluginGrantInput {
  readonly tenant: string;
  readonly capability: string;
}
export interface RevokePluginInput {
  readonly release: string;
  readonly reason: string;
}

export function approvePlugin({ store, who }: Asking, input: ApprovePluginInput): Promise<ReleaseRow> {
  const digest = releaseIdOf(input.release);
  return store.asAdmin(async (scope) => {
    const release = await found(scope, digest);
    const { capability, version, artefactDigest, manifestDigest } = release;
    if (input.artefactDigest !== artefactDigest || input.manifestDigest !== manifestDigest) {
      const message = "the digests are not those of the release: what was reviewed is not what is stored";
      throw new ApiError("WOML_PLUGIN_DIGEST_MISMATCH", message, { artefactDigest, manifestDigest });
    }
    if (release.revoked !== null) throw new ApiError("WOML_PLUGIN_REVOKED", "the release was revoked: hand in a new version");
    if (release.submittedBy === who.key) {
      throw new ApiError("WOML_REVIEWER_IS_SUBMITTER", "a release is approved with another key than the one that handed it in");
    }
    const outcome = await scope.approve(release, who.key);
    if (outcome === "taken") {
      throw new ApiError("WOML_PLUGIN_VERSION_TAKEN", `${capability} ${version} is approved already, with other content`);
    }
    const detail = { capability, version, artefactDigest, manifestDigest };
    if (outcome === "approved") await scope.record(PLATFORM, entryOf(who.key, "plugin.approve", digest, detail));
    return found(scope, digest);
  });
}

export function revokePlugin({ store, who }: Asking, input: RevokePluginInput): Promise<ReleaseRow> {
  const digest = releaseIdOf(input.release);
  const reason = acceptReason(input.reason, "/reason");
  return store.asAdmin(async (scope) => {
    const { capability, version } = await found(scope, digest);
    const isNew = await scope.revoke(digest, who.key, reason);
    if (isNew) await scope.record(PLATFORM, entryOf(who.key, "plugin.revoke", digest, { capability, version, reason }));
    return found(scope, digest);
  });
}

/** Its entry in the audit is the tenant's: whoever it is about shall see it. */
export function grantPlugin({ store, who }: Asking, input: PluginGrantInput): Promise<boolean> {
  const { tenant, capability } = accepted(input);
  return store.asAdmin(async (scope) => {
    if ((await scope.tenant(tenant)) === null) throw new ApiError("WOML_TENANT_NOT_FOUND", "there is no such tenant");
    const isNew = await scope.grant(tenant, capability, who.key);
    if (isNew) await scope.record(tenant, entryOf(who.key, "plugin.grant", capability));
    return isNew;
  });
}

export function revokeGrant({ store, who }: Asking, input: PluginGrantInput): Promise<boolean> {
  const { tenant, capability } = accepted(input);
  return store.asAdmin(async (scope) => {
    const isGone = await scope.revokeGrant(tenant, capability);
    if (isGone) await scope.record(tenant, entryOf(who.key, "plugin.revoke_grant", capability));
    return isGone;
  });
}

function accepted({ tenant, capability }: PluginGrantInput): { readonly tenant: TenantId; readonly capability: string } {
  if (!isCapabilityId(capability)) {
    throw new ApiError("WOML_CAPABILITY_INVALID", "a capability is lower-case words joined by dots, such as acme.payments");
  }
  return { tenant: tenantIdOf(tenant), capability };
}

async function found(scope: AdminScope, digest: string): Promise<ReleaseRow> {
  const release = await scope.release(digest);
  if (release === null) throw new ApiError("WOML_PLUGIN_NOT_FOUND", "there is no such release");
  return release;
}
