import type { Code } from "../../codes.ts";
import { eventOf, isOfHook } from "../../hook.ts";
import { isTag, tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";
import { Messages } from "./messages.ts";

const UNKNOWN: ReadonlyMap<string, Code> = new Map([
  ["slack", "WOML_SLACK_UNKNOWN_ATTRIBUTE"],
  ["telegram", "WOML_TELEGRAM_UNKNOWN_ATTRIBUTE"],
  ["discord", "WOML_DISCORD_UNKNOWN_ATTRIBUTE"],
  ["whatsapp", "WOML_WHATSAPP_UNKNOWN_ATTRIBUTE"],
]);

/** A hook says what is told. Of an approval the approval itself is: a message would be an unknown attribute, or a prop. */
export const message: Rule = (findings, document) => {
  const messages = new Messages(findings, document);
  return (element) => {
    const around = element.parent?.name === "notify" ? element.parent.parent : null;
    const attribute = element.attributes.get("message");
    if (!around || !attribute || !findings.isSound(attribute)) return;
    const event = eventOf(around);
    const isCustom = isTag(element, document);
    const code = isCustom ? undefined : UNKNOWN.get(element.name);
    if (event) messages.judge(attribute, { event, isCustom });
    else if (code && around.name === "approval") {
      const text = `<${element.name}> has no message in an approval.`;
      findings.onName(attribute, { code, message: text, hint: "Remove it: the approval itself is what is told." });
    }
  };
};

/** Of the language's own providers the absent message is told with all else that they need (rules/document). */
export const tagMessage: Rule = (findings, document) => (element) => {
  const tag = isOfHook(element) ? tagOf(element, document) : undefined;
  if (!tag || element.attributes.has("message")) return;
  // An attribute that is no prop has been reported, and may well be the message.
  const props = tag.definition?.props;
  if (props && [...element.attributes.keys()].some((name) => !props.has(name))) return;
  const text = `<${element.name}> needs the attribute message in a hook.`;
  const hint = `Write <${element.name} message="...">.`;
  findings.add(element.openRange, { code: "WOML_REUSABLE_PROVIDER_MESSAGE_REQUIRED", message: text, hint });
};
