import { isTag } from "../../tag.ts";
import { childrenNamed, type Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { misplaced } from "./placement.ts";

/** An element stands where its parent takes it. Where tags of imported definitions may stand is judged for them (rules/reusable). */
export const permittedChild: Rule = (findings, document) => {
  const [workflow] = childrenNamed(document.root, "workflow");
  return (element: Element) => {
    if (!element.parent || isTag(element, document)) return;
    const remark = misplaced(element, element.parent, workflow !== undefined);
    if (remark) findings.refuse(element, remark);
  };
};
