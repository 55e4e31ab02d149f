import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

export const documentRoot: Rule = (findings) => (element) => {
  if (element.parent || element.name === "woml") return;
  findings.refuse(element, {
    code: "WOML_EXPECTED_DOCUMENT_ROOT",
    message: `The root element is ${quoted(element.name)}.`,
    hint: "A document is one <woml> element.",
  });
};
