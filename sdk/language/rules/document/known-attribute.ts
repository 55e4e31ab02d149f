import { closest } from "../../closest.ts";
import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import { attributeUse, formOf, RETRY_ATTRIBUTES } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { isTag } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import { isRoute } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

/** Elements whose unknown attributes have a code of their own. */
const CODES: ReadonlyMap<string, Code> = new Map<string, Code>([
  ["config", "WOML_CONFIG_ATTRIBUTE_UNKNOWN"],
  ["for-each", "WOML_FOR_EACH_ATTRIBUTE_UNKNOWN"],
  ["slack", "WOML_SLACK_UNKNOWN_ATTRIBUTE"],
  ["telegram", "WOML_TELEGRAM_UNKNOWN_ATTRIBUTE"],
  ["discord", "WOML_DISCORD_UNKNOWN_ATTRIBUTE"],
  ["whatsapp", "WOML_WHATSAPP_UNKNOWN_ATTRIBUTE"],
]);

/** An element has the attributes of its form alone. Those of tags of imported definitions are judged for them (rules/reusable). */
export const knownAttribute: Rule = (findings, document) => (element) => {
  if (isTag(element, document)) return;
  for (const attribute of element.attributes.values()) {
    if (!attributeUse(element, attribute.name)) findings.onName(attribute, unknown(element, attribute.name, findings.isLong));
  }
};

function unknown(element: Element, attribute: string, isLong: boolean): Remark {
  const message = `<${element.name}> has no attribute ${quoted(attribute)}.`;
  const code = isRoute(element) ? "WOML_FORK_BRANCH_ATTRIBUTE_UNSUPPORTED" : CODES.get(element.name);
  const isRetry = RETRY_ATTRIBUTES.includes(attribute) && element.name !== "step" && element.name !== "config" && !isRoute(element);
  if (isRetry) return { code: "WOML_RETRY_HANDLER_UNSUPPORTED", message, hint: "Only a <step> is tried again." };
  return { code: code ?? "WOML_UNKNOWN_ATTRIBUTE", message, hint: isLong ? "Remove it." : hintFor(element, attribute) };
}

function hintFor(element: Element, attribute: string): string {
  const names = Object.entries(formOf(element)?.attributes ?? {}).flatMap(([name, use]) => (use === "later" ? [] : [name]));
  const free = names.filter((name) => !element.attributes.has(name));
  const near = closest(attribute, free);
  if (near !== null) return `Did you mean ${near}?`;
  return names.length > 0 ? `It has ${names.join(", ")}.` : "It has no attributes.";
}
