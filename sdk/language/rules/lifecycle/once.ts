import { HOOKS } from "../../hook.ts";
import { childrenNamed, type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** A workflow has one lifecycle at most, a lifecycle each hook at most once. */
export const once: Rule = (findings) => (element) => {
  const repeated = (parts: readonly Element[]): void => {
    for (const { name, openRange } of parts.slice(1)) {
      const hint = name === "lifecycle" ? "Put the hooks of both into the first." : "Put the actions of both into the first.";
      findings.add(openRange, { code: "WOML_LIFECYCLE_DUPLICATE", message: `A second <${name}>.`, hint });
    }
  };
  if (element.name === "workflow") repeated(childrenNamed(element, "lifecycle"));
  if (element.name !== "lifecycle") return;
  for (const hook of HOOKS.keys()) repeated(elementsOf(element).filter(({ name }) => name === hook));
};
