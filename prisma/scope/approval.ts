import { NOW, type Transaction } from "../client.ts";
import type { AdminScope } from "../control-store.ts";

type Approvals = Pick<AdminScope, "approve" | "revoke" | "grant" | "revokeGrant">;

/** Row-level security lets none of this happen but in the administrator's transaction. */
export function approvals(tx: Transaction, wrote: () => void): Approvals {
  const written = async (statement: Promise<number>): Promise<boolean> => {
    wrote();
    return (await statement) > 0;
  };
  return {
    approve: async ({ digest, capability, version, artefactDigest, manifestDigest }, reviewer) => {
      const isMade = await written(tx.$executeRaw`INSERT INTO plugin_approval
          (release, capability, version, artefact_digest, manifest_digest, reviewer, at)
        VALUES (${digest}, ${capability}, ${version}, ${artefactDigest}, ${manifestDigest}, ${reviewer}, ${NOW}) ON CONFLICT DO NOTHING`);
      if (isMade) return "approved";
      return (await tx.pluginApproval.count({ where: { release: digest } })) > 0 ? "same" : "taken";
    },
    revoke: (release, by, reason) =>
      written(tx.$executeRaw`INSERT INTO plugin_revocation (release, by, at, reason)
        VALUES (${release}, ${by}, ${NOW}, ${reason}) ON CONFLICT DO NOTHING`),
    grant: (tenant, capability, by) =>
      written(tx.$executeRaw`INSERT INTO plugin_grant (tenant, capability, granted_by, at)
        VALUES (${tenant}::uuid, ${capability}, ${by}, ${NOW}) ON CONFLICT DO NOTHING`),
    revokeGrant: (tenant, capability) =>
      written(tx.$executeRaw`DELETE FROM plugin_grant WHERE tenant = ${tenant}::uuid AND capability = ${capability}`),
  };
}
