import { connection, type Edges } from "./answer.ts";
import type { Field } from "./field.ts";
import * as queries from "./queries.ts";
import type { ApprovePluginInput, Page, PageAsk, PluginGrantInput, PluginRelease, SubmitPluginInput, Submitted } from "./types.ts";

/** What a program can ask about plugins. Approving, granting and revoking take the administrator's key. */
export interface PluginClient {
  plugins(ask?: PageAsk): Promise<Page<PluginRelease>>;
  submitPlugin(input: SubmitPluginInput): Promise<Submitted>;
  approvePlugin(input: ApprovePluginInput): Promise<PluginRelease>;
  revokePlugin(release: string, reason: string): Promise<PluginRelease>;
  /** These two answer false when it stood so already. */
  grantPlugin(input: PluginGrantInput): Promise<boolean>;
  revokeGrant(input: PluginGrantInput): Promise<boolean>;
}
type Released = { readonly release: PluginRelease };
type Changed = { readonly changed: boolean };

export function openPlugins(field: Field): PluginClient {
  return {
    plugins: async (wanted = {}) => connection(await field<Edges<PluginRelease>>("plugins", queries.PLUGINS, { ...wanted })),
    submitPlugin: ({ manifest, artefact }) =>
      field("submitPlugin", queries.SUBMIT_PLUGIN, { input: { manifest, artefact: base64Of(artefact) } }),
    approvePlugin: async (input) => (await field<Released>("approvePlugin", queries.APPROVE_PLUGIN, { input })).release,
    revokePlugin: async (release, reason) =>
      (await field<Released>("revokePlugin", queries.REVOKE_PLUGIN, { input: { release, reason } })).release,
    grantPlugin: async (input) => (await field<Changed>("grantPlugin", queries.GRANT_PLUGIN, { input })).changed,
    revokeGrant: async (input) => (await field<Changed>("revokeGrant", queries.REVOKE_GRANT, { input })).changed,
  };
}

const PIECE_BYTES = 32_768;

/** Of the text's UTF-8. In pieces, because a call takes no millions of arguments. */
function base64Of(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES));
  return btoa(binary);
}
