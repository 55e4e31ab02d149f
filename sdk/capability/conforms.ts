import { Bench, type Provider } from "./conforms/bench.ts";
import { checksOf, type Example } from "./conforms/checks.ts";
import { manifestOf } from "./define.ts";
import { readManifest } from "./lint.ts";
import type { Plugin } from "./plugin.ts";

export type { Provider, ProviderAnswer, ProviderRequest } from "./conforms/bench.ts";
export type { Example } from "./conforms/checks.ts";

export interface Conformance {
  readonly examples: readonly Example[];
  /** A fresh double of the provider, without effects. */
  readonly provider: () => Provider | Promise<Provider>;
}
/** What was looked at; `message` is empty where it is as it should be. */
export interface Check {
  readonly name: string;
  readonly message: string;
}

/**
 * Whether a plugin is what its manifest says, by performing each example against a provider that loses requests, loses answers, doubles
 * them and breaks: an operation that says it is keyed must have one effect however often it is performed, and so on. Never rejects for
 * what the plugin does.
 */
export async function conforms(plugin: Plugin, { examples, provider }: Conformance): Promise<readonly Check[]> {
  const manifest = manifestOf(plugin);
  const read = readManifest(manifest);
  if ("complaints" in read) return [{ name: "manifest", message: read.complaints.join("; ") }];
  const missing = Object.keys(plugin.operations).filter((name) => !examples.some(({ operation }) => operation === name));
  const checks: Check[] = [
    { name: "manifest", message: "" },
    { name: "every operation has an example", message: missing.length === 0 ? "" : `none of ${missing.join(", ")}` },
  ];
  for (const example of examples) {
    for (const [name, check] of checksOf(manifest, example)) {
      const bench = new Bench(plugin, manifest, await provider());
      checks.push({ name: `${example.operation}: ${name}`, message: await messageOf(check(bench)) });
    }
  }
  return checks;
}

async function messageOf(check: Promise<string>): Promise<string> {
  try {
    return await check;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
