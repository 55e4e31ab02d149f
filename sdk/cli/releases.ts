import type { Client, PluginRelease } from "@woml/client";
import { Ending, EXIT } from "./exit.ts";
import { allOf } from "./pages.ts";

/** Every release that whoever asks may see, newest first. */
export function allReleases(client: Client): Promise<readonly PluginRelease[]> {
  return allOf((page) => client.plugins(page));
}

/** One release, by its digest or as `acme.payments@1.2.0`. */
export async function releaseNamed(client: Client, name: string): Promise<PluginRelease> {
  const found = (await allReleases(client)).find(
    ({ release, capability, version }) => release === name || `${capability}@${version}` === name,
  );
  if (found) return found;
  throw new Ending(EXIT.failed, "WOML_PLUGIN_NOT_FOUND", `There is no release ${name}: woml plugins list shows which there are.`);
}

/** Where a release stands on its way into use, and out of it. */
function stateOf({ approved, revokedAt }: PluginRelease): "submitted" | "approved" | "revoked" {
  if (revokedAt !== null) return "revoked";
  return approved === null ? "submitted" : "approved";
}

export const PLUGIN_HEAD: readonly string[] = ["PLUGIN", "STATE", "GRANTED", "RELEASE"];

export const releaseRow = (release: PluginRelease): readonly string[] => [
  `${release.capability}@${release.version}`,
  stateOf(release),
  release.granted === null ? "" : release.granted ? "yes" : "no",
  release.release,
];
