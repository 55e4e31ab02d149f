import type { Remark } from "../../diagnostic.ts";
import type { Profile } from "../../project.ts";
import { guesses } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";
import { idsOf, type Kind, type Visibility, visibilityOf } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

/**
 * The outputs that a script names are there. One that no item has made by its id is an error, one that is not there yet a warning: it reads
 * undefined. Whoever uses a reusable definition is not known, so nothing is said in one.
 */
export const stepName: Rule = (findings, document) => {
  const guess = guesses();
  let flow: { readonly ids: ReadonlyMap<string, Kind>; readonly visibility: Visibility } | null = null;
  return (element) => {
    if (element.name !== "script" || document.defines !== "workflow" || findings.isRefused(element)) return;
    for (const [name, range] of document.read(element).steps) {
      flow ??= { ids: idsOf(document), visibility: visibilityOf(document) };
      const kind = flow.ids.get(name);
      if (kind === undefined) findings.add(range, unknown(name, document.profile, guess(name, flow.ids.keys(), "Correct the id.")));
      else if (hasNoOutput(kind) || !flow.visibility.sees(element, name)) findings.add(range, invisible(name, kind));
    }
  };
};

const hasNoOutput = (kind: Kind): boolean => kind === "parallel" || kind === "fork";

/** WOML 1.0 does not look at the names in a script, and takes it. */
const unknown = (name: string, profile: Profile | undefined, hint: string): Remark => ({
  code: "WOML_UNKNOWN_REFERENCE",
  ...(profile === "1.0" && { severity: "warning" }),
  message: `Nothing in this workflow has the id ${quoted(name)}: it reads undefined.`,
  hint,
});

const invisible = (name: string, kind: Kind): Remark => ({
  code: "WOML_SCRIPT_REFERENCE_NOT_VISIBLE",
  severity: "warning",
  message: hasNoOutput(kind)
    ? `A ${kind} has no output: ${quoted(name)} reads undefined.`
    : `The output of ${quoted(name)} is not there when this script runs: it reads undefined.`,
  hint: hasNoOutput(kind)
    ? "Name one of the steps in it."
    : "Name an earlier item, or the choice itself instead of what stands in its arms.",
});
