import { formOf } from "../../grammar.ts";
import { tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

export const requiredAttribute: Rule = (findings, document) => (element) => {
  if (tagOf(element, document)) return;
  for (const [name, use] of Object.entries(formOf(element)?.attributes ?? {})) {
    if (use !== "required" || element.attributes.has(name)) continue;
    const message = `<${element.name}> needs the attribute ${name}.`;
    findings.add(element.openRange, { code: "WOML_MISSING_ATTRIBUTE", message, hint: `Write <${element.name} ${name}="...">.` });
  }
};
