import { quoted } from "../../source.ts";
import { isStepTag } from "../../tag.ts";
import type { Attribute } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const STRUCTURAL: ReadonlySet<string> = new Set(["step", "parallel", "choose"]);

/** Steps, parallels and chooses of a workflow share one namespace; its triggers have another. */
export const uniqueId: Rule = (findings, document) => {
  const structural = new Set<string>();
  const triggers = new Set<string>();
  const isTaken = (ids: Set<string>, { value }: Attribute): boolean => value !== null && ids.size === ids.add(value).size;
  return (element) => {
    const id = element.attributes.get("id");
    if (!id || !findings.isSound(id)) return;
    const message = `The id ${quoted(id.value ?? "")} is taken.`;
    if ((STRUCTURAL.has(element.name) || isStepTag(element, document)) && isTaken(structural, id)) {
      findings.onValue(id, {
        code: "WOML_DUPLICATE_ID",
        message,
        hint: "All steps, parallels and chooses of a workflow need ids of their own.",
      });
    } else if (element.name === "manual" && isTaken(triggers, id)) {
      findings.onValue(id, { code: "WOML_TRIGGER_ID_DUPLICATE", message, hint: "Every trigger of a workflow needs an id of its own." });
    }
  };
};
