import { isModulePath } from "../../imports.ts";
import { quoted } from "../../source.ts";
import { textOf } from "../../tree.ts";
import type { Look, Rule } from "../../visit.ts";

/** A module is named by a path from the document, and once. One that is imported twice by one name has its alias reported. */
export const modulePath: Rule = (findings): Look => {
  const taken = new Map<string, string | undefined>();
  return (element) => {
    if (element.name !== "module" || element.parent?.name !== "imports") return;
    const [from, name] = [element.attributes.get("from"), textOf(element, "name")];
    if (!from || from.value === null) return;
    if (!isModulePath(from.value)) {
      const hint = "Begin with ./ or ../ and end with .js, .ts or .woml; letters, digits, dots, dashes and underscores: ./lib/prices.ts.";
      findings.onValue(from, { code: "WOML_MODULE_PATH_INVALID", message: `${quoted(from.value)} is no path of a module.`, hint });
    } else if (taken.has(from.value) && taken.get(from.value) !== name) {
      const message = `${quoted(from.value)} is imported already.`;
      findings.onValue(from, { code: "WOML_MODULE_SOURCE_DUPLICATE", message, hint: "Use the name that it has there." });
    }
    if (!taken.has(from.value)) taken.set(from.value, name);
  };
};
