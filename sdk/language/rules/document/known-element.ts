import { closest } from "../../closest.ts";
import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import { calledHere } from "../../elsewhere.ts";
import { ELEMENT_NAMES, formOf, isElementName } from "../../grammar.ts";
import { hasDoubtfulImport, isTagName } from "../../meant.ts";
import { quoted } from "../../source.ts";
import { isTag } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

export const knownElement: Rule = (findings, document) => {
  const isDoubtful = hasDoubtfulImport(document);
  return (element) => {
    if (element.name === ADDED && document.profile)
      findings.refuse(element, unknown(element, "In this profile modules alone are imported."));
    if (isElementName(element.name) || isTag(element, document)) return;
    const isSaid = isDoubtful && mayBeTag(element);
    findings.refuse(element, isSaid ? undefined : unknown(element, findings.isLong ? "Remove it." : hintFor(element, document)));
  };
};

/** No profile of another WOML has it. */
const ADDED = "uses";

/** Imports and props are read before all else, and take nothing but what they are made of. */
const CODES: ReadonlyMap<string, Code> = new Map<string, Code>([
  ["imports", "WOML_IMPORTS_INVALID_CHILD"],
  ["props", "WOML_PROPS_INVALID_CHILD"],
]);

const unknown = ({ name, parent }: Element, hint: string): Remark => ({
  code: CODES.get(parent?.name ?? "") ?? "WOML_UNKNOWN_ELEMENT",
  message: `${quoted(name)} is not an element of WOML.`,
  hint,
});

/** Beside an import that cannot be read, which has been reported, what is like no element may be the tag that it would have brought. */
const mayBeTag = ({ name, parent }: Element): boolean =>
  parent !== null && !BEFORE.has(parent.name) && isTagName(name) && closest(name, ELEMENT_NAMES) === null;

/** Where no tag may stand in any case. */
const BEFORE: ReadonlySet<string> = new Set(["woml", "imports", "schema"]);

function hintFor({ name, parent }: Element, { imports }: Document): string {
  const lower = name.toLowerCase();
  if (isElementName(lower)) return `Element names are lower case: <${lower}>.`;
  if (parent?.name === "schema") return "Write \\u003c for a < in the JSON of a schema.";
  if (imports.modules.has(name)) return `${quoted(name)} is a module: a script calls services.${name}.<function>(…).`;
  // What may stand here is likelier to be meant than what may not.
  const taken = (parent && formOf(parent)?.children) ?? [];
  const near = calledHere(lower, taken) ?? closest(name, [...taken, ...imports.reusables.keys()]) ?? closest(name, ELEMENT_NAMES);
  return near === null
    ? "Correct its name, or import the definition that it is the tag of: <module name=... from=...>."
    : `Did you mean <${near}>?`;
}
