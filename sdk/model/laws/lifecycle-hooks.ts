import { flowsOf, type Law } from "../outline.ts";
import { hooksOf } from "../scripts.ts";
import { pointer, violated } from "../violation.ts";

const CODE = "WOML_INVALID_LIFECYCLE";

/** Each event has one hook at most, and only a hook for steps says of which: steps that exist, in bodies of loops too. */
export const lifecycleHooks: Law = function* (whole) {
  const steps = new Set(flowsOf(whole).flatMap(({ flow }) => flow.nodes.flatMap(({ kind, id }) => (kind === "step" ? id : []))));
  const seen = new Set<string>();
  for (const { part: hook, path } of hooksOf(whole)) {
    if (seen.has(hook.on)) yield violated(CODE, `${path}/on`, `another hook is told of ${hook.on}`);
    seen.add(hook.on);
    if (hook.steps && !hook.on.startsWith("step_")) yield violated(CODE, `${path}/steps`, `${hook.on} is no event of a step`);
    for (const [at, id] of (hook.steps ?? []).entries()) {
      if (!steps.has(id)) yield violated(CODE, `${path}/steps${pointer(at)}`, `${id} is no step of this definition`);
    }
  }
};
