import type { Remark } from "../../diagnostic.ts";
import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const ORDER: Remark = {
  code: "WOML_CHOOSE_OTHERWISE_ORDER",
  message: "<otherwise> is not the one last arm.",
  hint: "A choose has one <otherwise>, behind every <when>.",
};

/** One `<when>` or more, then exactly one `<otherwise>`. */
export const chooseArms: Rule = (findings) => (element) => {
  if (element.name !== "choose") return;
  const children = elementsOf(element);
  const has = (name: string): boolean => children.some((child) => child.name.toLowerCase() === name);
  const hint = "A choose is one <when test=...> or more and then one <otherwise>.";
  if (!has("when")) findings.add(element.openRange, { code: "WOML_CHOOSE_WHEN_REQUIRED", message: "The choose has no <when>.", hint });
  if (!has("otherwise"))
    findings.add(element.openRange, { code: "WOML_CHOOSE_OTHERWISE_REQUIRED", message: "The choose has no <otherwise>.", hint });
  const arms = children.filter((child) => child.name === "when" || child.name === "otherwise");
  const first = arms.findIndex((arm) => arm.name === "otherwise");
  if (first < 0 || first === arms.length - 1) return;
  const misplaced = arms.slice(first + 1).find((arm) => arm.name === "otherwise") ?? arms[first];
  if (misplaced) findings.add(misplaced.openRange, ORDER);
};
