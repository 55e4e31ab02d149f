import type { Law } from "../outline.ts";
import { reusablesOf, scriptsOfReusable } from "../scripts.ts";
import { pointer, violated } from "../violation.ts";

const CODE = "WOML_INVALID_REUSABLE";

/** Each prop is given once, and scripts of a reusable definition name no secrets: they are given them as props. */
export const reusableProps: Law = function* (whole) {
  for (const placed of reusablesOf(whole)) {
    const seen = new Set<string>();
    for (const [at, { name }] of placed.part.reusable.props.entries()) {
      const path = `${placed.path}/reusable/props${pointer(at)}/name`;
      if (seen.has(name)) yield violated(CODE, path, `${placed.owner} is given the prop ${name} twice`);
      seen.add(name);
    }
    for (const { part, path } of scriptsOfReusable(placed)) {
      if (part.secrets) yield violated(CODE, `${path}/secrets`, `a reusable script of ${placed.owner} names secrets itself`);
    }
  }
};
