import type { Remark } from "../../diagnostic.ts";
import { isElementName } from "../../grammar.ts";
import { eventOf, HOOKS, isOfStep } from "../../hook.ts";
import { type Guess, guesses } from "../../script/remarks.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** Of a reusable definition: it knows nothing of the run around it. */
const OF_REUSABLE: ReadonlySet<string> = new Set(["on-success", "on-error", "on-complete"]);

/** What stands in a lifecycle and is called like a hook is one; a definition's has three of them, and scripts in these. */
export const knownHook: Rule = (findings) => {
  const guess = guesses();
  return (element) => {
    const { parent } = element;
    if (parent?.name === "lifecycle" && parent.parent?.name === "woml") {
      const remark = unfitInDefinition(element);
      if (remark) findings.refuse(element, remark);
    } else if (parent?.name === "lifecycle") {
      if (element.name.startsWith("on-") && !HOOKS.has(element.name)) findings.refuse(element, unknown(element, guess));
    } else if (element.name === "notify" && parent?.parent?.name === "lifecycle" && parent.parent.parent?.name === "woml") {
      findings.refuse(element, NOTIFIES);
    }
  };
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

const unknown = ({ name }: Element, guess: Guess): Remark => ({
  code: "WOML_LIFECYCLE_HOOK_INVALID",
  message: `There is no hook <${name}>.`,
  hint: name === "on-failure" ? "Did you mean on-error?" : guess(name, HOOKS.keys(), `There are ${[...HOOKS.keys()].join(", ")}.`),
});

function unfitInDefinition({ name }: Element): Remark | null {
  const hint = `It has ${[...OF_REUSABLE].map((hook) => `<${hook}>`).join(", ")}.`;
  const message = `The lifecycle of a definition has no <${name}>.`;
  if (OF_REUSABLE.has(name)) return null;
  if (name.startsWith("on-step-")) return { code: "WOML_REUSABLE_STEP_HOOK_UNSUPPORTED", message, hint };
  return name.startsWith("on-") || isElementName(name) ? { code: "WOML_REUSABLE_LIFECYCLE_HOOK_INVALID", message, hint } : null;
}
