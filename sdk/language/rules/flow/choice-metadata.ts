import { isMisnamed } from "../../meant.ts";
import type { Attribute, Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** Without an id there is nothing that a name could be shown beside. */
export const choiceMetadata: Rule = (findings) => (element) => {
  const { name } = element;
  if ((name !== "choose" && name !== "switch") || element.attributes.has("id") || isMisnamed(element)) return;
  const first = metadataOf(element);
  if (!first) return;
  findings.onName(first, {
    code: name === "choose" ? "WOML_CHOOSE_METADATA_REQUIRES_ID" : "WOML_SWITCH_METADATA_REQUIRES_ID",
    message: `A <${name}> without an id has no ${first.name}.`,
    hint: `Write <${name} id="...">, or remove it.`,
  });
};

export const metadataOf = ({ attributes }: Element): Attribute | undefined =>
  [...attributes.values()].find(({ name }) => name === "name" || name === "description");
