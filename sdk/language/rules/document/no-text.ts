import { trimmed } from "../../source.ts";
import { tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

/** Text belongs into scripts and schemas alone. */
export const noText: Rule = (findings, document) => (element) => {
  // What a tag of a definition holds is reported as such.
  if (element.name === "schema" || tagOf(element, document)) return;
  for (const child of element.children) {
    const range = child.kind === "text" ? trimmed(document.text, child.range) : null;
    if (!range) continue;
    const message = `Text may not stand in <${element.name}>.`;
    const hint = "Remove it, or make it a comment: <!-- -->.";
    findings.add(range, { code: element.name === "config" ? "WOML_CONFIG_CHILD_NOT_ALLOWED" : "WOML_UNEXPECTED_CONTENT", message, hint });
  }
};
