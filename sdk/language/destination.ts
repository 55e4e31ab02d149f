import type { Code } from "./codes.ts";
import { blankItems, commaItems, type Item } from "./list.ts";
import type { Element } from "./tree.ts";

/** How a provider of the language names whom it tells. */
export interface Destination {
  readonly attribute: string;
  readonly separator: "blank" | "comma";
  readonly form: RegExp;
  /** What one is, with an example. */
  readonly hint: string;
  /** Attributes that say as whom it tells: with others the same destination is another one. */
  readonly sender: readonly string[];
  /** For a list without a destination, or with an empty place in it. */
  readonly empty: Code;
  readonly invalid: Code;
  readonly duplicate: Code;
}

export const DESTINATIONS: ReadonlyMap<string, Destination> = new Map([
  [
    "slack",
    {
      attribute: "channels",
      separator: "blank",
      form: /^(?:#[a-z0-9][a-z0-9_-]{0,79}|[CG][A-Z0-9]{8,31})$/,
      hint: "Names with # or ids, with blanks between them: #ops C0123456789.",
      sender: ["bot-token", "app-token"],
      empty: "WOML_SLACK_CHANNELS_EMPTY",
      invalid: "WOML_SLACK_CHANNEL_INVALID",
      duplicate: "WOML_SLACK_CHANNEL_DUPLICATE",
    },
  ],
  [
    "telegram",
    {
      attribute: "chats",
      separator: "comma",
      form: /^-?[1-9]\d{0,19}$/,
      hint: "Numbers of chats, with commas between them: -1001234567, 42.",
      sender: ["bot-token"],
      empty: "WOML_TELEGRAM_LIST_INVALID",
      invalid: "WOML_TELEGRAM_CHAT_INVALID",
      duplicate: "WOML_TELEGRAM_CHAT_DUPLICATE",
    },
  ],
  [
    "discord",
    {
      attribute: "channels",
      separator: "comma",
      form: /^\d{17,20}$/,
      hint: "Ids of channels, 17 to 20 digits, with commas between them: 123456789012345678.",
      sender: ["bot-token"],
      empty: "WOML_DISCORD_LIST_INVALID",
      invalid: "WOML_DISCORD_CHANNEL_INVALID",
      duplicate: "WOML_DISCORD_CHANNEL_DUPLICATE",
    },
  ],
  [
    "whatsapp",
    {
      attribute: "recipients",
      separator: "comma",
      form: /^[1-9]\d{7,15}$/,
      hint: "Numbers with their country's, 8 to 16 digits, without a plus, with commas between them: 15551234567.",
      sender: ["access-token", "phone-number-id"],
      empty: "WOML_WHATSAPP_RECIPIENT_INVALID",
      invalid: "WOML_WHATSAPP_RECIPIENT_INVALID",
      duplicate: "WOML_WHATSAPP_RECIPIENT_DUPLICATE",
    },
  ],
]);

/** Whom a provider of the language tells, in the order in which it is written; between commas one may be empty. */
export function itemsOf(provider: Element, source: string): readonly Item[] {
  const destination = DESTINATIONS.get(provider.name);
  const attribute = destination && provider.attributes.get(destination.attribute);
  if (!attribute) return [];
  return (destination.separator === "blank" ? blankItems : commaItems)(attribute, source);
}
