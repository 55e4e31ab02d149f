import type { Law } from "../outline.ts";
import { pointer, violated } from "../violation.ts";

/** An alias stands for one capability. */
export const uniqueAliases: Law = function* ({ definition }) {
  const seen = new Set<string>();
  for (const [at, { alias }] of (definition.uses ?? []).entries()) {
    if (seen.has(alias)) yield violated("WOML_DUPLICATE_ALIAS", `/uses${pointer(at)}/alias`, `another capability has the alias ${alias}`);
    seen.add(alias);
  }
};
