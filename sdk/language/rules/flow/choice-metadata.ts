import { isMisnamed } from "../../meant.ts";
import type { Rule } from "../../visit.ts";

/** Without an id there is nothing that a name could be shown beside. */
export const choiceMetadata: Rule = (findings) => (element) => {
  const { name, attributes } = element;
  if ((name !== "choose" && name !== "switch") || attributes.has("id") || isMisnamed(element)) return;
  const first = [...attributes.values()].find((attribute) => attribute.name === "name" || attribute.name === "description");
  if (!first) return;
  findings.onName(first, {
    code: name === "choose" ? "WOML_CHOOSE_METADATA_REQUIRES_ID" : "WOML_SWITCH_METADATA_REQUIRES_ID",
    message: `A <${name}> without an id has no ${first.name}.`,
    hint: `Write <${name} id="...">, or remove it.`,
  });
};
