import type { Remark } from "../../diagnostic.ts";
import { childrenNamed, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { isForeign } from "../document/placement.ts";

/** A loop may end with one `<result>`. */
export const forEachResult: Rule = (findings, document) => (element) => {
  if (element.name !== "for-each") return;
  const [first, second] = childrenNamed(element, "result");
  if (second) findings.add(second.openRange, TWICE);
  else if (first && elementsOf(element).findLast((child) => !isForeign(child, document)) !== first) findings.add(first.openRange, ORDER);
};

const TWICE: Remark = {
  code: "WOML_FOR_EACH_RESULT_INVALID",
  message: "The loop has more than one <result>.",
  hint: "Keep one: it says what each iteration adds to results.",
};
const ORDER: Remark = {
  code: "WOML_FOR_EACH_RESULT_ORDER",
  message: "<result> is not the last of its loop.",
  hint: "Put it behind the items.",
};
