import type { Remark } from "../../diagnostic.ts";
import type { Findings } from "../../findings.ts";
import { formOf } from "../../grammar.ts";
import { type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const DEFINITIONS: ReadonlySet<string> = new Set(["workflow", "step", "provider"]);
/** What stands below `<woml>`, in this order. */
const ORDER: readonly string[] = ["imports", "props", "definition", "lifecycle"];
const SPLIT = "Give each definition a file of its own.";
const structure = (message: string, hint: string): Remark => ({ code: "WOML_DOCUMENT_STRUCTURE_INVALID", message, hint });
const profile = (message: string, hint: string): Remark => ({ code: "WOML_DOCUMENT_PROFILE_INVALID", message, hint });

const MORE = profile("The document defines more than one thing.", SPLIT);

/** `<woml>` holds exactly one definition. Of several a workflow is looked into if it is the first. */
export const oneDefinition: Rule = (findings) => (root) => {
  if (root.parent) return;
  const [first, ...more] = elementsOf(root).filter(({ name }) => DEFINITIONS.has(name));
  if (!first) return nothing(root, findings);
  if (more.length === 0) return;
  const isWorkflow = [first, ...more].every(({ name }) => name === "workflow");
  // One beside a workflow is likelier to have been meant as a part of it: it is not judged as a definition.
  if (!isWorkflow && first.name === "workflow") findings.add(first.openRange, MORE);
  else if (!isWorkflow) findings.refuse(first, MORE);
  for (const other of more) findings.refuse(other, isWorkflow ? structure("A second <workflow> in one document.", SPLIT) : undefined);
};

function nothing(root: Element, findings: Findings): void {
  const children = elementsOf(root);
  // What is foreign here is reported where it stands, and may have been meant as the definition.
  if (children.some(({ name }) => formOf(root)?.children.includes(name) !== true)) return;
  if (children.some(({ name }) => name === "props")) {
    findings.add(root.openRange, profile("The document defines nothing that has these props.", "Put one <step> or <provider> into it."));
  } else findings.add((children[0] ?? root).openRange, structure("<woml> defines nothing.", "Put one <workflow> into it."));
}

/** The parts of a document stand in their order, each once. A workflow's document has no props and no lifecycle; that is said of them. */
export const partOrder: Rule = (findings, document) => (root) => {
  if (root.parent) return;
  let last = -1;
  for (const child of elementsOf(root)) {
    if (findings.isRefused(child) || (document.defines === "workflow" && (child.name === "props" || child.name === "lifecycle"))) continue;
    const rank = ORDER.indexOf(DEFINITIONS.has(child.name) ? "definition" : child.name);
    if (rank < 0) continue;
    const hint = "The order is <imports>, <props>, what is defined, <lifecycle>; each at most once.";
    if (rank <= last) findings.add(child.openRange, structure(`<${child.name}> stands ${rank === last ? "twice" : "too late"}.`, hint));
    last = Math.max(last, rank);
  }
};
