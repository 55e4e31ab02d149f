import { notExecutable } from "../feature.ts";
import { attributeUse } from "../grammar.ts";
import type { Rule } from "../visit.ts";

const HINTS: ReadonlyMap<string, string> = new Map([
  ["step timeout", "Set the timeout of the whole workflow: <config timeout=...>."],
  ["parallel concurrency", "Remove it: all steps of the group run side by side."],
]);

/** Attributes of WOML 1.0 that this version does not run; their values are not looked into. */
export const executableAttribute: Rule = (findings) => (element) => {
  for (const attribute of element.attributes.values()) {
    if (attributeUse(element.name, attribute.name) !== "later") continue;
    const what = `The attribute ${attribute.name} of <${element.name}>`;
    findings.onName(attribute, notExecutable(what, HINTS.get(`${element.name} ${attribute.name}`) ?? "Remove it."));
  }
};

export const executablePolicy: Rule = (findings) => (element) => {
  const attribute = element.name === "parallel" ? element.attributes.get("on-error") : undefined;
  if (!attribute || !findings.isSound(attribute) || attribute.value === "fail-fast") return;
  const hint = "Write fail-fast, or leave the attribute out.";
  if (attribute.value === "wait-all") findings.onValue(attribute, notExecutable('on-error="wait-all" of <parallel>', hint));
  else findings.onValue(attribute, { code: "WOML_PARALLEL_INVALID_POLICY", message: "on-error is neither fail-fast nor wait-all.", hint });
};
