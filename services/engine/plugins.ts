import { type Manifest, type OperationManifest, readManifest } from "@woml/capability";
import { parseJson } from "@woml/model";
import type { EngineStore } from "@woml/prisma";
import type { OperationFailure, TenantId } from "@woml/run";
import { MANIFESTS_MAX, STANDING_MS } from "./bounds.ts";
import type { World } from "./engine.ts";

/** A release as the engine sees it: what its manifest promises. */
interface Promised {
  readonly manifest: Manifest;
  readonly operation: OperationManifest;
}
/** The reviewed releases that runs are bound to, and whether a tenant may use them at this moment. Rejects only when the store does. */
export interface Plugins {
  /** null: not stored, not a manifest that this engine reads, or one without that operation. */
  promised(release: string, capability: string, operation: string): Promise<Promised | null>;
  /** Why nothing may be dispatched to the release just now, or null. */
  objection(tenant: TenantId, release: string): Promise<OperationFailure | null>;
}
type Store = Pick<EngineStore, "manifest" | "standing">;

const MANIFEST_BYTES = 4_194_304;

export function plugins(world: Pick<World, "monotonic"> & { readonly store: Store }): Plugins {
  const manifest = remembered<Manifest | null>(MANIFESTS_MAX, async (release) => {
    const text = await world.store.manifest(release);
    return text === null ? null : parse(text);
  });
  const standings = new Map<string, { readonly at: number; readonly answer: Promise<OperationFailure | null> }>();

  const ask = async (tenant: TenantId, release: string): Promise<OperationFailure | null> => {
    const standing = await world.store.standing(tenant, release);
    return standing === "granted" ? null : { ...OBJECTIONS[standing], retryable: true, ambiguous: false };
  };
  return {
    promised: async (release, capability, operation) => {
      const found = await manifest(release);
      const wanted = found?.id === capability && Object.hasOwn(found.operations, operation) ? found.operations[operation] : undefined;
      return found === null || wanted === undefined ? null : { manifest: found, operation: wanted };
    },
    objection: (tenant, release) => {
      const key = `${tenant} ${release}`;
      const now = world.monotonic();
      const before = standings.get(key);
      if (before !== undefined && now - before.at < STANDING_MS) return before.answer;
      // Bounded by forgetting all: what is asked for again is asked again.
      if (standings.size >= MANIFESTS_MAX) standings.clear();
      const answer = ask(tenant, release);
      standings.set(key, { at: now, answer });
      // Only leave is remembered: what has just been granted may be called at once.
      answer.then(
        (found) => found === null || standings.delete(key),
        () => standings.delete(key),
      );
      return answer;
    },
  };
}

const OBJECTIONS: { readonly [K in "not_granted" | "not_approved" | "revoked"]: Pick<OperationFailure, "code" | "message"> } = {
  not_granted: { code: "WOML_CAPABILITY_NOT_GRANTED", message: "The capability is not granted to this tenant." },
  not_approved: { code: "WOML_PLUGIN_NOT_APPROVED", message: "The plugin release that this run is bound to is not approved." },
  revoked: { code: "WOML_PLUGIN_REVOKED", message: "The plugin release that this run is bound to was revoked." },
};

function parse(text: string): Manifest | null {
  const parsed = parseJson(text, { bytes: MANIFEST_BYTES });
  if ("error" in parsed) return null;
  const read = readManifest(parsed.value);
  return "manifest" in read ? read.manifest : null;
}

/** Keeps what was found, the oldest going first; what was not found, or failed, is looked for again. */
function remembered<T>(most: number, find: (key: string) => Promise<T | null>): (key: string) => Promise<T | null> {
  const kept = new Map<string, T>();
  return async (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const found = await find(key);
    if (found !== null) kept.set(key, found);
    for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest);
    return found;
  };
}
