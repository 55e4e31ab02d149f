import type { Message, Notice } from "@woml/model";
import { itemsOf } from "../destination.ts";
import { eventOf } from "../hook.ts";
import { secretName } from "../secret.ts";
import { tagOf } from "../tag.ts";
import { readTemplate } from "../template.ts";
import { type Element, elementsOf, numberOf, textOf } from "../tree.ts";
import { required } from "./attribute.ts";
import type { Draft } from "./draft.ts";
import { lowerReusableNotice } from "./reusable.ts";

/** Whom the `<notify>` of an approval or a hook tells, in its order. */
export const lowerNotices = (notify: Element, draft: Draft): Notice[] =>
  elementsOf(notify).map((provider, at) => {
    const owner = ownerOf(notify);
    draft.subjects.set(`notice:${owner}:${at + 1}`, provider.openRange);
    return { ...lowerProvider(provider, draft, owner), ...messageOf(provider) };
  });

/** What a script of a hook, or its `<notify>`, is known by: `hook:<event>:<n>`, counted from 1. */
export function actionId(action: Element): string {
  const hook = action.parent;
  const event = hook && eventOf(hook);
  if (!event) throw new Error(`<${action.name}> outside a hook has passed the rules`);
  return `hook:${event}:${numberOf(action)}`;
}

const ownerOf = (notify: Element): string => (notify.parent?.name === "approval" ? required(notify.parent, "id") : actionId(notify));

function lowerProvider(provider: Element, draft: Draft, owner: string): Notice {
  if (tagOf(provider, draft.document)) return lowerReusableNotice(provider, draft, owner);
  const told = itemsOf(provider, draft.document.text).map(({ text }) => text);
  switch (provider.name) {
    case "slack":
      return { provider: "slack", channels: told, botToken: secretOf(provider, "bot-token"), appToken: secretOf(provider, "app-token") };
    case "telegram":
      return { provider: "telegram", chats: told, botToken: secretOf(provider, "bot-token") };
    case "discord":
      return { provider: "discord", channels: told, botToken: secretOf(provider, "bot-token") };
    case "whatsapp":
      return {
        provider: "whatsapp",
        recipients: told,
        accessToken: secretOf(provider, "access-token"),
        phoneNumberId: required(provider, "phone-number-id"),
        template: required(provider, "template"),
        language: required(provider, "language"),
      };
    default:
      throw new Error(`the provider ${provider.name} has passed the rules`);
  }
}

function secretOf(provider: Element, attribute: string): string {
  const name = secretName(required(provider, attribute));
  if (name === null) throw new Error(`${attribute} without a secret has passed the rules`);
  return name;
}

/** What a hook says; nothing where an approval is what is told. */
function messageOf(provider: Element): { readonly message?: Message } {
  const value = provider.parent?.parent?.name === "approval" ? undefined : textOf(provider, "message");
  const template = value === undefined ? null : readTemplate(value);
  if (!template || !("parts" in template)) return {};
  return { message: template.parts.map((part) => (part.kind === "text" ? part : { kind: "reference", path: pathOf(part.name) })) };
}

/** Without the word `context`, as every path of a definition. */
const pathOf = (name: string): string[] => name.replace(/^context\./, "").split(".");
