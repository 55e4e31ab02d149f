import { closest } from "../../closest.ts";
import type { Document } from "../../document.ts";
import { ELEMENT_NAMES, formOf, isElementName } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { isTag } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

export const knownElement: Rule = (findings, document) => (element) => {
  const { name } = element;
  if (isElementName(name) || isTag(element, document)) return;
  const message = `${quoted(name)} is not an element of WOML.`;
  findings.refuse(element, { code: "WOML_UNKNOWN_ELEMENT", message, hint: findings.isLong ? "Remove it." : hintFor(element, document) });
};

function hintFor({ name, parent }: Element, { imports }: Document): string {
  const lower = name.toLowerCase();
  if (isElementName(lower)) return `Element names are lower case: <${lower}>.`;
  if (parent?.name === "schema") return "Write \\u003c for a < in the JSON of a schema.";
  // What may stand here is likelier to be meant than what may not.
  const near =
    closest(name, [...((parent && formOf(parent)?.children) ?? []), ...imports.reusables.keys()]) ?? closest(name, ELEMENT_NAMES);
  return near === null
    ? "Correct its name, or import the definition that it is the tag of: <module name=... from=...>."
    : `Did you mean <${near}>?`;
}
