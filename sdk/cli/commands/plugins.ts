import type { PluginRelease } from "@woml/client";
import type { Command } from "commander";
import type { PluginFiles } from "../artefact.ts";
import { EXIT, type ExitCode, usage } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { addPlaceOptions, openPlace, ownTenant } from "../place.ts";
import type { Settle } from "../program.ts";
import { allReleases, PLUGIN_HEAD, releaseNamed, releaseRow } from "../releases.ts";
import { note, say, sayJson, table } from "../terminal.ts";

interface GrantOptions extends OutputOptions {
  readonly tenant?: string;
}
interface RevokeOptions extends GrantOptions {
  readonly grant?: string;
  readonly reason?: string;
}
interface ListOptions extends OutputOptions {
  readonly all?: boolean;
}

export function addPlugins(program: Command, settle: Settle): void {
  const plugins = addPlaceOptions(program.command("plugins").description("Hands in, approves, grants and lists plugins."));
  plugins.addOption(outputOption());
  plugins
    .command("add")
    .description("Hands in a release for review: manifest.json and plugin.ts or plugin.js of a folder, or two files.")
    .argument("[folder]", "where both files are")
    .option("--manifest <file>", "the manifest, when it is elsewhere")
    .option("--artefact <file>", "the one ES module, .js or .ts, when it is elsewhere")
    .action(async (folder: string | undefined, _: unknown, command: Command) => settle(await add(folder, command.optsWithGlobals())));
  plugins
    .command("list")
    .description("Shows releases, newest first: approved ones and your own.")
    .option("--all", "every tenant's, with the administrator's key")
    .action(async (_: unknown, command: Command) => settle(await list(command.optsWithGlobals())));
  plugins
    .command("approve")
    .description("Says that a release was reviewed and may be run. Needs the administrator's key.")
    .argument("<release>", "sha256:…, or capability@version")
    .action(async (release: string, _: unknown, command: Command) => settle(await approve(release, command.optsWithGlobals())));
  plugins
    .command("grant")
    .description("Lets a tenant use a capability. Needs the administrator's key.")
    .argument("<capability>", "such as acme.payments")
    .option("--tenant <id>", "whom (default: the tenant whose key is used)")
    .action(async (capability: string, _: unknown, command: Command) => settle(await grant(capability, command.optsWithGlobals())));
  plugins
    .command("revoke")
    .description("Takes a release out of use for ever, or a grant back. Needs the administrator's key.")
    .argument("[release]", "sha256:…, or capability@version")
    .option("--reason <text>", "why the release is taken out of use")
    .option("--grant <capability>", "take back a tenant's grant of this capability instead")
    .option("--tenant <id>", "whose grant (default: the tenant whose key is used)")
    .action(async (release: string | undefined, _: unknown, command: Command) => settle(await revoke(release, command.optsWithGlobals())));
}

async function add(folder: string | undefined, options: OutputOptions & PluginFiles): Promise<ExitCode> {
  const { readPlugin } = await import("../artefact.ts");
  const plugin = readPlugin(folder, options);
  const submitted = await (await openPlace(options)).submitPlugin(plugin);
  if (options.output === "json") sayJson(submitted);
  const { release, created, complaints } = submitted;
  for (const complaint of complaints) note(`WOML_PLUGIN_MANIFEST_INVALID: ${complaint}`);
  if (release === null) return EXIT.invalid;
  if (options.output !== "json") showReleases([release]);
  if (!created) note("The same had been handed in before.");
  if (release.approved === null)
    note(`Until it is approved nobody may run it: woml plugins approve ${release.capability}@${release.version}`);
  return EXIT.ok;
}

async function list(options: ListOptions): Promise<ExitCode> {
  const releases = await allReleases(await openPlace(options, options.all ? "admin" : "tenant"));
  if (options.output === "json") sayJson(releases);
  else showReleases(releases);
  return EXIT.ok;
}

async function approve(name: string, options: OutputOptions): Promise<ExitCode> {
  const client = await openPlace(options, "admin");
  const { release, artefactDigest, manifestDigest } = await releaseNamed(client, name);
  const approved = await client.approvePlugin({ release, artefactDigest, manifestDigest });
  if (options.output === "json") sayJson(approved);
  else showReleases([approved]);
  return EXIT.ok;
}

async function grant(capability: string, options: GrantOptions): Promise<ExitCode> {
  const tenant = options.tenant ?? (await ownTenant(options));
  const client = await openPlace(options, "admin");
  const changed = await client.grantPlugin({ tenant, capability });
  const isKnown = (await allReleases(client)).some((release) => release.capability === capability);
  if (!isKnown) note(`Nothing of ${capability} has been handed in yet.`);
  if (options.output === "json") sayJson({ tenant, capability, changed });
  else say(`${capability}  granted to ${tenant}${changed ? "" : "  (before)"}`);
  return EXIT.ok;
}

async function revoke(name: string | undefined, options: RevokeOptions): Promise<ExitCode> {
  const { grant: capability, reason } = options;
  if ((name === undefined) === (capability === undefined)) throw usage("Name a release, or a capability with --grant.");
  if (capability !== undefined) return revokeGrant(capability, options);
  if (name === undefined || reason === undefined) throw usage("Say with --reason why; it is kept with the release.");
  const client = await openPlace(options, "admin");
  const { release } = await releaseNamed(client, name);
  const revoked = await client.revokePlugin(release, reason);
  if (options.output === "json") sayJson(revoked);
  else showReleases([revoked]);
  return EXIT.ok;
}

async function revokeGrant(capability: string, options: GrantOptions): Promise<ExitCode> {
  const tenant = options.tenant ?? (await ownTenant(options));
  const changed = await (await openPlace(options, "admin")).revokeGrant({ tenant, capability });
  if (options.output === "json") sayJson({ tenant, capability, changed });
  else say(`${capability}  ${changed ? "not granted any more" : "was not granted"} to ${tenant}`);
  return EXIT.ok;
}

const showReleases = (releases: readonly PluginRelease[]): void => say(table([PLUGIN_HEAD, ...releases.map(releaseRow)]));
