import { formOf, isLater } from "../grammar.ts";
import { moduleNames } from "../imports.ts";
import { quoted } from "../source.ts";
import type { Rule } from "../visit.ts";

export const knownElement: Rule = (findings) => {
  let imported: ReadonlySet<string> = new Set();
  return (element) => {
    const { name } = element;
    if (!element.parent) imported = moduleNames(element);
    if (formOf(name) || isLater(name) || imported.has(name)) return;
    const lower = name.toLowerCase();
    const hint = formOf(lower) || isLater(lower) ? `Element names are lower case: <${lower}>.` : "Remove it, or correct its name.";
    findings.refuse(element, { code: "WOML_UNKNOWN_ELEMENT", message: `${quoted(name)} is not an element of WOML.`, hint });
  };
};
