import { type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** An arm is one item or more, then exactly one `<result>`. */
export const armResult: Rule = (findings) => (element) => {
  if (element.name !== "when" && element.name !== "otherwise") return;
  const children = elementsOf(element);
  const isResult = (child: Element): boolean => child.name.toLowerCase() === "result";
  const [first, second] = children.filter(isResult);
  if (children.every(isResult)) {
    const hint = "An arm holds one step or more, then its <result>.";
    findings.add(element.openRange, { code: "WOML_INVALID_STRUCTURE", message: `<${element.name}> holds no step.`, hint });
    return;
  }
  const hint = 'End the arm with one <result value="{{context.steps.<id>}}" />.';
  if (!first || second) {
    const message = first ? "The arm has more than one <result>." : "The arm has no <result>.";
    findings.add((second ?? element).openRange, { code: "WOML_CHOOSE_RESULT_REQUIRED", message, hint });
  } else if (children.at(-1) !== first) {
    findings.add(first.openRange, { code: "WOML_CHOOSE_RESULT_ORDER", message: "<result> is not the last of its arm.", hint });
  }
};
