import type { Code } from "../../codes.ts";
import { eventOf } from "../../hook.ts";
import { tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";
import { Messages } from "./messages.ts";

const OF_PROVIDER: ReadonlyMap<string, { readonly required: Code; readonly unknown: Code }> = new Map([
  ["slack", { required: "WOML_SLACK_ATTRIBUTE_REQUIRED", unknown: "WOML_SLACK_UNKNOWN_ATTRIBUTE" }],
  ["telegram", { required: "WOML_TELEGRAM_ATTRIBUTE_REQUIRED", unknown: "WOML_TELEGRAM_UNKNOWN_ATTRIBUTE" }],
  ["discord", { required: "WOML_DISCORD_ATTRIBUTE_REQUIRED", unknown: "WOML_DISCORD_UNKNOWN_ATTRIBUTE" }],
  ["whatsapp", { required: "WOML_WHATSAPP_ATTRIBUTE_REQUIRED", unknown: "WOML_WHATSAPP_UNKNOWN_ATTRIBUTE" }],
]);

/** A hook says what is told. Of an approval the approval itself is. */
export const message: Rule = (findings, document) => {
  const messages = new Messages(findings, document);
  return (element) => {
    const notify = element.parent?.name === "notify" ? element.parent : null;
    if (!notify?.parent) return;
    const codes = tagOf(element, document) ? undefined : OF_PROVIDER.get(element.name);
    const attribute = element.attributes.get("message");
    const event = eventOf(notify.parent);
    if (notify.parent.name === "approval" && codes && attribute) {
      const text = `<${element.name}> has no message in an approval.`;
      findings.onName(attribute, { code: codes.unknown, message: text, hint: "Remove it: the approval itself is what is told." });
    } else if (event && !attribute) {
      const code = codes?.required ?? "WOML_REUSABLE_PROVIDER_MESSAGE_REQUIRED";
      const text = `<${element.name}> needs the attribute message in a hook.`;
      findings.add(element.openRange, { code, message: text, hint: `Write <${element.name} message="...">.` });
    } else if (event && attribute && findings.isSound(attribute)) {
      messages.judge(attribute, { event, isCustom: codes === undefined });
    }
  };
};
