import { notExecutable } from "../../feature.ts";
import { attributeUse } from "../../grammar.ts";
import type { Rule } from "../../visit.ts";

const HINTS: ReadonlyMap<string, string> = new Map([["step timeout", "Set the timeout of the whole workflow: <config timeout=...>."]]);

/** Attributes of WOML 1.0 that this version does not run; their values are not looked into. */
export const executableAttribute: Rule = (findings) => (element) => {
  for (const attribute of element.attributes.values()) {
    if (attributeUse(element, attribute.name) !== "later") continue;
    const what = `The attribute ${attribute.name} of <${element.name}>`;
    findings.onName(attribute, notExecutable(what, HINTS.get(`${element.name} ${attribute.name}`) ?? "Remove it."));
  }
};
