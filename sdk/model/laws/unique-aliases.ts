import type { Law } from "../outline.ts";
import { scriptsOf } from "../scripts.ts";
import { pointer, violated } from "../violation.ts";

/** An alias stands for one capability in the definition, and for one capability or module in a script. */
export const uniqueAliases: Law = function* (whole) {
  const seen = new Set<string>();
  for (const [at, { alias }] of (whole.definition.uses ?? []).entries()) {
    if (seen.has(alias)) yield violated("WOML_DUPLICATE_ALIAS", `/uses${pointer(at)}/alias`, `another capability has the alias ${alias}`);
    seen.add(alias);
  }
  for (const { part, path, owner } of scriptsOf(whole)) {
    const known = new Set((part.calls ?? []).map((call) => call.slice(0, call.indexOf("."))));
    for (const [at, { alias }] of (part.modules ?? []).entries()) {
      const where = `${path}/modules${pointer(at)}/alias`;
      if (known.has(alias)) yield violated("WOML_DUPLICATE_ALIAS", where, `${owner} means something else by ${alias} too`);
      known.add(alias);
    }
  }
};
