import { isElementName } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

export const knownElement: Rule =
  (findings, { imports }) =>
  (element) => {
    const { name } = element;
    if (isElementName(name) || imports.reusables.has(name)) return;
    const lower = name.toLowerCase();
    const hint = isElementName(lower) ? `Element names are lower case: <${lower}>.` : "Remove it, or correct its name.";
    findings.refuse(element, { code: "WOML_UNKNOWN_ELEMENT", message: `${quoted(name)} is not an element of WOML.`, hint });
  };
