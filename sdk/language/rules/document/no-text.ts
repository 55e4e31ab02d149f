import type { Code } from "../../codes.ts";
import { formOf } from "../../grammar.ts";
import { trimmed } from "../../source.ts";
import { isTag } from "../../tag.ts";
import { type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** Text belongs into scripts and schemas alone. It is marked from where the tag or comment before it ends. */
export const noText: Rule = (findings, document) => (element) => {
  if (element.name === "schema" || isTag(element, document) || isMeantOtherwise(element)) return;
  for (const child of element.children) {
    const range = child.kind === "text" ? trimmed(document.text, child.range) : null;
    if (!range) continue;
    const message = `Text may not stand in <${element.name}>.`;
    const isCode = formOf(element)?.children.includes("script") === true;
    const hint = `${isCode ? "Put code into <script>, remove the rest" : "Remove it"}, or make it a comment: <!-- -->.`;
    findings.add({ start: child.range.start, end: range.end }, { code: codeIn(element), message, hint });
  }
};

/** A step with its code and without the tags around it, a result with its value as text: what is missing is said by rules of their own. */
const isMeantOtherwise = (element: Element): boolean =>
  element.name === "step"
    ? element.parent?.name !== "woml" && elementsOf(element).length === 0
    : element.name === "result" && !element.attributes.has("value");

function codeIn(element: Element): Code {
  if (element.name === "config") return "WOML_CONFIG_CHILD_NOT_ALLOWED";
  if (element.name === "prop") return "WOML_PROP_NOT_EMPTY";
  return formOf(element)?.children.length === 0 ? "WOML_INVALID_STRUCTURE" : "WOML_UNEXPECTED_CONTENT";
}
