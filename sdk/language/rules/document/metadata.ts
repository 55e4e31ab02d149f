import { isStepTag, tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

const LONGEST = 4096;

/** Names, descriptions and versions are any text that is not blank. */
export const metadata: Rule = (findings, document) => (element) => {
  const isTag = tagOf(element, document) !== undefined;
  // Of a tag all else is a prop, and of a provider's tag everything is.
  if (isTag && !isStepTag(element, document)) return;
  for (const name of isTag ? ["name", "description"] : ["name", "description", "version"]) {
    const attribute = element.attributes.get(name);
    if (!attribute || attribute.value === null) continue;
    if (attribute.value.trim() === "") {
      findings.onValue(attribute, {
        code: "WOML_EMPTY_METADATA",
        message: `The ${name} is blank.`,
        hint: "Say something, or leave it out.",
      });
    } else if (attribute.value.length > LONGEST) {
      const message = `The ${name} is longer than ${LONGEST} characters.`;
      findings.onValue(attribute, { code: "WOML_METADATA_TOO_LONG", message, hint: "Shorten it." });
    }
  }
};
