import type { Law } from "../outline.ts";
import { pointer, violated } from "../violation.ts";

/** What a script calls belongs to a capability that the definition uses. */
export const knownCalls: Law = function* ({ definition, nodePath }) {
  const aliases = new Set(definition.uses?.map(({ alias }) => alias));
  for (const node of definition.nodes) {
    if (node.kind !== "step") continue;
    for (const [at, call] of (node.script.calls ?? []).entries()) {
      const alias = call.slice(0, call.indexOf("."));
      if (aliases.has(alias)) continue;
      const message = `${node.id} calls ${call}, but the definition uses nothing as ${alias}`;
      yield violated("WOML_UNKNOWN_ALIAS", `${nodePath(node.id)}/script/calls${pointer(at)}`, message);
    }
  }
};
