import type { Law } from "../outline.ts";
import { pointer, violated } from "../violation.ts";

/** A module stands once. */
export const uniqueModules: Law = function* ({ definition }) {
  const seen = new Set<string>();
  for (const [at, { digest }] of (definition.modules ?? []).entries()) {
    if (seen.has(digest))
      yield violated("WOML_DUPLICATE_MODULE", `/modules${pointer(at)}/digest`, `another module has the digest ${digest}`);
    seen.add(digest);
  }
};
