import type { Remark } from "../../diagnostic.ts";
import { attributeUse, formOf, RETRY_ATTRIBUTES } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { tagOf } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** The attributes of an imported definition's tag are its props (rules/reusable). */
export const knownAttribute: Rule = (findings, document) => (element) => {
  if (tagOf(element, document)) return;
  for (const attribute of element.attributes.values()) {
    if (!attributeUse(element, attribute.name)) findings.onName(attribute, unknown(element, attribute.name));
  }
};

function unknown(element: Element, attribute: string): Remark {
  const message = `<${element.name}> has no attribute ${quoted(attribute)}.`;
  if (element.name === "config")
    return { code: "WOML_CONFIG_ATTRIBUTE_UNKNOWN", message, hint: "It has timeout, concurrency, rate-limit and queue." };
  if (RETRY_ATTRIBUTES.includes(attribute))
    return { code: "WOML_RETRY_HANDLER_UNSUPPORTED", message, hint: "Only a <step> is tried again." };
  const known = Object.keys(formOf(element)?.attributes ?? {});
  return { code: "WOML_UNKNOWN_ATTRIBUTE", message, hint: known.length > 0 ? `It has ${known.join(", ")}.` : "It has no attributes." };
}
