import type { Code } from "../../codes.ts";
import { HIDEABLE } from "../../tag.ts";
import { textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** An import that takes the name of a chat provider hides it in this document. */
export const shadowedProvider: Rule =
  (findings, { imports }) =>
  (element) => {
    const name = element.name === "module" ? element.attributes.get("name") : undefined;
    if (!name || name.value === null || !HIDEABLE.has(name.value)) return;
    const isTag = imports.reusables.has(name.value) && textOf(element, "from")?.endsWith(".woml") === true;
    const [code, what]: [Code, string] = isTag
      ? ["WOML_BUILTIN_PROVIDER_SHADOWED", `the provider <${name.value}>`]
      : ["WOML_BUILTIN_SERVICE_SHADOWED", `services.${name.value}`];
    const hint = "Take another name if you need both.";
    findings.add(name.valueRange, { code, severity: "warning", message: `In this document it hides ${what} of the language.`, hint });
  };
