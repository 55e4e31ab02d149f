import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** `<imports>` names something. */
export const importsNotEmpty: Rule = (findings) => (element) => {
  if (element.name !== "imports" || elementsOf(element).length > 0) return;
  const hint = 'Remove it, or add a module: <module name="prices" from="./prices.ts" />.';
  findings.add(element.openRange, { code: "WOML_IMPORTS_EMPTY", message: "<imports> names nothing.", hint });
};
