import { trimmed } from "../../source.ts";
import { tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

/** A tag holds nothing; what it holds all the same is not looked into. */
export const tagEmpty: Rule = (findings, document) => (element) => {
  if (!tagOf(element, document)) return;
  let isReported = false;
  for (const child of element.children) {
    const range = child.kind === "element" ? child.openRange : trimmed(document.text, child.range);
    if (child.kind === "element") findings.refuse(child);
    if (!range || isReported) continue;
    isReported = true;
    const message = `<${element.name}> may hold nothing.`;
    const hint = "Give the definition what it needs in attributes, one for each prop.";
    findings.add(range, { code: "WOML_REUSABLE_TAG_CHILDREN_UNSUPPORTED", message, hint });
  }
};
