import { tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";
import { OF_STEP } from "./props.ts";

/** A step has an id, however it is written. */
export const tagId: Rule = (findings, document) => (element) => {
  const definition = tagOf(element, document)?.definition;
  if (definition?.kind !== "step" || element.attributes.has("id")) return;
  // What is no prop has been reported, and may be the id.
  if ([...element.attributes.keys()].some((name) => !OF_STEP.has(name) && !definition.props.has(name))) return;
  const message = `<${element.name}> needs the attribute id.`;
  findings.add(element.openRange, { code: "WOML_MISSING_ATTRIBUTE", message, hint: `Write <${element.name} id="...">.` });
};
