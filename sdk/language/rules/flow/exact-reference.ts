import type { Remark } from "../../diagnostic.ts";
import { readReference } from "../../reference.ts";
import { referenceHint } from "../../reference-hint.ts";
import { quoted } from "../../source.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** Attributes that are one exact reference each; the items of a loop have a rule of their own (for-each.ts). */
export const REFERENCE_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["when", "test"],
  ["switch", "value"],
  ["result", "value"],
]);

/** Tests, the values of switches and results are one exact reference each; `item` and `iteration` are there inside a loop alone. */
export const exactReference: Rule = (findings) => (element) => {
  const attribute = element.attributes.get(REFERENCE_ATTRIBUTES.get(element.name) ?? "");
  if (!attribute || attribute.value === null) return;
  const read = readReference(attribute.value);
  if (read.kind === "invalid") findings.onValue(attribute, invalid(element, attribute.value, read.why));
  if (read.kind === "iteration" && !isInLoop(element)) findings.onValue(attribute, ITERATION);
};

/** Whether an element stands in the body of a loop. */
export function isInLoop({ parent }: Element): boolean {
  for (let at = parent; at; at = at.parent) if (at.name === "for-each") return true;
  return false;
}

function invalid(element: Element, value: string, why: string): Remark {
  const isIn = isInLoop(element);
  const isLoops = element.name === "result" && element.parent?.name === "for-each";
  const hint = `Write {{context.payload.<property>}} or {{context.steps.<id>.<property>}}${isLoops ? " or {{context.item}}" : ""}, and nothing else in the attribute.`;
  return {
    code: isLoops ? "WOML_FOR_EACH_RESULT_INVALID" : "WOML_INVALID_REFERENCE",
    message: `${quoted(value)} is no reference. ${why}`,
    hint: referenceHint(value, ({ kind }) => kind === "payload" || kind === "steps" || (kind === "iteration" && isIn)) ?? hint,
  };
}

export const ITERATION: Remark = {
  code: "WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH",
  message: "item and iteration exist only inside a loop.",
  hint: "Refer to the payload or to a step.",
};
