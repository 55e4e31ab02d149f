import type { Remark } from "../../diagnostic.ts";
import { formOf, isElementName } from "../../grammar.ts";
import { tagOf } from "../../tag.ts";
import { childrenNamed, type Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** An element stands where its parent takes it. Parents with a code of their own come first. */
export const permittedChild: Rule = (findings, document) => {
  let isWorkflow = false;
  return (element) => {
    const { parent } = element;
    if (!parent) {
      isWorkflow = childrenNamed(element, "workflow").length > 0;
      return;
    }
    // The tag of an imported definition may have a name of the language.
    if (tagOf(element, document) || formOf(parent)?.children.includes(element.name)) return;
    if (element.name === "props" && isWorkflow) findings.refuse(element, PROPS);
    else if (isElementName(element.name)) findings.refuse(element, misplaced(element, parent));
  };
};

const PROPS: Remark = {
  code: "WOML_PROPS_WORKFLOW_FORBIDDEN",
  message: "A workflow has no <props>.",
  hint: "Props belong to reusable definitions. A workflow reads its input from context.payload.",
};

function misplaced(element: Element, parent: Element): Remark {
  const message = `<${element.name}> may not stand in <${parent.name}>.`;
  const takes = formOf(parent)?.children ?? [];
  const hint = takes.length > 0 ? `It takes ${takes.map((name) => `<${name}>`).join(", ")}.` : `<${parent.name}> holds no elements.`;
  switch (parent.name) {
    case "parallel":
      return { code: "WOML_PARALLEL_CHILD_UNSUPPORTED", message, hint };
    case "config":
      return { code: "WOML_CONFIG_CHILD_NOT_ALLOWED", message, hint };
    case "triggers":
      return { code: "WOML_TRIGGER_UNSUPPORTED", message, hint };
    case "imports":
      return { code: "WOML_IMPORTS_INVALID_CHILD", message, hint };
    case "woml":
      return { code: "WOML_DOCUMENT_STRUCTURE_INVALID", message, hint };
    default:
      return { code: "WOML_INVALID_STRUCTURE", message, hint };
  }
}
