import type { TenantId } from "@woml/run";
import type { EngineStore, StoredRelease } from "./engine-store.ts";
import { standingOf } from "./permit.ts";

/** What control would have stored of plugins, modules and secrets, set by hand. */
export interface MemoryVault {
  /** Approved as it stands, unless said otherwise. */
  store(release: StoredRelease & { readonly capability: string; readonly approved?: boolean }): void;
  revoke(release: string): void;
  grant(tenant: TenantId, capability: string): void;
  revokeGrant(tenant: TenantId, capability: string): void;
  /** Whatever the digest. */
  setModule(of: { readonly tenant: TenantId; readonly digest: string }, text: string): void;
  setSecret(of: { readonly tenant: TenantId; readonly name: string }, sealed: Uint8Array): void;
  readonly permits: Pick<EngineStore, "manifest" | "release" | "standing" | "modules" | "secrets" | "anySecret">;
}

export function memoryVault(): MemoryVault {
  const releases = new Map<string, StoredRelease & { readonly capability: string; readonly approved: boolean }>();
  const revoked = new Set<string>();
  const grants = new Set<string>();
  const modules = new Map<string, string>();
  const sealed = new Map<string, { readonly tenant: TenantId; readonly name: string; readonly sealed: Uint8Array }>();
  return {
    store: (release) => void releases.set(release.digest, { approved: true, ...release }),
    revoke: (release) => void revoked.add(release),
    grant: (tenant, capability) => void grants.add(`${tenant} ${capability}`),
    revokeGrant: (tenant, capability) => void grants.delete(`${tenant} ${capability}`),
    setModule: ({ tenant, digest }, text) => void modules.set(`${tenant} ${digest}`, text),
    setSecret: ({ tenant, name }, bytes) => {
      sealed.delete(`${tenant} ${name}`);
      sealed.set(`${tenant} ${name}`, { tenant, name, sealed: bytes });
    },
    permits: {
      manifest: async (digest) => releases.get(digest)?.manifest ?? null,
      release: async (wanted) => {
        const found = releases.get(wanted);
        return found ? { digest: found.digest, manifest: found.manifest, artefact: found.artefact } : null;
      },
      standing: async (tenant, digest) => {
        const found = releases.get(digest);
        if (!found) return standingOf(null);
        const granted = grants.has(`${tenant} ${found.capability}`);
        return standingOf({ revoked: revoked.has(digest), approved: found.approved, granted });
      },
      modules: async (tenant, digests) => {
        const found = digests.map((digest) => [digest, modules.get(`${tenant} ${digest}`)] as const);
        return new Map(found.flatMap(([digest, text]) => (text === undefined ? [] : [[digest, text] as const])));
      },
      secrets: async (tenant, names) =>
        new Map(
          names.flatMap((name) => {
            const found = sealed.get(`${tenant} ${name}`);
            return found ? [[name, found.sealed] as const] : [];
          }),
        ),
      anySecret: async () => [...sealed.values()].at(-1) ?? null,
    },
  };
}
