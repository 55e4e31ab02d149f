// From a plugin's file to a release that a tenant may use.
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { type Manifest, manifestOf, type Plugin } from "@woml/capability";
import { type Asked, field, ROOT } from "./platform.ts";
import rogue from "./rogue.ts";

/** As it is handed in. */
export interface Written {
  readonly manifest: Manifest;
  /** The one file, with its types. */
  readonly source: string;
}

const RELEASE = "release capability version artefactDigest manifestDigest approved { by } revokedAt granted";
const SUBMIT = `mutation ($input: SubmitPluginInput!) { submitPlugin(input: $input) { release { ${RELEASE} } created complaints } }`;
const APPROVE = `mutation ($input: ApprovePluginInput!) { approvePlugin(input: $input) { release { ${RELEASE} } } }`;
const GRANT = "mutation ($input: PluginGrantInput!) { grantPlugin(input: $input) { changed } }";
const TENANT = "mutation ($input: CreateTenantInput!) { createTenant(input: $input) { tenant { id } key } }";

export interface Release {
  readonly release: string;
  readonly capability: string;
  readonly version: string;
  readonly artefactDigest: string;
  readonly manifestDigest: string;
}

/** Some of its texts replaced, in the file and in what it says of itself. */
function written(plugin: Plugin, path: string, replaced: Readonly<Record<string, string>>): Written {
  const change = (text: string): string => Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  return { manifest: JSON.parse(change(JSON.stringify(manifestOf(plugin)))), source: change(readFileSync(path, "utf8")) };
}

/** `test.rogue` (rogue.ts), whose provider is at `port`. `timeoutMs`: how long an operation of it may take. */
export function rogueFor(port: number, version = "1.0.0", timeoutMs = 3_000): Written {
  const times = { "timeoutMs: 3_000": `timeoutMs: ${timeoutMs}`, '"timeoutMs":3000': `"timeoutMs":${timeoutMs}` };
  return written(rogue, join(import.meta.dirname, "rogue.ts"), { "4011": String(port), "1.0.0": version, ...times });
}

/** `acme.payments`, the example, whose provider is at `port`. */
export async function acmeFor(port: number): Promise<Written> {
  const path = join(ROOT, "examples", "plugins", "acme-payments", "plugin.ts");
  const { default: acme }: { readonly default: Plugin } = await import(path);
  return written(acme, path, { "4010": String(port) });
}

export async function handIn({ ask }: Asked, { manifest, source }: Written, key?: string): Promise<Release> {
  const artefact = Buffer.from(unTyped(source)).toString("base64");
  const { release, complaints } = field<{ release: Release | null; complaints: readonly string[] }>(
    await ask(SUBMIT, { input: { manifest, artefact } }, key),
    "submitPlugin",
  );
  if (release === null) throw new Error(`refused: ${complaints.join("; ")}`);
  return release;
}

/** What is no TypeScript is handed in as it is. */
function unTyped(source: string): string {
  try {
    return stripTypeScriptTypes(source);
  } catch {
    return source;
  }
}

/** The mutation's answer, refused or not. */
export function approve({ ask, admin }: Asked, { release, artefactDigest, manifestDigest }: Release, over: object = {}) {
  return ask(APPROVE, { input: { release, artefactDigest, manifestDigest, ...over } }, admin);
}

export async function grant({ ask, admin }: Asked, tenant: string, capability: string): Promise<void> {
  field(await ask(GRANT, { input: { tenant, capability } }, admin), "grantPlugin");
}

/** Handed in by the platform's first tenant, approved, and granted to these. */
export async function review(platform: Asked, plugin: Written, tenants: readonly string[]): Promise<Release> {
  const release = await handIn(platform, plugin);
  field(await approve(platform, release), "approvePlugin");
  for (const tenant of tenants) await grant(platform, tenant, release.capability);
  return release;
}

export async function tenantOf({ ask }: Asked): Promise<string> {
  return field<{ tenant: { id: string } }>(await ask("{ me { tenant { id } } }"), "me").tenant.id;
}

export async function newTenant({ ask, admin }: Asked, name: string): Promise<{ readonly id: string; readonly key: string }> {
  const { tenant, key } = field<{ tenant: { id: string }; key: string }>(await ask(TENANT, { input: { name } }, admin), "createTenant");
  return { id: tenant.id, key };
}
