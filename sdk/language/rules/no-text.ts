import type { Findings } from "../findings.ts";
import { trimmed } from "../source.ts";
import type { Look } from "../visit.ts";

/** Text belongs into scripts alone. */
export const noText =
  (text: string) =>
  (findings: Findings): Look =>
  (element) => {
    for (const child of element.children) {
      const range = child.kind === "text" ? trimmed(text, child.range) : null;
      if (!range) continue;
      const message = `Text may not stand in <${element.name}>.`;
      const hint = "Remove it, or make it a comment: <!-- -->.";
      findings.add(range, { code: element.name === "config" ? "WOML_CONFIG_CHILD_NOT_ALLOWED" : "WOML_UNEXPECTED_CONTENT", message, hint });
    }
  };
