import type { Code } from "../../codes.ts";
import { quoted } from "../../source.ts";
import { isTag } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

interface Form {
  readonly code: Code;
  readonly form: RegExp;
  readonly what: string;
  readonly hint: string;
}
const FORMS: ReadonlyMap<string, Form> = new Map([
  [
    "phone-number-id",
    {
      code: "WOML_WHATSAPP_PHONE_NUMBER_ID_INVALID",
      form: /^[1-9]\d{5,19}$/,
      what: "id of a phone number",
      hint: "6 to 20 digits, the first not 0: the id that Meta gives the number, not the number.",
    },
  ],
  [
    "template",
    {
      code: "WOML_WHATSAPP_TEMPLATE_INVALID",
      form: /^[a-z0-9_]+$/,
      what: "name of a template",
      hint: "Lower case letters, digits and underscores: order_late.",
    },
  ],
  [
    "language",
    {
      code: "WOML_WHATSAPP_LANGUAGE_INVALID",
      form: /^[a-z]{2,3}(?:_[A-Z]{2})?$/,
      what: "language of a template",
      hint: "A language, and a country after an underscore: en, pt_BR.",
    },
  ],
]);

/** What WhatsApp is told besides its recipients. */
export const whatsapp: Rule = (findings, document) => (element) => {
  if (element.name !== "whatsapp" || element.parent?.name !== "notify" || isTag(element, document)) return;
  for (const [name, { code, form, what, hint }] of FORMS) {
    const attribute = element.attributes.get(name);
    if (!attribute || !findings.isSound(attribute) || form.test(attribute.value ?? "")) continue;
    findings.onValue(attribute, { code, message: `${quoted(attribute.value ?? "")} is no ${what}.`, hint });
  }
};
