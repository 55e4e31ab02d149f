import { FLOW } from "../../grammar.ts";
import { quoted } from "../../source.ts";
import { isStepTag } from "../../tag.ts";
import type { Attribute } from "../../tree.ts";
import { isRoute } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

/** All items of a workflow's flow share one namespace, however deep they stand; its triggers have another. Branches are their fork's. */
export const uniqueId: Rule = (findings, document) => {
  const structural = new Set<string>();
  const triggers = new Set<string>();
  const isTaken = (ids: Set<string>, { value }: Attribute): boolean => value !== null && ids.size === ids.add(value).size;
  return (element) => {
    const id = element.attributes.get("id");
    if (!id || !findings.isSound(id)) return;
    const message = `The id ${quoted(id.value ?? "")} is taken.`;
    const isItem = isStepTag(element, document) || (FLOW.includes(element.name) && !isRoute(element));
    if (isItem && isTaken(structural, id)) {
      const hint = "All steps, groups, choices, forks, loops and approvals of a workflow need ids of their own.";
      findings.onValue(id, { code: "WOML_DUPLICATE_ID", message, hint });
    } else if (element.parent?.name === "triggers" && isTaken(triggers, id)) {
      findings.onValue(id, { code: "WOML_TRIGGER_ID_DUPLICATE", message, hint: "Every trigger of a workflow needs an id of its own." });
    }
  };
};
