import { asTenantId, type TenantId } from "@woml/run";
import { NOW, sql, type Transaction } from "../client.ts";
import type { Handed, NewRelease, ReleaseRow, TenantScope } from "../control-store.ts";
import { Prisma } from "../generated/client.ts";
import { cut } from "./page.ts";

interface Stored {
  readonly digest: string;
  readonly capability: string;
  readonly version: string;
  readonly manifest: string;
  readonly manifest_digest: string;
  readonly artefact_digest: string;
  readonly submitted_by: string;
  readonly submitter: string;
  readonly created_at: bigint;
  readonly reviewer: string | null;
  readonly approved_at: bigint | null;
  readonly revoked_by: string | null;
  readonly revoked_at: bigint | null;
  readonly reason: string | null;
  readonly granted: boolean;
}
const NIL = asTenantId("00000000-0000-0000-0000-000000000000");
/** Releases of one owner that nobody has reviewed yet: each may hold 20 MiB. */
export const WAITING_RELEASES = 32;

type Releases = Pick<TenantScope, "releases" | "release" | "submitRelease" | "offers">;

/** `tenant` null is the administrator. An approval counts for the two digests that it names. */
export function releases(tx: Transaction, tenant: TenantId | null, wrote: () => void): Releases {
  const rows = (where: Prisma.Sql, rest: Prisma.Sql = Prisma.empty): Promise<Stored[]> => tx.$queryRaw<Stored[]>`
    SELECT r.digest, r.capability, r.version, r.manifest, r.manifest_digest, r.artefact_digest, r.submitted_by, r.submitter::text, r.created_at,
      a.reviewer, a.at AS approved_at, v.by AS revoked_by, v.at AS revoked_at, v.reason,
      EXISTS (SELECT FROM plugin_grant g WHERE g.tenant = ${tenant}::uuid AND g.capability = r.capability) AS granted
    FROM plugin_release r LEFT JOIN plugin_revocation v ON v.release = r.digest
      LEFT JOIN plugin_approval a ON a.release = r.digest AND a.artefact_digest = r.artefact_digest AND a.manifest_digest = r.manifest_digest
    WHERE ${where} ${rest}`;
  const seen = tenant === null ? sql`true` : sql`(a.release IS NOT NULL OR r.submitter = ${tenant}::uuid)`;
  const one = async (digest: string): Promise<ReleaseRow | null> => {
    const [found] = await rows(sql`r.digest = ${digest}`);
    return found ? shown(found) : null;
  };
  return {
    release: one,
    releases: async ({ first, after }) => {
      const last = after === null ? null : await one(after);
      if (after !== null && last === null) return null;
      const older = last === null ? sql`true` : sql`(r.created_at, r.digest) < (${last.createdAt}::bigint, ${last.digest})`;
      const found = await rows(sql`${seen} AND ${older}`, sql`ORDER BY r.created_at DESC, r.digest DESC LIMIT ${first + 1}`);
      return cut(found.map(shown), first);
    },
    offers: async (capabilities) => {
      const names = sql`r.capability = ANY(${[...capabilities]}::text[])`;
      const found = await rows(sql`${names} AND a.release IS NOT NULL AND v.release IS NULL`);
      const grants = await tx.pluginGrant.findMany({ where: { tenant: tenant ?? NIL, capability: { in: [...capabilities] } } });
      return { releases: found.map(shown), granted: new Set(grants.map(({ capability }) => capability)) };
    },
    submitRelease: (release) => submit(tx, { release, submitter: tenant ?? NIL, wrote }),
  };
}

interface Submission {
  readonly release: NewRelease;
  readonly submitter: TenantId;
  readonly wrote: () => void;
}

/** Two owners may hand in other content under one version: which of them is that version, the reviewer says. */
async function submit(tx: Transaction, { release, submitter, wrote }: Submission): Promise<Handed> {
  const { digest, capability, version } = release;
  const [found] = await tx.$queryRaw<{ same: boolean; taken: boolean; waiting: bigint }[]>`SELECT
    EXISTS (SELECT FROM plugin_release WHERE digest = ${digest}) AS same,
    EXISTS (SELECT FROM plugin_approval WHERE capability = ${capability} AND version = ${version}) AS taken,
    (SELECT count(*) FROM plugin_release r WHERE r.submitter = ${submitter}::uuid
      AND NOT EXISTS (SELECT FROM plugin_approval a WHERE a.release = r.digest)) AS waiting`;
  if (found?.same) return "same";
  if (found?.taken) return "taken";
  if (submitter !== NIL && Number(found?.waiting) >= WAITING_RELEASES) return "crowded";
  wrote();
  const made = await tx.$executeRaw`INSERT INTO plugin_release
      (digest, capability, version, manifest, manifest_digest, artefact_digest, artefact, submitted_by, submitter, created_at)
    VALUES (${digest}, ${capability}, ${version}, ${release.manifest}, ${release.manifestDigest}, ${release.artefactDigest},
      ${Buffer.from(release.artefact)}, ${release.submittedBy}, ${submitter}::uuid, ${NOW})
    ON CONFLICT DO NOTHING`;
  if (made > 0) return "created";
  const stands = await tx.pluginRelease.count({ where: { digest } });
  return stands > 0 ? "same" : "taken";
}

function shown(row: Stored): ReleaseRow {
  const { digest, capability, version, manifest, granted } = row;
  return {
    ...{ digest, capability, version, manifest, granted, manifestDigest: row.manifest_digest, artefactDigest: row.artefact_digest },
    ...{ submittedBy: row.submitted_by, submitter: asTenantId(row.submitter), createdAt: Number(row.created_at) },
    approved: row.reviewer === null ? null : { by: row.reviewer, at: Number(row.approved_at) },
    revoked: row.revoked_by === null ? null : { by: row.revoked_by, at: Number(row.revoked_at), reason: row.reason ?? "" },
  };
}
