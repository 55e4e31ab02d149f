import type { Law } from "../outline.ts";
import { scriptsOf } from "../scripts.ts";
import { pointer, violated } from "../violation.ts";

/** What a script calls belongs to a capability that the definition uses, and what it imports to a module that the definition has. */
export const knownCalls: Law = function* (whole) {
  const aliases = new Set(whole.definition.uses?.map(({ alias }) => alias));
  const modules = new Set(whole.definition.modules?.map(({ digest }) => digest));
  for (const { part, path, owner } of scriptsOf(whole)) {
    for (const [at, call] of (part.calls ?? []).entries()) {
      const alias = call.slice(0, call.indexOf("."));
      if (aliases.has(alias)) continue;
      const message = `${owner} calls ${call}, but the definition uses nothing as ${alias}`;
      yield violated("WOML_UNKNOWN_ALIAS", `${path}/calls${pointer(at)}`, message);
    }
    for (const [at, { alias, digest }] of (part.modules ?? []).entries()) {
      if (modules.has(digest)) continue;
      yield violated(
        "WOML_UNKNOWN_ALIAS",
        `${path}/modules${pointer(at)}`,
        `${owner} imports ${alias}, which is no module of the definition`,
      );
    }
  }
};
