import type { Remark } from "../../diagnostic.ts";
import { isElementName } from "../../grammar.ts";
import { childrenNamed, type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const MOST_TRIGGERS = 64;

/** One `<steps>`, at most one `<config>` and one `<triggers>`. What a second one holds is not looked into. */
export const workflowParts: Rule = (findings) => (element) => {
  if (element.name !== "workflow") return;
  const steps = childrenNamed(element, "steps");
  // What is not of the language has been reported, and may be what is missing.
  if (steps.length === 0 && elementsOf(element).every(({ name }) => isElementName(name))) {
    findings.add(element.openRange, {
      code: "WOML_STEPS_CONTAINER_COUNT",
      message: "The workflow has no <steps>.",
      hint: "Add one <steps>.",
    });
  }
  const repeated = (parts: readonly Element[], code: Remark["code"]): void => {
    for (const part of parts.slice(1)) {
      const hint = "Put the contents of both into the first.";
      findings.refuse(part, { code, message: `A workflow has one <${part.name}>.`, hint });
    }
  };
  repeated(steps, "WOML_STEPS_CONTAINER_COUNT");
  repeated(childrenNamed(element, "config"), "WOML_CONFIG_DUPLICATE");
  repeated(childrenNamed(element, "triggers"), "WOML_TRIGGER_CONTAINER_COUNT");
};

export const triggerCount: Rule = (findings, document) => (element) => {
  if (element.name !== "triggers") return;
  const triggers = elementsOf(element);
  const tooMany = triggers[MOST_TRIGGERS];
  if (triggers.length === 0) {
    const hint = 'Add a trigger: <manual id="start" />.';
    findings.add(element.openRange, { code: "WOML_TRIGGER_REQUIRED", message: "<triggers> holds no trigger.", hint });
  } else if (tooMany) {
    const message = `A workflow has at most ${MOST_TRIGGERS} triggers.`;
    // WOML 1.0 takes it for a limit of modules.
    const code = document.profile ? "WOML_MODULE_ALIAS_LIMIT_EXCEEDED" : "WOML_TRIGGER_LIMIT_EXCEEDED";
    findings.add(tooMany.openRange, { code, message, hint: "Remove the rest." });
  }
};
