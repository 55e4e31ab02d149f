import { LIMITS } from "@woml/model/laws";
import type { ReusableDefinition } from "../../document.ts";
import { tagOf } from "../../tag.ts";
import { type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** What a script takes in a definition besides its text, at the least: `{"source":""}`. */
const FRAME = 13;

/** Every tag brings the scripts of its definition with it. That a definition gets too large by that is said before it is made. */
export const tagWeight: Rule = (findings, document) => {
  const weights = new Map<ReusableDefinition, number>();
  let total = 0;
  return (element) => {
    const definition = tagOf(element, document)?.definition;
    if (!definition || total > LIMITS.definitionBytes) return;
    const weight = weights.get(definition) ?? weightOf(definition.document.root);
    weights.set(definition, weight);
    total += weight;
    if (total <= LIMITS.definitionBytes) return;
    const message = "The scripts that tags bring with them make the definition too large, from this tag on.";
    const hint = "Move what the scripts share into a module, or split the workflow.";
    findings.add(element.openRange, { code: "WOML_DEFINITION_TOO_LARGE", message, hint });
  };
};

/** Characters of all scripts below an element: never more than their bytes. */
function weightOf(element: Element): number {
  if (element.name === "script") return element.children.reduce((sum, { range }) => sum + range.end - range.start, FRAME);
  return elementsOf(element).reduce((sum, child) => sum + weightOf(child), 0);
}
