import { tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

/** A step has an id, however it is written. */
export const tagId: Rule = (findings, document) => (element) => {
  if (tagOf(element, document)?.definition?.kind !== "step" || element.attributes.has("id")) return;
  const message = `<${element.name}> needs the attribute id.`;
  findings.add(element.openRange, { code: "WOML_MISSING_ATTRIBUTE", message, hint: `Write <${element.name} id="...">.` });
};
