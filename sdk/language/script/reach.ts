import type { Document } from "../document.ts";
import type { Range } from "../source.ts";
import { moduleReach } from "./module.ts";
import { OPERATIONS } from "./operations.ts";
import type { Reading } from "./reading.ts";

/** The longest name that a definition has room for, and the form of those of operations. */
export const OPERATION: RegExp = /^[a-z][A-Za-z0-9]{0,63}$/;

/** What a script may call, with what the modules that it uses may call for it, and those modules; each where the script first says it. */
export interface Reach {
  readonly calls: ReadonlyMap<string, Range>;
  readonly modules: ReadonlyMap<string, Range>;
}

/** Of a script that stands in `document`. */
export function reachOf({ calls }: Reading, { imports }: Pick<Document, "imports">): Reach {
  const [reached, modules] = [new Map<string, Range>(), new Map<string, Range>()];
  for (const [call, range] of calls) {
    const [alias, operation] = splitCall(call);
    if (!imports.modules.has(alias)) {
      if (OPERATION.test(operation) && isService(alias, imports)) reached.set(call, range);
    } else if (!modules.has(alias)) modules.set(alias, range);
  }
  for (const [alias, range] of modules) {
    const bundle = imports.modules.get(alias);
    if (!bundle) continue;
    // A module sees the services of the platform alone, and those of the capabilities that the document names.
    for (const call of moduleReach(bundle).calls) {
      const [used, operation] = splitCall(call);
      if (!reached.has(call) && OPERATION.test(operation) && isService(used, imports)) reached.set(call, range);
    }
  }
  return { calls: reached, modules };
}

export function splitCall(call: string): readonly [alias: string, operation: string] {
  const dot = call.indexOf(".");
  return [call.slice(0, dot), call.slice(dot + 1)];
}

/** Whether `services.<alias>` is a capability: one that the platform has of itself, or one that `<uses>` names. */
export const isService = (alias: string, { uses, modules }: Document["imports"]): boolean =>
  uses.has(alias) || (OPERATIONS.has(alias) && !modules.has(alias));
