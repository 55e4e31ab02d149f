import { formOf } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { isStepTag } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

const LONGEST = 256;
const KEBAB = { form: /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, hint: "Lower case words with dashes: order-router." };
const CAMEL = { form: /^[a-z][A-Za-z0-9]*$/, hint: "A lower case letter, then letters and digits: checkStock." };

/** Ids of workflows, triggers, items, branches and tags of reusable steps. A provider's `id` is a prop. */
export const validId: Rule = (findings, document) => (element) => {
  const attribute = element.attributes.get("id");
  if (!attribute || attribute.value === null || !(formOf(element)?.attributes["id"] || isStepTag(element, document))) return;
  const { form, hint } = element.name === "workflow" ? KEBAB : CAMEL;
  if (attribute.value.length > LONGEST) {
    findings.onValue(attribute, { code: "WOML_INVALID_ID", message: `This id is longer than ${LONGEST} characters.`, hint });
  } else if (!form.test(attribute.value)) {
    findings.onValue(attribute, { code: "WOML_INVALID_ID", message: `${quoted(attribute.value)} is no id of a ${element.name}.`, hint });
  }
};
