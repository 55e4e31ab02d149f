// What the engine asks before a dispatch, and before a script is sent. Nothing of it is kept here: a grant that was taken back counts from the
// next question on.
import { asTenantId, type TenantId } from "@woml/run";
import type { EngineStore, ReleaseStanding, StoredRelease } from "./engine-store.ts";
import type { Ask } from "./load.ts";

const FENCED_UNTIL = "SELECT coalesce(max(expires_at), 0)::bigint AS until FROM engine WHERE fenced_at IS NOT NULL";
const MANIFEST = "SELECT manifest FROM plugin_release WHERE digest = $1";
const RELEASE = "SELECT digest, manifest, artefact FROM plugin_release WHERE digest = $1";
const SECRETS = "SELECT name, sealed FROM secret WHERE tenant = $1::uuid AND name = ANY($2::text[])";
const MODULES = "SELECT digest, text FROM module WHERE tenant = $1::uuid AND digest = ANY($2::text[])";
const LAST_SECRET = "SELECT tenant, name, sealed FROM secret ORDER BY updated_at DESC LIMIT 1";
/** $1 tenant, $2 release. An approval counts for the two digests that it names, and no others. */
const STANDING = `SELECT
  EXISTS (SELECT FROM plugin_revocation v WHERE v.release = r.digest) AS revoked,
  EXISTS (SELECT FROM plugin_approval a WHERE a.release = r.digest AND a.artefact_digest = r.artefact_digest
    AND a.manifest_digest = r.manifest_digest) AS approved,
  EXISTS (SELECT FROM plugin_grant g WHERE g.tenant = $1::uuid AND g.capability = r.capability) AS granted
FROM plugin_release r WHERE r.digest = $2`;

interface Standing {
  readonly revoked: boolean;
  readonly approved: boolean;
  readonly granted: boolean;
}
type Permits = Pick<EngineStore, "fencedUntil" | "manifest" | "release" | "standing" | "modules" | "secrets" | "anySecret">;

export function permits(ask: Ask): Permits {
  return {
    fencedUntil: async () => (await ask<{ until: number }>({ name: "fenced_until", text: FENCED_UNTIL })).rows[0]?.until ?? 0,
    manifest: async (release) => {
      const { rows } = await ask<{ manifest: string }>({ name: "manifest", text: MANIFEST, values: [release] });
      return rows[0]?.manifest ?? null;
    },
    release: async (digest) => (await ask<StoredRelease>({ name: "release", text: RELEASE, values: [digest] })).rows[0] ?? null,
    standing: async (tenant, release) => {
      const { rows } = await ask<Standing>({ name: "standing", text: STANDING, values: [tenant, release] });
      return standingOf(rows[0] ?? null);
    },
    modules: async (tenant, digests) => {
      const { rows } = await ask<{ digest: string; text: string }>({ name: "modules", text: MODULES, values: [tenant, digests] });
      return new Map(rows.map(({ digest, text }) => [digest, text]));
    },
    secrets: async (tenant: TenantId, names) => {
      const values = [tenant, names];
      const { rows } = await ask<{ name: string; sealed: Uint8Array }>({ name: "secrets", text: SECRETS, values });
      return new Map(rows.map(({ name, sealed }) => [name, sealed]));
    },
    anySecret: async () => {
      const [found] = (await ask<{ tenant: string; name: string; sealed: Uint8Array }>({ text: LAST_SECRET })).rows;
      return found ? { tenant: asTenantId(found.tenant), name: found.name, sealed: found.sealed } : null;
    },
  };
}

/** What is not stored was never approved. */
export function standingOf(found: Standing | null): ReleaseStanding {
  if (found?.revoked) return "revoked";
  if (!found?.approved) return "not_approved";
  return found.granted ? "granted" : "not_granted";
}
