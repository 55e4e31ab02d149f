import type { Remark } from "../../diagnostic.ts";
import { readReference } from "../../reference.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

export const REFERENCE_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["when", "test"],
  ["result", "value"],
]);

/** Tests and results are one exact reference each. */
export const exactReference: Rule = (findings) => (element) => {
  const attribute = element.attributes.get(REFERENCE_ATTRIBUTES.get(element.name) ?? "");
  if (!attribute || attribute.value === null) return;
  const read = readReference(attribute.value);
  if (read.kind === "invalid") findings.onValue(attribute, invalid(attribute.value, read.why));
  if (read.kind === "iteration") findings.onValue(attribute, ITERATION);
};

const invalid = (value: string, why: string): Remark => ({
  code: "WOML_INVALID_REFERENCE",
  message: `${quoted(value)} is no reference. ${why}`,
  hint: "Write {{context.payload.<property>}} or {{context.steps.<id>.<property>}}, and nothing else in the attribute.",
});

const ITERATION: Remark = {
  code: "WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH",
  message: "item and iteration exist only inside a loop.",
  hint: "Refer to the payload or to a step.",
};
