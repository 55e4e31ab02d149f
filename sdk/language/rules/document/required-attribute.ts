import type { Code } from "../../codes.ts";
import { type AttributeUse, formOf } from "../../grammar.ts";
import { isOfHook } from "../../hook.ts";
import { isMisnamed } from "../../meant.ts";
import { isTag } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** By element, or element and attribute: absent attributes that have a code of their own. */
const CODES: ReadonlyMap<string, Code> = new Map<string, Code>([
  ["for-each id", "WOML_FOR_EACH_ID_REQUIRED"],
  ["for-each items", "WOML_FOR_EACH_ITEMS_REQUIRED"],
  ["slack", "WOML_SLACK_ATTRIBUTE_REQUIRED"],
  ["telegram", "WOML_TELEGRAM_ATTRIBUTE_REQUIRED"],
  ["discord", "WOML_DISCORD_ATTRIBUTE_REQUIRED"],
  ["whatsapp", "WOML_WHATSAPP_ATTRIBUTE_REQUIRED"],
]);

/** Nothing that an element needs is absent. */
export const requiredAttribute: Rule = (findings, document) => (element) => {
  if (isTag(element, document) || isMisnamed(element)) return;
  const isNeeded = (name: string, use: AttributeUse): boolean => use === "required" || (name === "message" && isOfHook(element));
  const absent = Object.entries(formOf(element)?.attributes ?? {}).flatMap(([name, use]) =>
    isNeeded(name, use) && !element.attributes.has(name) ? [name] : [],
  );
  for (const [code, names] of Map.groupBy(absent, (name) => codeOf(element, name))) {
    const message = `<${element.name}> needs the attribute${names.length > 1 ? "s" : ""} ${names.join(", ")}.`;
    const hint = `Write <${element.name} ${names.map((name) => `${name}="..."`).join(" ")}>.`;
    findings.add(element.openRange, { code, message, hint });
  }
};

/** The id of a trigger is asked for as any other id is. */
function codeOf({ name: element }: Element, name: string): Code {
  return CODES.get(`${element} ${name}`) ?? (name === "id" ? undefined : CODES.get(element)) ?? "WOML_MISSING_ATTRIBUTE";
}
