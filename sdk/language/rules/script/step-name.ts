import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import { hasNameless } from "../../meant.ts";
import type { Profile } from "../../project.ts";
import { scriptRule } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";
import { idsOf, type Kind, type Visibility, visibilityOf } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

/** What is known of the ids of a document, once it is asked for. */
interface Flow {
  readonly ids: ReadonlyMap<string, Kind>;
  readonly visibility: Visibility;
  /** An item without an id that can be named has been reported, and may be the one that is meant. */
  readonly isDoubtful: boolean;
}
const flows = new WeakMap<Document, Flow>();

/**
 * The outputs that a script names are there. One that no item has made by its id is an error, one that is not there yet a warning: it reads
 * undefined. Whoever uses a reusable definition is not known, so nothing is said in one.
 */
export const stepName: Rule = scriptRule(({ element, reading: { named }, document, say, guess }) => {
  if (document.defines !== "workflow") return;
  for (const [name, node] of named.steps) {
    const { ids, visibility, isDoubtful } = flowOf(document);
    const kind = ids.get(name);
    if (kind === undefined && isDoubtful) continue;
    if (kind === undefined) say(node, unknown(name, document.profile, guess(name, ids.keys(), "Correct the id.")));
    else if (hasNoOutput(kind) || !visibility.sees(element, name)) say(node, invisible(name, kind));
  }
});

function flowOf(document: Document): Flow {
  const flow = flows.get(document) ?? { ids: idsOf(document), visibility: visibilityOf(document), isDoubtful: hasNameless(document) };
  flows.set(document, flow);
  return flow;
}

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
