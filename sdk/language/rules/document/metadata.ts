import { FLOW } from "../../grammar.ts";
import { isStepTag } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

const LONGEST = 4096;
const DESCRIBED: ReadonlySet<string> = new Set(["workflow", ...FLOW]);

/** Names, descriptions and versions are any text that is not blank. */
export const metadata: Rule = (findings, document) => (element) => {
  // Of a tag all else is a prop, and of a provider's tag everything is.
  const isTag = isStepTag(element, document);
  if (!isTag && !DESCRIBED.has(element.name)) return;
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
