import type { Remark } from "../../diagnostic.ts";
import { isElementName, KEPT_WORD } from "../../grammar.ts";
import { eventOf, isOfStep } from "../../hook.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** Of a reusable definition: it knows nothing of the run around it. */
const OF_REUSABLE: ReadonlySet<string> = new Set(["on-success", "on-error", "on-complete"]);

/** A lifecycle has no <on-failure>; a definition's has three hooks, and scripts in these. */
export const knownHook: Rule = (findings) => (element) => {
  const { parent } = element;
  if (parent?.name === "lifecycle" && parent.parent?.name === "woml") {
    const remark = unfitInDefinition(element);
    if (remark) findings.refuse(element, remark);
  } else if (parent?.name === "lifecycle") {
    if (element.name === KEPT_WORD) findings.refuse(element, UNKNOWN);
  } else if (element.name === "notify" && parent?.parent?.name === "lifecycle" && parent.parent.parent?.name === "woml") {
    findings.refuse(element, NOTIFIES);
  }
};

const NOTIFIES: Remark = {
  code: "WOML_REUSABLE_LIFECYCLE_NOTIFY_UNSUPPORTED",
  message: "A definition notifies nobody.",
  hint: "Do it in the workflow that uses the definition, or in a script.",
};

/** Only a hook of steps says of which. Said here, because the attribute is not unknown: it is misplaced. */
export const filteredHook: Rule = (findings) => (element) => {
  const event = eventOf(element);
  const attribute = element.attributes.get("steps");
  if (!event || !attribute || isOfStep(event)) return;
  const hint = "Remove it, or take one of <on-step-start>, <on-step-success>, <on-step-failure>, <on-step-complete>.";
  const message = `<${element.name}> is told of the run, and not of steps.`;
  findings.onName(attribute, { code: "WOML_LIFECYCLE_STEP_FILTER_INVALID", message, hint });
};

const UNKNOWN: Remark = {
  code: "WOML_LIFECYCLE_HOOK_INVALID",
  message: `There is no hook <${KEPT_WORD}>.`,
  hint: "Did you mean <on-error>?",
};

function unfitInDefinition({ name }: Element): Remark | null {
  const hint = `It has ${[...OF_REUSABLE].map((hook) => `<${hook}>`).join(", ")}.`;
  const message = `The lifecycle of a definition has no <${name}>.`;
  if (OF_REUSABLE.has(name)) return null;
  if (name.startsWith("on-step-")) return { code: "WOML_REUSABLE_STEP_HOOK_UNSUPPORTED", message, hint };
  return name.startsWith("on-") || isElementName(name) ? { code: "WOML_REUSABLE_LIFECYCLE_HOOK_INVALID", message, hint } : null;
}
