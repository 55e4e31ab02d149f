import type { Remark } from "../../diagnostic.ts";
import { attributeUse } from "../../grammar.ts";
import type { Rule } from "../../visit.ts";

const HINTS: ReadonlyMap<string, string> = new Map([["step timeout", "Set the timeout of the whole workflow: <config timeout=...>."]]);

/** Attributes that WOML 1.0 keeps for later; their values are not looked into. */
export const executableAttribute: Rule = (findings) => (element) => {
  for (const attribute of element.attributes.values()) {
    if (attributeUse(element, attribute.name) === "later") findings.onName(attribute, keptBack(element.name, attribute.name));
  }
};

const keptBack = (element: string, attribute: string): Remark => ({
  code: "WOML_FEATURE_NOT_EXECUTABLE",
  message: `The attribute ${attribute} of <${element}> is kept for a later version of WOML.`,
  hint: HINTS.get(`${element} ${attribute}`) ?? "Remove it.",
});
