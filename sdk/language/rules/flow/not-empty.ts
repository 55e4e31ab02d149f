import type { Remark } from "../../diagnostic.ts";
import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const REMARKS: ReadonlyMap<string, Remark> = new Map([
  ["steps", { code: "WOML_EMPTY_STEPS", message: "<steps> holds no item.", hint: "Add a <step>." }],
  ["parallel", { code: "WOML_PARALLEL_EMPTY", message: "<parallel> holds no step.", hint: "Add a <step>, or remove the group." }],
]);

export const notEmpty: Rule = (findings) => (element) => {
  const remark = REMARKS.get(element.name);
  if (remark && elementsOf(element).length === 0) findings.add(element.openRange, remark);
};
