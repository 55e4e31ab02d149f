import type { TSchema } from "typebox";
import { lint } from "./lint.ts";
import { CONTRACT, type Manifest, type OperationManifest } from "./manifest.ts";
import type { AnyOperation, Operation, Plugin } from "./plugin.ts";

const DEFAULTS = { timeoutMs: 30_000, maxInputBytes: 1_048_576, maxOutputBytes: 1_048_576 };

/** One callable action; the types of `perform` and `reattach` come from its schemas. */
export const operation = <Input extends TSchema, Output extends TSchema>(described: Operation<Input, Output>): Operation<Input, Output> =>
  described;

/** What a plugin's module exports as its default. Throws TypeError with every complaint about it. */
export function definePlugin(plugin: Plugin): Plugin {
  const complaints = complaintsAbout(plugin);
  if (complaints.length > 0) throw new TypeError(`this plugin cannot be released:\n- ${complaints.join("\n- ")}`);
  return plugin;
}

/** What a release of this plugin says of itself: plain JSON, the same for the same plugin. */
export function manifestOf(plugin: Plugin): Manifest {
  const { id, version, publisher, title, permissions } = plugin;
  const operations = Object.fromEntries(Object.entries(plugin.operations).map(([name, one]) => [name, described(one)]));
  const manifest = { manifestVersion: 1, id, version, contract: CONTRACT, title, publisher, permissions, operations };
  // Through text: only what JSON can carry of a schema counts, and absent members are left out.
  return JSON.parse(JSON.stringify(manifest));
}

function described(one: AnyOperation): Omit<OperationManifest, "input" | "output"> {
  const { perform: _perform, reattach: _reattach, ...rest } = one;
  return { ...DEFAULTS, ...rest };
}

function complaintsAbout(plugin: Plugin): readonly string[] {
  const manifest = manifestOf(plugin);
  const found = [...lint(manifest)];
  for (const [name, one] of Object.entries(plugin.operations)) {
    if (typeof one.perform !== "function") found.push(`operations.${name} has no perform`);
    if (one.status !== undefined && typeof one.reattach !== "function") found.push(`operations.${name} has a status and no reattach`);
    if (one.status === undefined && one.reattach !== undefined) found.push(`operations.${name} has reattach and no status`);
  }
  return found;
}
