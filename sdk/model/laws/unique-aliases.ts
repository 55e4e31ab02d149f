import type { Law } from "../outline.ts";
import { pointer, violated } from "../violation.ts";

/** An alias stands for one capability or one module. */
export const uniqueAliases: Law = function* ({ definition }) {
  const seen = new Set<string>();
  for (const list of ["uses", "modules"] as const) {
    for (const [at, { alias }] of (definition[list] ?? []).entries()) {
      const path = `/${list}${pointer(at)}/alias`;
      if (seen.has(alias)) yield violated("WOML_DUPLICATE_ALIAS", path, `another capability or module has the alias ${alias}`);
      seen.add(alias);
    }
  }
};
