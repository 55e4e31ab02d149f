import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import { isMisnamed, mayBe } from "../../meant.ts";
import { type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { metadataOf } from "./choice-metadata.ts";

const CODES: ReadonlyMap<string, { readonly empty: Code; readonly requiresId: Code; readonly arms: readonly string[] }> = new Map([
  ["choose", { empty: "WOML_CHOOSE_ARM_EMPTY", requiresId: "WOML_CHOOSE_RESULT_REQUIRES_ID", arms: ["when", "otherwise"] }],
  ["switch", { empty: "WOML_SWITCH_ARM_EMPTY", requiresId: "WOML_SWITCH_RESULT_REQUIRES_ID", arms: ["case", "default"] }],
]);

/** Without an id there is no output, and so no `<result>`: the missing id is one fault, however many arms have one, and a name beside them. */
export const controlArms: Rule = (findings) => (element) => {
  const codes = isControl(element) ? CODES.get(element.name) : undefined;
  if (!codes) return;
  const arms = elementsOf(element).filter(({ name }) => codes.arms.includes(name));
  const first = arms.flatMap(elementsOf).find(({ name }) => name === "result");
  if (first && !isMisnamed(element) && !metadataOf(element)) {
    const message = `A <${element.name}> without an id has no output, and so no <result>.`;
    findings.add(first.openRange, { code: codes.requiresId, message, hint: `Write <${element.name} id="..."> to give it one.` });
  }
  for (const arm of arms) if (elementsOf(arm).length === 0) findings.add(arm.openRange, empty(arm, codes.empty));
};

/** Whether a choice only selects. */
export const isControl = ({ name, attributes }: Element): boolean => CODES.has(name) && !attributes.has("id");
export const isResult = (child: Element): boolean => mayBe(child, "result");

export const empty = ({ name }: Element, code: Code): Remark => ({
  code,
  message: `<${name}> holds no step.`,
  hint: "An arm holds one item or more; a step that returns null will do.",
});
