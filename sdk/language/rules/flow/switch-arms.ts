import type { Remark } from "../../diagnostic.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { misplacedLast } from "./choose-arms.ts";

const HINT = "A switch is one <case value=...> or more and then one <default>.";

/** One `<case>` or more, then exactly one `<default>`. */
export const switchArms: Rule = (findings) => (element) => {
  if (element.name !== "switch") return;
  const children = elementsOf(element);
  const has = (arm: string): boolean => children.some((child) => child.name.toLowerCase() === arm);
  if (!has("case"))
    findings.add(element.openRange, { code: "WOML_SWITCH_CASE_REQUIRED", message: "The switch has no <case>.", hint: HINT });
  else if (!has("default"))
    findings.add(element.openRange, { code: "WOML_SWITCH_DEFAULT_ORDER", message: "The switch has no <default>.", hint: HINT });
  const misplaced = misplacedLast(
    children.filter((child) => child.name === "case" || child.name === "default"),
    "default",
  );
  if (misplaced) findings.add(misplaced.openRange, ORDER);
};

const ORDER: Remark = { code: "WOML_SWITCH_DEFAULT_ORDER", message: "<default> is not the one last arm.", hint: HINT };

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
