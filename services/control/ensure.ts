// The platform's own plugins: handed in, approved and granted by the platform at its start. Done again it changes nothing.
import { readManifest } from "@woml/capability";
import type { ControlStore } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { PLATFORM } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { releaseOf } from "./release.ts";
import { judge } from "./submit.ts";

const ACTOR = "platform";

interface Built {
  readonly manifest: unknown;
  readonly artefact: Uint8Array;
}

/**
 * Answers the release's digest. Throws for a manifest with complaints, and with WOML_PLUGIN_VERSION_TAKEN where this version stands with other
 * content: what was approved under a version never changes.
 */
export async function ensureRelease(store: ControlStore, of: Built): Promise<string> {
  const read = readManifest(of.manifest);
  if ("complaints" in read) throw new Error(`the platform's own plugin cannot be released: ${read.complaints.join("; ")}`);
  const wanted = releaseOf(read.manifest, of.artefact, ACTOR);
  const { digest, capability, version } = wanted;
  return store.asAdmin(async (scope) => {
    judge(await scope.submitRelease(wanted), wanted);
    const release = await scope.release(digest);
    if (release === null) throw new Error("a release was stored and is not there");
    const outcome = await scope.approve(release, ACTOR);
    if (outcome === "taken") judge("taken", wanted);
    if (outcome === "approved") await scope.record(PLATFORM, entryOf(ACTOR, "plugin.approve", digest, { capability, version }));
    return digest;
  });
}

export function ensureGrant(store: ControlStore, tenant: TenantId, capability: string): Promise<void> {
  return store.asAdmin(async (scope) => {
    if (await scope.grant(tenant, capability, ACTOR)) await scope.record(tenant, entryOf(ACTOR, "plugin.grant", capability));
  });
}
