import { eventOf, isOfStep } from "../../hook.ts";
import { blankItems, type Item } from "../../list.ts";
import { quoted } from "../../source.ts";
import { executableSteps, type Steps } from "../../steps.ts";
import type { Rule } from "../../visit.ts";

const ID = /^[a-z][A-Za-z0-9]*$/;

/** `steps` says of which steps a hook is told: each once, and steps that are there. */
export const stepFilter: Rule = (findings, document) => {
  let steps: Steps | undefined;
  return (element) => {
    const event = eventOf(element);
    const attribute = element.attributes.get("steps");
    if (!event || !attribute || !isOfStep(event) || !findings.isSound(attribute)) return;
    const items = blankItems(attribute, document.text);
    const message = faultIn(items);
    if (message !== null) {
      const hint = "Ids with blanks between them, each once: pack ship. Without the attribute it is told of all steps.";
      findings.onValue(attribute, { code: "WOML_LIFECYCLE_STEP_FILTER_INVALID", message, hint });
      return;
    }
    steps ??= executableSteps(document);
    for (const { text, range } of items) {
      const remark = steps.unknown(text);
      if (remark) findings.add(range, remark);
    }
  };
};

function faultIn(items: readonly Item[]): string | null {
  if (items.length === 0) return "No step is named.";
  const seen = new Set<string>();
  for (const { text } of items) {
    if (!ID.test(text)) return `${quoted(text)} is no id of a step.`;
    if (seen.has(text)) return `${quoted(text)} is named twice.`;
    seen.add(text);
  }
  return null;
}
