import { trimmed } from "../../source.ts";
import type { Rule } from "../../visit.ts";

/** Text belongs into scripts and schemas alone. */
export const noText: Rule =
  (findings, { text }) =>
  (element) => {
    if (element.name === "schema") return;
    for (const child of element.children) {
      const range = child.kind === "text" ? trimmed(text, child.range) : null;
      if (!range) continue;
      const message = `Text may not stand in <${element.name}>.`;
      const hint = "Remove it, or make it a comment: <!-- -->.";
      findings.add(range, { code: element.name === "config" ? "WOML_CONFIG_CHILD_NOT_ALLOWED" : "WOML_UNEXPECTED_CONTENT", message, hint });
    }
  };
