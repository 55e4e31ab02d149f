import { quoted } from "../../source.ts";
import { isStepTag, tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

const LONGEST = 256;
const KEBAB = { form: /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, hint: "Lower case words with dashes: order-router." };
const CAMEL = { form: /^[a-z][A-Za-z0-9]*$/, hint: "A lower case letter, then letters and digits: checkStock." };

export const validId: Rule = (findings, document) => (element) => {
  // Of a provider's tag every attribute is a prop.
  if (tagOf(element, document) && !isStepTag(element, document)) return;
  const attribute = element.attributes.get("id");
  if (!attribute || attribute.value === null) return;
  const { form, hint } = element.name === "workflow" ? KEBAB : CAMEL;
  if (attribute.value.length > LONGEST) {
    findings.onValue(attribute, { code: "WOML_INVALID_ID", message: `This id is longer than ${LONGEST} characters.`, hint });
  } else if (!form.test(attribute.value)) {
    findings.onValue(attribute, { code: "WOML_INVALID_ID", message: `${quoted(attribute.value)} is no id of a ${element.name}.`, hint });
  }
};
