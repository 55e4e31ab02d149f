import { didYouMean } from "../../closest.ts";
import type { Code } from "../../codes.ts";
import type { Findings } from "../../findings.ts";
import { commaItems } from "../../list.ts";
import { quoted } from "../../source.ts";
import type { Attribute } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

interface List {
  /** An item is one of these words, or of this form. */
  readonly of: readonly string[] | RegExp;
  readonly hint: string;
  readonly codes: { readonly list: Code; readonly item: Code; readonly duplicate: Code };
}
const TALK = ["app-mention", "direct-message"];
const TALK_HINT = "Write app-mention, direct-message, or both with a comma between.";

/** By trigger and attribute. */
const LISTS: ReadonlyMap<string, List> = new Map<string, List>([
  [
    "slack events",
    {
      of: TALK,
      hint: TALK_HINT,
      codes: {
        list: "WOML_SLACK_TRIGGER_LIST_INVALID",
        item: "WOML_SLACK_TRIGGER_EVENT_INVALID",
        duplicate: "WOML_SLACK_TRIGGER_EVENT_DUPLICATE",
      },
    },
  ],
  [
    "slack channels",
    {
      of: /^(?:[a-z0-9][a-z0-9_-]{0,79}|[CGD][A-Z0-9]{8,31})$/,
      hint: "Write names without # or ids of conversations: general, C0123456789.",
      codes: {
        list: "WOML_SLACK_TRIGGER_LIST_INVALID",
        item: "WOML_SLACK_TRIGGER_CHANNEL_INVALID",
        duplicate: "WOML_SLACK_TRIGGER_CHANNEL_DUPLICATE",
      },
    },
  ],
  [
    "discord events",
    {
      of: TALK,
      hint: TALK_HINT,
      codes: {
        list: "WOML_DISCORD_LIST_INVALID",
        item: "WOML_DISCORD_TRIGGER_EVENT_INVALID",
        duplicate: "WOML_DISCORD_TRIGGER_EVENT_DUPLICATE",
      },
    },
  ],
  [
    "discord channels",
    {
      of: /^\d{17,20}$/,
      hint: "Write ids of channels, 17 to 20 digits: Discord shows them in developer mode.",
      codes: {
        list: "WOML_DISCORD_LIST_INVALID",
        item: "WOML_DISCORD_CHANNEL_INVALID",
        duplicate: "WOML_DISCORD_CHANNEL_DUPLICATE",
      },
    },
  ],
  [
    "telegram events",
    {
      of: ["message"],
      hint: "Write message.",
      codes: {
        list: "WOML_TELEGRAM_LIST_INVALID",
        item: "WOML_TELEGRAM_TRIGGER_EVENT_INVALID",
        duplicate: "WOML_TELEGRAM_TRIGGER_EVENT_DUPLICATE",
      },
    },
  ],
]);

/** What a chat trigger listens for, and where: lists with commas. */
export const chatLists: Rule = (findings, { text }) => {
  return (element) => {
    if (element.parent?.name !== "triggers") return;
    for (const attribute of element.attributes.values()) {
      const list = LISTS.get(`${element.name} ${attribute.name}`);
      if (list && findings.isSound(attribute)) judge(findings, text, attribute, list);
    }
  };
};

function judge(findings: Findings, text: string, attribute: Attribute, { of, hint, codes }: List): void {
  const items = commaItems(attribute, text);
  if (items.some((item) => item.text === "")) {
    findings.onValue(attribute, { code: codes.list, message: "A place between the commas of this list is empty.", hint });
    return;
  }
  const seen = new Set<string>();
  for (const item of items) {
    const isKnown = of instanceof RegExp ? of.test(item.text) : of.includes(item.text);
    if (!isKnown) {
      const better = of instanceof RegExp ? hint : didYouMean(item.text, of, hint);
      findings.add(item.range, { code: codes.item, message: `${quoted(item.text)} may not stand in this list.`, hint: better });
    } else if (seen.has(item.text)) {
      findings.add(item.range, { code: codes.duplicate, message: `${quoted(item.text)} stands twice in this list.`, hint: "Remove it." });
    }
    seen.add(item.text);
  }
}

const PHONE = /^[1-9]\d{5,19}$/;

/** What a WhatsApp trigger listens for is one word, and the number it listens to is its id. */
export const whatsappSource: Rule = (findings) => (element) => {
  if (element.name !== "whatsapp" || element.parent?.name !== "triggers") return;
  const events = element.attributes.get("events");
  if (events?.value != null && events.value.trim() !== "message") {
    const message = `${quoted(events.value)} is nothing a WhatsApp trigger listens for.`;
    findings.onValue(events, { code: "WOML_WHATSAPP_TRIGGER_EVENT_INVALID", message, hint: "Write message." });
  }
  const phone = element.attributes.get("phone-number-id");
  if (phone?.value == null || PHONE.test(phone.value)) return;
  const message = `${quoted(phone.value)} is no id of a phone number.`;
  findings.onValue(phone, {
    code: "WOML_WHATSAPP_PHONE_NUMBER_ID_INVALID",
    message,
    hint: "6 to 20 digits, the first not 0: the id that Meta gives the number, not the number.",
  });
};
