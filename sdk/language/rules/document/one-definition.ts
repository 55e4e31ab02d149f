import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const KINDS: ReadonlySet<string> = new Set(["workflow", "step", "provider"]);

/** `<woml>` holds exactly one definition. */
export const oneDefinition: Rule = (findings) => (element) => {
  if (element.parent) return;
  const definitions = elementsOf(element).filter((child) => KINDS.has(child.name));
  const [first, ...more] = definitions;
  if (!first) {
    const hint = "Put one <workflow> into it.";
    findings.add(element.openRange, { code: "WOML_DOCUMENT_STRUCTURE_INVALID", message: "<woml> defines nothing.", hint });
    return;
  }
  if (more.some((other) => other.name !== first.name)) {
    const message = "The document defines things of several kinds.";
    findings.add(first.openRange, { code: "WOML_DOCUMENT_PROFILE_INVALID", message, hint: "Give each definition a file of its own." });
    for (const other of definitions) if (other.name !== "workflow") findings.refuse(other);
    return;
  }
  for (const other of more) {
    const message = `A second <${other.name}> in one document.`;
    findings.refuse(other, { code: "WOML_DOCUMENT_STRUCTURE_INVALID", message, hint: "Give each definition a file of its own." });
  }
};
