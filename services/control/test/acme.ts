// A small plugin that tests hand in: what it does never runs here.
import type { Opened, Tenant } from "./opened.ts";

const object = (properties: object): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const bounds = { timeoutMs: 1_000, maxInputBytes: 1_000, maxOutputBytes: 1_000 };
const amount = object({ amount: { type: "integer" } });

/** quote is pure, charge reattachable with a patience, refund unsafe. */
export function manifest(version = "1.0.0", over: object = {}): object {
  const charge = {
    ...{ effect: "reattachable", input: amount, output: object({ id: { type: "string" } }), ...bounds },
    status: { conclusiveNotFoundAfterMs: 3_600_000, pendingMaxMs: 60_000 },
  };
  return {
    ...{ manifestVersion: 1, id: "acme.payments", version, contract: 1, publisher: "Acme", permissions: {} },
    operations: {
      quote: { effect: "pure", input: amount, output: amount, ...bounds },
      charge,
      refund: { effect: "unsafe", input: amount, output: object({ id: { type: "string" } }), ...bounds },
    },
    ...over,
  };
}

export interface Release {
  readonly release: string;
  readonly artefactDigest: string;
  readonly manifestDigest: string;
  readonly [more: string]: unknown;
}
export const RELEASE =
  "release capability version manifest artefactDigest manifestDigest submittedBy createdAt approved { by at } revokedAt granted";
export const SUBMIT = `mutation ($input: SubmitPluginInput!) { submitPlugin(input: $input) { release { ${RELEASE} } created complaints } }`;
export const APPROVE = `mutation ($input: ApprovePluginInput!) { approvePlugin(input: $input) { release { ${RELEASE} } } }`;
export const REVOKE = `mutation ($input: RevokePluginInput!) { revokePlugin(input: $input) { release { ${RELEASE} } } }`;
export const GRANT = "mutation ($input: PluginGrantInput!) { grantPlugin(input: $input) { changed } }";
export const REVOKE_GRANT = "mutation ($input: PluginGrantInput!) { revokeGrant(input: $input) { changed } }";

export interface Submitted {
  readonly release: Release | null;
  readonly created: boolean;
  readonly complaints: readonly string[];
}
export const base64 = (text: string): string => Buffer.from(text).toString("base64");

export function submit(tenant: Tenant, of: object = manifest(), artefact = "export default 1;"): Promise<Submitted> {
  return tenant.field("submitPlugin", SUBMIT, { input: { manifest: of, artefact: base64(artefact) } });
}

export const digestsOf = ({ release, artefactDigest, manifestDigest }: Release): object => ({ release, artefactDigest, manifestDigest });

/** Handed in by the tenant and approved. */
export async function approved(opened: Opened, tenant: Tenant, of: object = manifest()): Promise<Release> {
  const { release } = await submit(tenant, of);
  if (release === null) throw new Error("the plugin was not taken");
  await opened.admin.field("approvePlugin", APPROVE, { input: digestsOf(release) });
  return release;
}

export function grant(opened: Opened, tenant: Tenant, capability = "acme.payments"): Promise<{ readonly changed: boolean }> {
  return opened.admin.field("grantPlugin", GRANT, { input: { tenant: tenant.id, capability } });
}
