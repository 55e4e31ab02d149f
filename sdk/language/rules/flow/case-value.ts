import type { Remark } from "../../diagnostic.ts";
import { quoted } from "../../source.ts";
import { childrenNamed } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** The texts of a switch's cases are not empty and all different. References in them are text. */
export const caseValue: Rule = (findings) => (element) => {
  if (element.name !== "switch") return;
  const seen = new Set<string>();
  for (const arm of childrenNamed(element, "case")) {
    const attribute = arm.attributes.get("value");
    if (!attribute || attribute.value === null) continue;
    const message = `The case ${quoted(attribute.value)} stands twice in this switch.`;
    if (attribute.value === "") findings.onValue(attribute, EMPTY);
    else if (seen.has(attribute.value))
      findings.onValue(attribute, { code: "WOML_SWITCH_CASE_DUPLICATE", message, hint: "Keep one: the first would always be taken." });
    seen.add(attribute.value);
  }
};

const EMPTY: Remark = {
  code: "WOML_SWITCH_CASE_VALUE_EMPTY",
  message: "The case has no text.",
  hint: "Write the text that selects it; what no case names goes to <default>.",
};
